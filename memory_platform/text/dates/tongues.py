"""What dateparser's data does not say of a language: the words that govern a date, and how to say one in full."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Tongue:
    """Words of a language in lower case; a `str` is a pattern.

    `since`, `since_or_from`, `until` and `target` are words that govern a date, `planned` is how words of scheduling
    begin. `following` and `previous` stand beside a weekday or one of `units`; `near` are phrases by their distance in
    days. `thirds` stand before a month and tell which part of it, `ordinals` are the first days of a month in words.
    `numbered_day` is a day of the month by its number alone, `refused` what holds a name and no date, `supposing` words
    that open a condition. `day`, `month` and `week` say those absolutely.
    """

    since: frozenset[str] = frozenset()
    since_or_from: frozenset[str] = frozenset()
    until: frozenset[str] = frozenset()
    target: frozenset[str] = frozenset()
    planned: str = r"(?!)"
    following: str = r"(?!)"
    previous: str = r"(?!)"
    units: Mapping[str, str] = field(default_factory=dict)
    near: Mapping[str, int] = field(default_factory=dict)
    parts_of_day: str = r"(?!)"
    thirds: Mapping[str, str] = field(default_factory=dict)
    ordinals: Sequence[str] = ()
    numbered_day: str = r"(?!)"
    refused: str = r"(?!)"
    supposing: str = r"(?!)"
    before_month: str = r"[^\W\d_]{1,8}"
    to: str = r"-|–"
    numbers: Sequence[str] = ()
    day: str = ""
    month: str = ""
    week: str = ""


TONGUES: Final[Mapping[str, Tongue]] = {
    "de": Tongue(
        since=frozenset({"seit"}),
        until=frozenset({"bis", "spätestens", "ab"}),
        target=frozenset({"auf", "für", "zum", "bis", "ab", "nach"}),
        planned=r"verscho|verleg|umgebuch|geplan|plan|gebuch|reservier|angesetz|frist|fällig|deadline|vereinbar|termin",
        following=r"nächste[nmrs]?|kommende[nmrs]?",
        previous=r"letzte[nmrs]?|vergangene[nmrs]?|vorige[nmrs]?",
        units={"woche": "week", "monat": "month", "jahr": "year"},
        near={"heute": 0, "gestern": -1, "vorgestern": -2, "morgen": 1, "übermorgen": 2},
        parts_of_day=r"früh|morgen|vormittag|mittag|nachmittag|abend|nacht",
        thirds={"anfang": "early ", "mitte": "mid-", "ende": "late "},
        ordinals=(
            "ersten", "zweiten", "dritten", "vierten", "fünften", "sechsten", "siebten", "achten", "neunten", "zehnten",
            "elften", "zwölften",
        ),
        numbered_day=r"(?:am|den|dem|zum|vom|ab) (?P<day>[0-3]?\d)\.(?!\d| ?(?-i:[A-ZÄÖÜ\d]))",
        supposing=r"falls|wenn|sofern",
        refused=r"(?:am|jeden|guten|diesen|den ganzen) morgen\b|(?:jeden|jeweils) {weekday}\b",
        before_month=r"im|ab|seit|bis|bis zum|vom|anfang|mitte|ende",
        to=r"bis(?: zum)?|-|–",
        numbers=("ein eine einem einer", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"),
        day="{day}. {Month} {year}",
        month="{Month} {year}",
        week="Woche vom {day}",
    ),
    "fr": Tongue(
        since=frozenset({"depuis"}),
        until=frozenset({"jusqu", "ici", "dès", "échéance"}),
        target=frozenset({"au", "pour", "jusqu", "dès", "ici"}),
        planned=r"report|déplac|décal|planifi|prév|fix|réserv|échéance|délai|rendez-vous",
        following=r"prochaine?",
        previous=r"derni(?:er|ère)|passée?",
        units={"semaine": "week", "mois": "month", "année": "year"},
        near={
            "aujourd'hui": 0, "ce matin": 0, "ce soir": 0, "cet après-midi": 0, "hier": -1, "avant-hier": -2,
            "demain": 1, "après-demain": 2,
        },
        parts_of_day=r"matin|midi|après-midi|soir",
        thirds={"début": "early ", "mi": "mid-", "fin": "late "},
        ordinals=("premier",),
        numbered_day=(
            r"(?:le|du|au) (?P<day>[0-3]?\d)(?=\s{0,2}(?:[.,;:!?)]|\Z)"
            r"|\s(?:et|à|pour|mais|ou|avec|chez|si|car|que|je|on|il|elle|nous|vous)\b)"
        ),
        supposing=r"si|s['’]il",
        refused=r"(?:chaque|tous les) {weekday}|{weekday} du mois\b",
        before_month=r"en|depuis|dès|d['’]ici|jusqu['’]en|jusqu['’]à|fin|début|mi|courant",
        to=r"au|et le|-|–",
        numbers=("un une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"),
        day="{day} {month} {year}",
        month="{month} {year}",
        week="semaine du {day}",
    ),
    "es": Tongue(
        since_or_from=frozenset({"desde"}),
        until=frozenset({"hasta", "antes"}),
        target=frozenset({"al", "para", "hasta"}),
        planned=r"aplaz|mov|mueve|pospon|pospues|retras|program|reserv|fij|plazo|fecha límite|vence|cita",
        following=r"pr[óo]xim[oa]|que viene|siguiente",
        previous=r"pasad[oa]|últim[oa]",
        units={"semana": "week", "mes": "month", "año": "year"},
        near={
            "hoy": 0, "esta mañana": 0, "esta tarde": 0, "esta noche": 0, "ayer": -1, "anoche": -1, "anteayer": -2,
            "mañana": 1, "pasado mañana": 2,
        },
        parts_of_day=r"(?:por|en|a) la (?:mañana|tarde|noche)|temprano",
        thirds={
            "principios de": "early ", "comienzos de": "early ", "mediados de": "mid-", "finales de": "late ",
            "fines de": "late ",
        },
        ordinals=("primero",),
        numbered_day=(
            r"(?:el|del|al) (?:día )?(?P<day>[0-3]?\d)(?=\s{0,2}(?:[.,;:!?)]|\Z)"
            r"|\s(?:y|a|en|para|pero|o|con|si|que|por|porque)\b)"
        ),
        supposing=r"si|en caso de",
        refused=r"(?:la|cada|toda la|una|buena|de) mañana\b|(?:los|cada) {weekday}\b",
        before_month=r"en|desde|hasta|para|de|a (?:principios|mediados|finales) de",
        to=r"al?|y el|-|–",
        numbers=("un una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"),
        day="{day} de {month} de {year}",
        month="{month} de {year}",
        week="semana del {day}",
    ),
}  # fmt: skip
UNKNOWN: Final = Tongue()
"""For a language of which only dateparser's data is known, or nothing."""
