"""What of a text is quoted: somebody's very words, in the quotation marks of any language."""

import re
from typing import Final

QUOTATION_MARKS: Final = frozenset('"“”„«»')
"""Those that are nothing else; ' and ’ are apostrophes, too."""
_QUOTATION: Final = re.compile(
    r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»'
    # No apostrophe: it opens before a word and closes behind one, and those within are within words.
    r"|(?<!\w)['‘](?=\w)(?:[^'‘’\n]|(?<=\w)['’](?=\w))*+(?<!\s)['’](?!\w)"
)


def quotations(text: str) -> list[tuple[int, int]]:
    """Where each one begins and ends, its marks included, in order.

    Takes time in proportion to the length of the text.
    """
    return [match.span() for match in _QUOTATION.finditer(text)]


def may_quote(text: str) -> bool:
    """Whether there is a quotation in it, or the mark of one that begins or ends elsewhere."""
    return not QUOTATION_MARKS.isdisjoint(text) or _QUOTATION.search(text) is not None
