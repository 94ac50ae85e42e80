"""What a text says of the entities in it, by rule: subject, predicate, object; and what caused what. English.

The rules want the subject's name right before its verb and read only what is stated: no questions, wishes or plans. They
miss much and are seldom wrong, which is what an edge of the graph needs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memory_platform.knowledge.entities import Found
from memory_platform.knowledge.graph import RelationKind
from memory_platform.text.sentences import sentences

USER: Final = "user"
"""Name of whoever talks to the agent, where no other name is known."""
NAMED_CONFIDENCE: Final = 0.8
WORDS_CONFIDENCE: Final = 0.6
"""Confidence of a statement whose object is an entity, and of one whose object is only words."""
STATED_CAUSE: Final = 0.8
FOLLOWING_CAUSE: Final = 0.7
"""Confidence of a cause named in the same sentence, and of one the next message points back to."""
LONGEST_OBJECT: Final = 80
LONGEST_HALF: Final = 160
"""Letters of a cause or an effect: what is longer is several sentences run together."""


class Objects(StrEnum):
    """What may be the object of a predicate."""

    NAMES = "names"
    ANY = "any"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Predicate:
    """`is_single`: a subject has one value at a time, so that a newer one ends the older."""

    name: str
    kind: RelationKind
    objects: Objects
    is_single: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """Subject, predicate and object, names as the text has them (`object_is_name`: one of them, else words).

    A negated one ("no longer works at") ends the same statement made earlier.
    """

    subject: str
    predicate: str
    object: str
    object_is_name: bool
    kind: RelationKind
    negated: bool
    confidence: float
    quote: str


@dataclass(frozen=True, slots=True)
class Cause:
    """A sentence's cause and effect, as it words them, and the words that join the two."""

    cause: str
    effect: str
    connective: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Role:
    """Whose role (`owner`; USER: whoever speaks), its noun, and who has it: "my boss Anna"."""

    owner: str
    role: str
    name: str


_FACT, _TIE = RelationKind.FACT, RelationKind.ENTITY
_VERBS: Final[tuple[tuple[Predicate, str], ...]] = (
    (Predicate("works_at", _FACT, Objects.NAMES, is_single=True),
     r"(?:works?|worked|working|is employed|was hired)(?: as an? [\w -]{2,40}?)? (?:at|for|by)|joined|got a job (?:at|with)|started (?:working )?at"),
    (Predicate("left", _FACT, Objects.NAMES), r"(?:left|quit|resigned from|stopped working (?:at|for)|was (?:fired|laid off) (?:by|from))"),
    (Predicate("lives_in", _FACT, Objects.NAMES, is_single=True),
     r"(?:lives?|lived|living|resides?|resided|stays) (?:in|at)|(?:moved|relocated|moving|is relocating) (?:back )?to|settled in"),
    (Predicate("based_in", _FACT, Objects.NAMES, is_single=True), r"(?:is|are|was) (?:based|headquartered) (?:in|at)"),
    (Predicate("located_in", _TIE, Objects.NAMES), r"(?:is|are|was) (?:located|situated|hosted) (?:in|at|on)|is in|are in"),
    (Predicate("from", _TIE, Objects.NAMES), r"(?:is|comes|came|hails) (?:originally )?from|was born in|grew up in"),
    (Predicate("role", _FACT, Objects.WORDS, is_single=True),
     r"(?:works?|worked|working|was hired) as|became|was promoted to|is (?=(?:the |an? |our |acting |new |senior |lead )*(?:CEO|CTO|CFO|COO|VP|head|director|manager|lead|founder|owner|engineer|developer|teacher|nurse|doctor|designer|student|architect|lawyer|accountant|artist|writer|consultant|analyst|scientist|professor|chef|president|chair)\b)"),
    (Predicate("manages", _FACT, Objects.ANY, is_single=True),
     r"manages|managed|leads|led(?! to)|heads|oversees|supervises|is (?:in charge of|responsible for)|maintains"),
    (Predicate("depends_on", _TIE, Objects.NAMES), r"depends? (?:up)?on|requires?|relies on|rely on|needs"),
    (Predicate("uses", _FACT, Objects.NAMES),
     r"uses?|used(?! to)|is using|are using|runs? on|is (?:written|built|implemented|deployed) (?:in|on|with|to)|(?:switched|migrated|moved over|upgraded) to|adopted"),
    (Predicate("owns", _FACT, Objects.ANY), r"owns?|owned|bought|purchased"),
    (Predicate("belongs_to", _TIE, Objects.NAMES), r"belongs? to|is (?:a )?(?:part|member|subsidiary) of|is owned by|was acquired by"),
    (Predicate("founded", _TIE, Objects.NAMES), r"(?:co-?)?founded|started the company|established"),
    (Predicate("created", _TIE, Objects.NAMES), r"created|built|wrote|developed|designed|launched|authored"),
    (Predicate("studied_at", _FACT, Objects.NAMES), r"(?:studies|studied|is studying|graduated|got (?:a|his|her|their) degree) (?:at|from)|attends|attended"),
    (Predicate("visited", _FACT, Objects.NAMES),
     r"visited|(?:went|travell?ed|flew|drove|has been|took a trip|goes) to|(?:is|are) visiting|toured"),
    (Predicate("married_to", _FACT, Objects.NAMES, is_single=True), r"(?:is|got|was) (?:married|engaged) to|married"),
    (Predicate("met", _FACT, Objects.NAMES), r"met(?: up)?(?: with)?|ran into|knows"),
    (Predicate("dislikes", _FACT, Objects.ANY), r"dislikes?|hates?|hated|can't stand|cannot stand|avoids|is allergic to"),
    (Predicate("likes", _FACT, Objects.ANY), r"likes?|liked|loves?|loved|enjoys?|enjoyed|adores|prefers?|preferred|is (?:a (?:big |huge )?fan of|into|fond of)"),
    (Predicate("plays", _FACT, Objects.WORDS), r"plays|played|practi[cs]es|is learning"),
)  # fmt: skip
PREDICATES: Final = {predicate.name: predicate for predicate, _ in _VERBS}
"""By name; the roles people have for one another come on top (`is_single`)."""
_ENDS: Final = {"left": "works_at"}
"""Predicates that say another one no longer holds."""
_VERB: Final = re.compile(
    r"\b(?:" + "|".join(f"(?P<p{number}>{words})" for number, (_, words) in enumerate(_VERBS)) + r")\b", re.IGNORECASE
)

_SINGLE_ROLES: Final = "boss manager wife husband partner girlfriend boyfriend fiancé fiancée fiance fiancee mother father mom mum dad supervisor"
_OTHER_ROLES: Final = (
    "sister brother son daughter aunt uncle cousin niece nephew grandmother grandfather grandma grandpa colleague"
    " coworker co-worker teammate friend roommate neighbour neighbor mentor teacher therapist doctor coach assistant"
    " dog cat pet puppy kitten"
)
SINGLE_ROLES: Final = frozenset(_SINGLE_ROLES.split())
ROLES: Final = SINGLE_ROLES | frozenset(_OTHER_ROLES.split())
_ROLE: Final = "|".join(sorted((re.escape(role) for role in ROLES), key=len, reverse=True))
_OWNER: Final = r"(?P<owner>(?:[Mm]y|[Oo]ur)|(?:[Tt]he )?[Uu]ser['’]s|[A-Z][\w.-]*(?: [A-Z][\w.-]*)?['’]s)"
_NAME: Final = r"(?P<name>[A-Z][\w-]*(?:['’][A-Z]\w*)?(?: [A-Z][\w'-]*)?)"
_KIND_OF: Final = r"(?: (?:new|old|older|elder|younger|little|big|best|good|close|former|line|twin|current|late))*"
_ROLES_SAID: Final = (
    re.compile(rf"\b{_OWNER}{_KIND_OF} (?P<role>{_ROLE})(?:'s name)?,? (?:is |was |named |called |is called |is named )?{_NAME}(?!['’]s\b|\w)"),
    re.compile(rf"\b{_NAME}(?:,| is| was| became) {_OWNER}{_KIND_OF} (?P<role>{_ROLE})\b(?!['’]s| (?:is|was|named|called) [A-Z]|,? [A-Z])"),
)  # fmt: skip
_FORMER: Final = re.compile(r"\b(?:former|ex|late)\b|\bwas\b")

_BETWEEN: Final = re.compile(
    r"\A,?\s*(?:(?:\([^)]{0,40}\)|who|which|that|has|have|had|is|are|was|does|did|do|been|being|now|also|still|currently"
    r"|already|really|always|often|usually|recently|just|once|both|actually|absolutely|truly|finally|officially|originally"
    r"|not|never|no longer|n['’]t|doesn['’]t|didn['’]t|isn['’]t|wasn['’]t|don['’]t|hasn['’]t|used to|formerly|previously"
    r"|stopped|quit|and (?:his|her|their) \w+|anymore|each|all)\s*,?\s*)*\Z",
    re.IGNORECASE,
)
_CARRIED: Final = re.compile(
    r"(?:\A|\s|,)(?:and|but|,)\s*(?:(?:has|have|had|is|also|now|still|currently|later|then|recently|not|never|no longer"
    r"|doesn['’]t|didn['’]t|used to|he|she|they|it)\s+)*\Z",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"\b(?:not|never|no longer|used to|formerly|previously|stopped|quit|cannot)\b|n['’]t\b", re.IGNORECASE
)
_UNREAL: Final = re.compile(
    r"\b(?:if|would|could|might|may|should|wants? to|wanted to|wish(?:es)?|hopes? to|hoped to|plans? to|planning to|thinking (?:of|about)"
    r"|considers?|considering|maybe|perhaps|whether|going to|will|dreams? of|hypothetically)\s+(?:[\w'’]+\s+){0,3}\Z",
    re.IGNORECASE,
)  # fmt: skip
_ENDED: Final = re.compile(r"\b(?:anymore|any more|any longer|until|before)\b", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"\A\s*(?:(?:the|an?|his|her|their|our|my|its|some|both|a new)\s+)?", re.IGNORECASE)
_STOP: Final = re.compile(
    r"[.,;:!?()\n\"“”]|\s+(?:and|but|because|since|so|when|while|where|which|who|as|after|before|until|although|though"
    r"|if|for|with|to|at|in|on|from|every|than|due|last|this|these|that|yesterday|today)\b|\s+-\s",
    re.IGNORECASE,
)
_NEXT_OBJECT: Final = re.compile(r"\A(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)(?:the\s+|an?\s+)?")
# A word that makes a name part of something longer: "an LGBTQ conference", "the Berlin office".
_GOES_ON: Final = re.compile(
    r"\s+(?!(?:a|an|and|also|again|ago|alone|all|another|as|at|because|before|after|both|but|by|during|each|every|for|from|had|has|here"
    r"|if|in|instead|into|is|last|near|next|nor|not|now|of|on|once|or|over|per|since|so|soon|the|their|his|her|then|there|this|to"
    r"|today|together|tomorrow|too|twice|under|until|via|was|when|where|while|which|who|with|without|yesterday|\w+ly)\b)[a-z]{2,}"
)
_NO_OBJECT: Final = re.compile(
    r"\d|(?:it|its|to|this|that|these|those|them|him|her|you|us|me|how|what|when|where|why|who|which|everywhere|everything|is|was|are"
    r"|be|being|so|not|one|some|each|anyone|someone|ton|lot|on|in|at|with|for|from|about|by|of)\b",
    re.IGNORECASE,
)
_BASE_FORM: Final = re.compile(r"(?:love|like|work|use|enjoy|hate|live|own|need|require|prefer)\b", re.IGNORECASE)
_ME: Final = re.compile(r"\bI(?:['’](?:m|ve|d))?\b|\b[Tt]he user\b|\b[Uu]ser\b")
_QUESTION: Final = re.compile(r"\?\s*[\"'”’)]*\s*\Z")


def is_single(predicate: str) -> bool:
    """Whether a subject has one value of the predicate at a time."""
    known = PREDICATES.get(predicate)
    return known.is_single if known else predicate in SINGLE_ROLES


def statements(text: str, names: Sequence[Found], *, speaker: str | None = None) -> tuple[Statement, ...]:
    """What `text` states of the `names` found in it (entities.find), and of `speaker` by "I" (None: of USER)."""
    found: dict[tuple[str, str, str, bool], Statement] = {}
    for sentence in sentences(text):
        if _QUESTION.search(sentence.text):
            continue
        start = sentence.start
        inside = [
            Found(one.name, one.form, one.start - start)
            for one in _occurrences(text, names)
            if start <= one.start < start + len(sentence.text)
        ]
        for said in (*_said(sentence.text, inside, speaker), *_role_statements(sentence.text, inside, speaker)):
            found.setdefault((said.subject, said.predicate, said.object, said.negated), said)
    return tuple(found.values())


def roles(text: str, *, speaker: str | None = None) -> tuple[Role, ...]:
    """Who is somebody's boss, sister, dog, …: "my boss Anna", "Anna is my boss". `owner` is a name or USER."""
    said = {}
    for pattern in _ROLES_SAID:
        for match in pattern.finditer(text):
            name = match["name"].removesuffix("'s").removesuffix("’s")
            owner = _owner(match["owner"], speaker)
            if name.casefold() in ROLES or name in {owner, "The", "My", "Our"} or _FORMER.search(match[0]):
                continue
            said[owner, match["role"], name] = Role(owner, match["role"].casefold(), name)
    return tuple(said.values())


def role_name(role: Role) -> str:
    """What the role is called: "my boss" for the speaker's own, "Caroline's boss" for somebody else's."""
    return f"my {role.role}" if role.owner == USER else f"{role.owner}'s {role.role}"


def _owner(owner: str, speaker: str | None) -> str:
    if owner.casefold() in {"my", "our"}:
        return speaker or USER
    name = re.sub(r"['’]s\Z", "", owner)
    return USER if name.casefold() in {"user", "the user"} else name


def _occurrences(text: str, names: Sequence[Found]) -> list[Found]:
    """Every place a name stands: entities.find tells only the first."""
    places = []
    for one in names:
        at = one.start
        while at >= 0:
            places.append(Found(one.name, one.form, at))
            at = text.find(one.name, at + len(one.name))
    return sorted(places, key=lambda place: (place.start, -len(place.name)))


def _said(sentence: str, names: Sequence[Found], speaker: str | None) -> Iterator[Statement]:
    subjects = _subjects(sentence, names, speaker)
    carried: str | None = None
    for match in _VERB.finditer(sentence):
        if any(one.start < match.end() and match.start() < one.start + len(one.name) for one in names):
            continue
        predicate = _VERBS[int((match.lastgroup or "p0")[1:])][0]
        subject, between = _subject(sentence, match.start(), subjects, carried)
        if subject is None or _UNREAL.search(sentence[: match.start()]):
            continue
        carried = subject
        yield from _with_objects(sentence, match, predicate, subject, between, names)


def _with_objects(
    sentence: str, match: "re.Match[str]", predicate: Predicate, subject: str, between: str, names: Sequence[Found]
) -> Iterator[Statement]:
    rest = sentence[match.end() :]
    negated = bool(_NEGATED.search(between)) or predicate.name in _ENDS or bool(_ENDED.search(rest[:80]))
    name = _ENDS.get(predicate.name, predicate.name)
    for thing, is_name in _objects(sentence, match.end(), predicate, names):
        if thing.casefold() != subject.casefold():
            confidence = NAMED_CONFIDENCE if is_name else WORDS_CONFIDENCE
            yield Statement(subject, name, thing, is_name, predicate.kind, negated, confidence, sentence)


def _subjects(sentence: str, names: Sequence[Found], speaker: str | None) -> list[tuple[int, int, str]]:
    """Start, end and name of everything a verb could belong to."""
    own = [(match.start(), match.end(), speaker or USER) for match in _ME.finditer(sentence)]
    return sorted([*own, *((one.start, one.start + len(one.name), one.name) for one in names)])


def _subject(
    sentence: str, verb: int, subjects: Sequence[tuple[int, int, str]], carried: str | None
) -> tuple[str | None, str]:
    """Whose verb it is, and the words between: the name right before it, or the one before an "and"."""
    before = [one for one in subjects if one[1] <= verb]
    if before:
        _, end, name = before[-1]
        between = sentence[end:verb]
        if _BETWEEN.match(between) and not _is_object_of_preposition(sentence, before[-1][0]):
            return name, between
    joined = _CARRIED.search(sentence[:verb])
    is_verb = joined is not None and not _BASE_FORM.match(sentence, verb)
    return (carried, joined[0]) if carried and joined and is_verb else (None, "")


def _is_object_of_preposition(sentence: str, start: int) -> bool:
    """Whether a name belongs to what is before it: "the manager of Anna lives"."""
    return (
        re.search(r"\b(?:of|with|by|about|for|from|at|in|to)\s+(?:the\s+)?\Z", sentence[:start], re.IGNORECASE)
        is not None
    )


def _objects(sentence: str, start: int, predicate: Predicate, names: Sequence[Found]) -> Iterator[tuple[str, bool]]:
    """The objects behind a verb: names, several of them joined by commas and "and", or words up to the next clause."""
    article = _ARTICLE.match(sentence[start:])
    at = start + (article.end() if article else 0)
    by_start = {one.start: one for one in reversed(names)}
    if predicate.objects is not Objects.WORDS and at in by_start:
        while at in by_start:
            if _GOES_ON.match(sentence, at + len(by_start[at].name)):
                return
            yield by_start[at].name, True
            at += len(by_start[at].name)
            joint = _NEXT_OBJECT.match(sentence[at:])
            if joint is None or predicate.is_single:
                return
            at += joint.end()
    elif predicate.objects is not Objects.NAMES:
        words = _STOP.split(sentence[at:], maxsplit=1)[0].strip()
        if 2 <= len(words) <= LONGEST_OBJECT and not _NO_OBJECT.match(words):
            yield words, False


def _role_statements(sentence: str, names: Sequence[Found], speaker: str | None) -> Iterator[Statement]:
    known = {one.name for one in names}
    for role in roles(sentence, speaker=speaker):
        name = role.name if role.name in known else next((one for one in known if one.startswith(role.name)), None)
        if name is not None:
            yield Statement(role.owner, role.role, name, True, _TIE, False, NAMED_CONFIDENCE, sentence)


# Causes.

_BECAUSE: Final = re.compile(
    r"(?P<effect>[^.!?\n]{6,}?),?\s+(?P<connective>because of|because|due to|owing to|thanks to|as a result of|as a consequence of"
    r"|(?:was|were|is|are) caused by|resulted from|stems? from)\s+(?P<cause>[^.!?\n]{4,})",
    re.IGNORECASE,
)
_LEADS_TO: Final = re.compile(
    r"(?P<cause>[^.!?\n]{6,}?)(?:,\s*which|\s+and\s+(?:that|this)|,)?\s+(?P<connective>led to|leads to|caused|causes|resulted in|results in"
    r"|triggered|brought about|made it possible to|so that)\s+(?P<effect>[^.!?\n]{4,})",
    re.IGNORECASE,
)
_SO: Final = re.compile(
    r"(?P<cause>[^.!?\n]{6,}?)[,;]\s+(?:and\s+)?(?P<connective>so|therefore|hence|thus|consequently|as a result|that['’]s why|which is why)"
    r",?\s+(?P<effect>(?!far\b|much\b|many\b|on\b|good\b|nice\b|cool\b|glad\b|happy\b|excited\b|proud\b|fun\b|how\b|can\b|could\b|what\b|here\b|any\b|please\b|let\b|do\b|is there\b)[^.!?\n]{6,})",
    re.IGNORECASE,
)
_FRONTED: Final = re.compile(
    r"\A\W*(?P<connective>because of|because|due to|owing to|thanks to|as a result of)\s+(?P<cause>[^.!?,\n]{4,}),\s+(?P<effect>[^.!?\n]{6,})",
    re.IGNORECASE,
)
_CONNECTIVE: Final = re.compile(
    r"\b(?:because|due to|owing to|thanks to|as a (?:result|consequence)|caused|causes|result(?:s|ed)|stems?|led to|leads to"
    r"|triggered|brought about|made it possible|so|therefore|hence|thus|consequently|why)\b",
    re.IGNORECASE,
)
_CAUSES: Final = (_FRONTED, _BECAUSE, _LEADS_TO, _SO)
_POINTS_BACK: Final = re.compile(
    r"\A\W*(?:and\s+|but\s+)?(?P<connective>because of (?:that|this)|as a result|therefore|consequently|hence|thus|that['’]s why|that is why"
    r"|this is why|for (?:that|this) reason|so (?=(?:we|i|they|he|she|it)\b)|(?:this|that|which) (?:led|leads) to|(?:this|that) (?:caused|resulted in)"
    r"|due to (?:that|this))\b",
    re.IGNORECASE,
)
_EXPLAINS_BACK: Final = re.compile(
    r"\A\W*(?P<connective>(?:that['’]s|that is|this is|it['’]s|it is|it was) because|because|the reason (?:is|was))\b", re.IGNORECASE
)  # fmt: skip


def causes(text: str) -> tuple[Cause, ...]:
    """What `text` says caused what, one at most a sentence; questions say nothing."""
    found = (_cause(sentence.text) for sentence in sentences(text) if not _QUESTION.search(sentence.text))
    return tuple(cause for cause in found if cause is not None)


def _cause(sentence: str) -> Cause | None:
    if not _CONNECTIVE.search(sentence):
        return None
    for pattern in _CAUSES:
        match = pattern.search(sentence)
        if match and max(len(match["cause"]), len(match["effect"])) <= LONGEST_HALF:
            cause, effect = match["cause"].strip(" ,;"), match["effect"].strip(" ,;")
            return Cause(cause, effect, match["connective"].casefold(), STATED_CAUSE)
    return None


def points_back(text: str) -> tuple[str, bool] | None:
    """The connective with which `text` takes up what was said just before it, if it does.

    The flag is True when the text before is the cause ("Therefore …"), False when this one is ("That's because …").
    """
    if match := _EXPLAINS_BACK.match(text):
        return match["connective"].casefold(), False
    if match := _POINTS_BACK.match(text):
        return match["connective"].strip().casefold(), True
    return None
