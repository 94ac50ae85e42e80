"""The guide to keys names every verb beside the scope it needs, and every scope a key may carry."""

import re
from collections import defaultdict
from pathlib import Path

from apps.api.verbs import VERBS
from apps.tenants.models import ApiKey

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "keys.md"
_ROW = re.compile(r"^\| (`\w+`(?: or `\w+`)?|none) \| (.+) \|$", re.MULTILINE)


def _rows(heading: str) -> dict[str, str]:
    """The second cell of each row by the first, of the table below a heading of the table."""
    table = GUIDE.read_text().partition(f"| scope | {heading} |")[2].partition("\n\n")[0]
    return dict(_ROW.findall(table))


def test_the_guide_tells_what_every_scope_allows():
    assert set(_rows("allows")) == {f"`{scope.value}`" for scope in ApiKey.Scope}


def test_the_guide_names_every_verb_beside_the_scope_it_needs():
    needed = defaultdict(list)
    for verb in VERBS.values():
        scopes = [f"`{scope.value}`" for scope in (verb.scope, verb.or_scope) if scope is not None]
        needed[" or ".join(scopes) or "none"].append(verb.name)

    assert _rows("verbs") == {
        scopes: ", ".join(f"`{name}`" for name in sorted(names)) for scopes, names in needed.items()
    }
