"""The word lists that dedup and conflict read a text with: English and small; what they miss is left unmerged."""

from collections.abc import Mapping
from typing import Final

import Stemmer

_stem = Stemmer.Stemmer("english").stemWord


def stem(word: str) -> str:
    """The Snowball stem of a word without its possessive."""
    return str(_stem(word.casefold().removesuffix("'s").removesuffix("’s")))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _groups(table: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(stem(word) for word in group.split()) for group in table.split("|"))


def _partners(table: str) -> Mapping[str, frozenset[str]]:
    partners: dict[str, set[str]] = {}
    for pair in _groups(table):
        for word in pair:
            partners.setdefault(word, set()).update(pair - {word})
    return {word: frozenset(others) for word, others in partners.items()}


STOP_WORDS: Final = _words(
    """a about dr mr mrs ms prof after each every during while whilst all also am an and any are as at be because
    been before being both but by can could did do does doing done for from get gets got had has have having he
    her hers him his how i if in into is it its itself just me my of on or our ours out over own she so some
    such than that the their theirs them then there these they this those through to too under until up us very
    was we were what when where which while who whom why will with would you your yours i'm i've i'll i'd it's
    that's he's she's they're we're we've user 's s"""
)

NEGATORS: Final = _words(
    """not no never none nobody nothing neither nor cannot without stopped quit quits stop stops refuses refused
    ceased lacks isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't shouldn't hasn't
    haven't hadn't mustn't"""
)
"""Quitting negates what was done; "don't stop" is two negators and so none."""

TENSE_WORDS: Final = _words(
    """actually now anymore longer currently today still again already instead correction fact really since
    recently lately ever yet"""
)

OPPOSITES: Final = _partners(
    """light dark|like dislike|like hate|love hate|love dislike|enjoy hate|enjoy dislike|enjoy avoid|
    enable disable|on off|before after|start stop|begin end|open closed|open close|increase decrease|
    raise lower|allow forbid|allow deny|allow block|permit forbid|often rarely|usually rarely|more less|
    most least|morning evening|morning night|day night|left right|hot cold|warm cold|early late|earlier later|
    public private|synchronous asynchronous|sync async|accept reject|accept decline|approve reject|add remove|
    required optional|mandatory optional|single married|fast slow|quick slow|cheap expensive|big small|
    large small|happy sad|happy unhappy|easy hard|easy difficult|safe unsafe|safe dangerous|north south|
    east west|summer winter|win lose|arrive leave|join leave|hire fire|pass fail|succeed fail|
    upgrade downgrade|minimum maximum|min max|manual automatic|manually automatically|online offline|
    remote onsite|internal external|active inactive|healthy unhealthy|encrypted unencrypted|signed unsigned|
    up down|full empty|true false|yes no|rise fall|gain lose|grow shrink|strong weak|high low|long short|
    quiet loud|calm noisy|tall short|wet dry|sweet bitter|agree disagree|trust distrust|include exclude|
    mutable immutable|stateful stateless|ascending descending|visible hidden|vegetarian carnivore|
    employed unemployed|able unable|possible impossible|available unavailable|stable unstable|known unknown|
    window aisle|indoors outdoors|indoor outdoor|alone together"""
)
"""Words that contradict each other about one thing."""

ALTERNATIVES: Final = _partners(
    """dog cat|brother sister|mother father|mom dad|mum dad|son daughter|uncle aunt|husband wife|nephew niece|
    boy girl|grandmother grandfather|grandma grandpa|boyfriend girlfriend|tea coffee|staging production|
    staging prod|dev prod|development production|frontend backend|client server|read write|reads writes|
    import export|upload download|primary secondary|primary replica|breakfast dinner|breakfast lunch|
    lunch dinner|spring autumn|piano guitar|request response|cpu memory|memory disk|input output|
    sender receiver|buyer seller|teacher student|buy sell|parent child|lend borrow|give receive|push pull|
    old new|next previous|first last|work home|red blue|red green|black white|blue green|wine beer|car bike|
    bus train|plane train|monthly weekly|daily weekly|hourly daily|nightly weekly|monthly yearly|
    quarterly monthly|weekly yearly|unit integration|android ios|mac windows|mac linux|windows linux|get post|
    create delete|lock unlock|encode decode|encrypt decrypt|horizontal vertical|errors warnings|
    warning critical|inbound outbound|ingress egress|incoming outgoing|knee shoulder|ankle wrist|
    upstream downstream|liveness readiness|authentication authorization"""
)
"""Words that name different things of a kind: both statements can hold, so they are never the same one."""

SYNONYMS: Final = _groups(
    """like love enjoy adore prefer favour favor fond favourite favorite|use utilise utilize employ run rely|
    buy purchase get acquire bought|work job employed|live reside based|big large huge|
    start begin launch boot kick startup|finish end complete|fix repair mend solve resolve|
    make create build write|need require must|show display render|call name named|talk speak chat|
    doctor physician|kid child children|mom mum mother|dad father|car vehicle auto automobile|house home|
    movie film|job work position|staff employee|error fault failure bug|delete remove erase drop|
    allow permit let|often frequently regularly|every each daily|quick fast rapid|holiday vacation|shop store|
    choose chose chosen pick select opt|
    move relocate|break broke fracture|cancel end terminate|switch turn|author writer|
    afraid fear scared|receive get|host run|retain keep|short brief concise|use built|
    leave depart|plan intend want going|
    keep store save hold|return go|see view watch|trip journey travel|begin commence|sick ill unwell|
    forbid forbidden prohibit ban banned|configure config configuration set setup|crash fail break broke|
    deploy release ship rollout deployment|test check verify|postgres postgresql pg|kubernetes k8s|
    marry married marriage wedding|js javascript|repo repository|db database|docs documentation"""
)


def swaps(
    first: frozenset[str], second: frozenset[str], table: Mapping[str, frozenset[str]]
) -> frozenset[tuple[str, str]]:
    """Pairs (stem of the first, excluding stem of the second) where neither text holds both."""
    return frozenset(
        (word, other)
        for word in first - second
        for other in table.get(word, ())
        if other in second and other not in first
    )


def is_same_word(first: str, second: str) -> bool:
    """Whether two stems are equal, begin with the same five letters or are synonyms."""
    if first == second:
        return True
    if min(len(first), len(second)) >= 5 and first[:5] == second[:5]:
        return True
    return not _GROUPS.get(first, _NO_GROUPS).isdisjoint(_GROUPS.get(second, _NO_GROUPS))


_NO_GROUPS: Final[frozenset[int]] = frozenset()
_GROUPS: Final = {
    word: frozenset(number for number, group in enumerate(SYNONYMS) if word in group)
    for group in SYNONYMS
    for word in group
}
"""Which groups of synonyms a stem is in: dedup asks for every pair of words."""
