"""The ways to tell a date in English, as patterns; what each means is in `english`."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from memory_platform.text.dates import english, numeric
from memory_platform.text.dates.directions import PREPOSITIONS
from memory_platform.text.dates.grammar import Form, Grammar, NamedDate, Towards
from memory_platform.text.dates.numeric import YEAR
from memory_platform.text.dates.spans import MONTHS, SEASONS, WEEKDAY

_MONTH: Final = (
    r"(?:january|february|march|april|may|june?|july?|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|aug|sept?|oct|nov|dec)\b(?:\.(?=[ ,]))?)(?!\w)"
)
_SHORT_WEEKDAY: Final = r"(?:mon|tues?|weds?|thurs?|thu|fri|sat|sun)\b\.?"
_ANY_WEEKDAY: Final = rf"(?:{WEEKDAY}|{_SHORT_WEEKDAY})"
_SEASON: Final = f"(?:{'|'.join(SEASONS)})"
_PART_OF_DAY: Final = "(?: (?:morning|afternoon|evening|night))"
_AMOUNT: Final = rf"(?:\d{{1,3}}|{'|'.join(sorted(english.NUMBERS, key=len, reverse=True))})"
_UNITS: Final = "(?:days?|weeks?|weekends?|fortnights?|months?|quarters?|years?|decades?)"
_DAY: Final = r"[0-3]?\d(?:st|nd|rd|th)?(?![\d:%])"
_WITH_WEEKDAY: Final = rf"(?:on )?(?:(?P<weekday>{_ANY_WEEKDAY}),? )?(?:the )?"
_TO: Final = r"(?: (?:to|till|until|til|through|thru) | ?[-–] ?)"
_WHICH_YEAR: Final = ",? (?:of )?(?P<which_year>this|next|last) year"
_ITS_YEAR: Final = rf"(?:,? (?:of )?(?P<year>{YEAR})|{_WHICH_YEAR}|,? (?P<years_ago>{_AMOUNT}) years? ago)?"
_EDGE: Final = "(?P<edge>end|close|last day|start|beginning|first day|middle|turn)"
_WHICH: Final = "(?P<which>this past|this coming|last|previous|past|this|next|coming|current)"
_FEAST: Final = (
    r"easter monday|easter(?: sunday)?|good friday|christmas eve|christmas(?: day)?|boxing day|new year['’]?s eve"
    r"|new year(?:['’]?s(?: day)?)?|halloween|valentine['’]?s(?: day)?"
)
_ENDS: Final = (
    r"(?![\w-]|['’]\w| (?!(?:at|in|from|to|till?|until|so|and|but|or|nor|because|cause|when|if|for|with|we|i|you|he"
    r"|she|they|it|is|was|are|were|will|would|can|could|should|has|have|had|do|does|did|then|now|anyway|instead|again"
    r"|off|out|not|before|after|which|who|as|by|during|this|next|last|please|pls|thanks|only|too|though|there|here|btw"
    r"|latest|yes|no|on|one|both|my|our|his|her|their|the|of|all)\b|\W|\d))"
)
"""No noun follows that would make something else of a number or a day ("the 2nd floor", "the Friday meeting")."""

_NO_STRETCH: Final = (
    rf"(?! (?:this|next|last|the|the current) (?:week|month|quarter|year)\b(?! of\b)| {_MONTH}| q[1-4]\b)"
)
_NO_DATE: Final = (
    r"(?:like|as if|as though) (?:it (?:was|were) )?(?:just |only )?(?:yesterday|today)\b"
    r"|today['’]?s (?:world|society|age|standards|youth)\b|born yesterday\b"
    rf"|(?:every|each|most|some|any|all) (?:(?!of )\w{{1,20}} )?(?:{WEEKDAY}|weekend|{_MONTH}|{_SEASON})\b"
    rf"(?:(?: ?,| and| or| ?, and) {WEEKDAY}{_PART_OF_DAY}?\b){{0,6}}"
    rf"|{WEEKDAY}(?:s|{_PART_OF_DAY}s)\b|black friday\b|sunday school\b"
    rf"|(?:from )?{_ANY_WEEKDAY} ?(?:-|–| through | thru ) ?{_ANY_WEEKDAY}\b"
    r"|(?:from )?mon(?:day)? to (?:thu|fri|sat|sun)\w{0,6}\b"
    rf"|(?:the )?(?:last|past|this|next) (?:day|week|month|year|weekend|{WEEKDAY}) of\b{_NO_STRETCH}"
    r"|the next (?:day|week|month|year|morning|weekend)\b"
    rf"|an? (?:\w{{1,20}} )?(?:{WEEKDAY}|weekend)\b"
    rf"|(?:first|second|third|fourth|other) {WEEKDAY}\b|last {WEEKDAY} in\b"
    rf"|(?:the |on the )?{WEEKDAY} (?:after|before)(?: that| next)?(?=[,.;:!?]|\Z)"
    rf"|the {english.ORDINAL} of (?:the|each|every) month\b"
)
"""Phrases that hold a time word and no time."""

_NTH_WEEKDAY: Final = Form(
    "nth_weekday",
    rf"(?:on )?(?:the )?(?P<nth>first|second|third|fourth|last|1st|2nd|3rd|4th) (?P<weekday>{_ANY_WEEKDAY}) (?:of|in) "
    rf"(?:(?P<which>this|next|last) month\b|(?P<month>{_MONTH}){_ITS_YEAR})",
    english.nth_weekday,
)
_COMPLETE: Final = (
    Form(
        "stamped_day",
        rf"(?P<day>[0-3]?\d)-(?P<month>{_MONTH})-(?P<year>{YEAR}|\d\d)(?![\w-])",
        english.day_and_month,
    ),
    Form(
        "ticketed",
        rf"(?P<day>[0-3]\d)(?-i:(?P<month>{'|'.join(name[:3].upper() for name in MONTHS)}))(?P<year>\d\d)(?!\w)",
        english.day_and_month,
    ),
    Form(
        "dated_range",
        rf"(?P<first>{_DAY}) (?P<first_month>{_MONTH}){_TO}(?P<last>{_DAY}) (?P<last_month>{_MONTH}),? "
        rf"(?P<year>{YEAR})",
        english.dated_range,
    ),
    Form(
        "timestamp",
        rf"(?P<month>{_MONTH}) (?P<day>{_DAY}) [0-2]\d:[0-5]\d:[0-6]\d (?:[a-z]{{3,4}} )?(?P<year>{YEAR})",
        english.day_and_month,
    ),
)
_DAYS_OF_A_MONTH: Final = (
    Form(
        "day_range",
        rf"(?:the )?(?P<day>{_DAY})(?:{_TO}|(?P<and> and ))(?:the )?(?P<last>{_DAY}) (?:of )?"
        rf"(?P<month>{_MONTH}){_ITS_YEAR}",
        english.day_range,
    ),
    Form(
        "month_range",
        rf"(?P<month>{_MONTH}) (?P<day>{_DAY})(?:{_TO}|(?P<and> and ))(?:the )?(?P<last>{_DAY})"
        rf"(?! ?[ap]m\b){_ITS_YEAR}",
        english.day_range,
    ),
    Form(
        "day_month",
        rf"{_WITH_WEEKDAY}(?P<day>{_DAY}) (?:of )?(?P<month>{_MONTH}){_ITS_YEAR}",
        english.day_and_month,
    ),
    Form(
        "spelled_day",
        rf"{_WITH_WEEKDAY}(?P<day>{english.SPELLED}) of (?P<month>{_MONTH}){_ITS_YEAR}",
        english.day_and_month,
    ),
    Form(
        "month_day",
        rf"{_WITH_WEEKDAY}(?P<month>{_MONTH}) (?:the )?(?P<day>{_DAY})(?! ?[ap]m\b|[.,]\d){_ITS_YEAR}",
        english.day_and_month,
    ),
)
_PARTS: Final = (
    Form("edge_of_month", rf"(?:the )?(?:very )?{_EDGE} of (?P<month>{_MONTH}){_ITS_YEAR}", english.edge_of_month),
    Form("edge_of_quarter", rf"(?:the )?{_EDGE} of q(?P<number>[1-4])\b{_ITS_YEAR}", english.quarter_of_year),
    Form(
        "edge_of_unit",
        rf"(?:the )?(?:very )?{_EDGE} of (?P<which>this|next|last|the|the current) "
        r"(?P<unit>day|week|month|quarter|year)\b(?! of\b)",
        english.edge_of_unit,
    ),
    Form(
        "stretch_of_month",
        rf"(?:the )?(?:(?P<part>early|mid|late)(?: |-)|(?P<half>first|second) half of (?:the )?)"
        rf"(?P<month>{_MONTH}){_ITS_YEAR}",
        english.stretch_of_month,
    ),
    Form(
        "end_of_this",
        r"(?:eo(?P<letter>[dwmqy])|(?P<unit>month|quarter|year)(?:['’]s)?(?: |-)end)\b",
        english.end_of_this,
    ),
    Form(
        "rest_of_unit",
        r"(?:the )?(?:rest|remainder) of (?:the|this) (?P<unit>week|month|quarter|year)\b",
        english.rest_of_unit,
    ),
    Form("month_of_year", rf"(?P<month>{_MONTH}),? (?:of )?(?P<year>{YEAR})", english.month_of_year),
    Form("season_of_year", rf"(?P<season>{_SEASON}) (?:of )?(?P<year>{YEAR})", english.season_of_year),
)
_FROM_TODAY: Final = (
    Form(
        "near",
        rf"(?:the )?(?P<near>day before yesterday|day after tomorrow|(?:yesterday|tomorrow|this)(?={_PART_OF_DAY}\b)"
        rf"|last night|tonight|yesterday|today|tomorrow){_PART_OF_DAY}?\b(?! week\b)",
        english.near_day,
    ),
    Form("far", r"the (?P<unit>week|weekend|month|year) (?:before|after) (?P<which>last|next)\b", english.far_unit),
    Form(
        "window",
        rf"(?:the )?(?:last|past|previous) (?P<amount>{_AMOUNT}) (?P<unit>days|weeks|weekends|months|years)(?!\w| of\b)"
        r"|(?:the (?:last|past)|(?<!this\s)past) (?P<one>week|month|year)(?!\w)",
        english.window,
    ),
    Form(
        "weekday_of_week",
        rf"(?:on )?(?P<weekday>{WEEKDAY}),? (?:of )?(?P<which>this|next|last) week\b",
        english.weekday_of_week,
    ),
    Form(
        "week_weekday",
        rf"(?P<which>this|next|last) week,? (?:on )?(?P<weekday>{WEEKDAY})(?!\w|-)",
        english.weekday_of_week,
    ),
    Form(
        "shifted_unit",
        rf"(?:the )?{_WHICH} (?P<unit>week|weekend|month|quarter|year)(?!\w)",
        english.shifted_unit,
    ),
    Form(
        "shifted_weekday",
        rf"(?:on )?(?:the )?{_WHICH} (?P<weekday>{_ANY_WEEKDAY}){_PART_OF_DAY}?(?!\w)",
        english.shifted_weekday,
    ),
    Form("shifted_month", rf"(?:the )?{_WHICH} (?P<month>{_MONTH})", english.shifted_month),
    Form("shifted_season", rf"(?:the )?{_WHICH} (?P<season>{_SEASON})(?!\w)", english.shifted_season),
    Form("ago", rf"(?P<amount>{_AMOUNT}) (?P<unit>minutes?|hours?|{_UNITS}) (?:ago|back)\b", english.ago),
    Form(
        "from_anchor",
        rf"(?P<amount>{_AMOUNT}) (?P<unit>days?|weeks?|fortnights?) (?:from|after|on) "
        rf"(?P<anchor>today|tomorrow|{WEEKDAY})\b",
        english.from_anchor,
    ),
    Form(
        "anniversary",
        rf"(?P<amount>{_AMOUNT}) (?P<unit>weeks?|months?|years?) (?P<near>today|yesterday|tomorrow)\b",
        english.anniversary,
    ),
    Form("from_now", rf"(?P<amount>{_AMOUNT}) (?P<unit>{_UNITS}) (?P<now>from now)\b", english.ahead),
    Form(
        "ahead",
        rf"in (?:(?:about|around|roughly|approximately|another) )?(?P<amount>{_AMOUNT}) (?P<unit>{_UNITS})"
        r"(?P<now>(?:['’]s?)? time)?(?!\w|['’-])",
        english.ahead,
    ),
    Form(
        "anchored_week",
        rf"(?:on )?(?P<anchor>{WEEKDAY}|today|tomorrow) (?P<unit>week|fortnight)\b(?! ?\d|-)",
        english.from_anchor,
    ),
)
_WITHOUT_MONTH: Final = (
    Form(
        "days_of_month",
        rf"(?:from )?the (?P<day>{english.NUMBERED}){_TO}the (?P<last>{english.NUMBERED}){_ENDS}",
        english.days_of_month,
    ),
    Form("lone_day_of_month", rf"(?<!\w\s)the (?P<day>{english.NUMBERED}){_ENDS}", english.lone_day_of_month),
    Form(
        "day_of_month",
        rf"(?:(?:on )?the |(?P<weekday>{_ANY_WEEKDAY}),? (?:the )?)(?P<day>{english.NUMBERED})"
        rf"(?: of (?P<which>this|next|last) month\b|{_ENDS})",
        english.day_of_month,
    ),
    Form(
        "bare_day_of_month",
        rf"(?:on|by|until|till|til|from) (?P<day>{english.NUMBERED}){_ENDS}",
        english.day_of_month,
    ),
    Form(
        "weekday",
        rf"(?:on )?(?P<weekday>{WEEKDAY}){_PART_OF_DAY}?(?:{_ENDS}|(?=['’]s\b))",
        english.bare_weekday,
    ),
    Form(
        "governed_weekday",
        rf"(?:on )?(?P<weekday>{WEEKDAY}){_PART_OF_DAY}?(?!\w|-)",
        english.governed_weekday,
    ),
    Form(
        "short_weekday",
        rf"(?:on|by|until|till|til|from|since|before|through|thru) (?P<weekday>{_SHORT_WEEKDAY})(?!\w|['’-])",
        english.bare_weekday,
    ),
    Form(
        "clocked_weekday",
        rf"(?P<weekday>{_SHORT_WEEKDAY})(?= (?:at )?\d{{1,2}}(?::\d\d| ?[ap]m\b))",
        english.bare_weekday,
    ),
    Form(
        "abbreviated_weekday",
        rf"(?P<weekday>(?:tues|weds|thurs)\b\.?|(?-i:Mon|Tue|Wed|Thu|Fri)\b\.?"
        rf"|(?-i:Sat|Sun)(?= (?:between|morning|afternoon|evening|night)\b)){_PART_OF_DAY}?(?:{_ENDS}|(?= between\b))",
        english.bare_weekday,
    ),
    Form("the_weekend", r"(?:over|on|during|at) the weekend\b(?! of)", english.the_weekend),
)
_WITHOUT_YEAR: Final = (
    Form("quarter", rf"(?:in )?q(?P<number>[1-4])\b{_ITS_YEAR}", english.quarter_of_year),
    Form(
        "numbered_week",
        r"(?:in |by )?(?:week|wk|cw|kw) (?P<number>[0-5]?\d)(?!\w| of\b|[.,:/]?\d|%)",
        english.week_of_year,
    ),
    Form("feast", rf"(?:(?P<which>this|last|next) )?(?P<feast>{_FEAST})(?:{_ITS_YEAR}{_ENDS})", english.feast_day),
    Form(
        "bare_month",
        r"(?P<opener>back in|in|since|by|until|till|til|during|from|between|before|after|through|thru|throughout|to|for"
        rf"|starting|as of|(?:all|whole) of|and) (?P<month>{_MONTH})(?:{_WHICH_YEAR}\b|(?!\.?,? ?\d|\w|['’-]))",
        english.bare_month,
    ),
    Form(
        "bare_year",
        r"(?:in|since|during|before|after|until|till|of|by|from|to|throughout|between|and|year) "
        rf"(?P<year>{YEAR})(?![\w%-]|[.,]\d)",
        english.bare_year,
    ),
)
_GRAMMAR: Final = Grammar(
    (
        _NTH_WEEKDAY,
        Form("no_date", _NO_DATE, None),
        *numeric.FORMS,
        *_COMPLETE,
        *_DAYS_OF_A_MONTH,
        *_PARTS,
        *(form._replace(is_from_today=True) for form in _FROM_TODAY),
        *_WITHOUT_MONTH,
        *_WITHOUT_YEAR,
    ),
    PREPOSITIONS,
)
_HINT: Final = re.compile(
    r"\d|day|week|month|quarter|year|ago|night|last|past|this|next|coming|fortnight|eo[dwmqy]|easter|christmas|hallow"
    rf"|valentine|tomorrow|{_SHORT_WEEKDAY}|{_MONTH}|{_SEASON}"
)
"""What every date holds, in lower case: without it nothing need be looked for."""


def named(text: str, said: date, *, towards: Towards, is_day_first: bool) -> Iterator[NamedDate]:
    """The dates of an English text, in order. Takes time in proportion to its length."""
    if _HINT.search(text.lower()):
        yield from _GRAMMAR.named(text, said, towards=towards, is_day_first=is_day_first)
