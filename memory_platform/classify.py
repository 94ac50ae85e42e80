"""What a statement is about and what sort of knowledge it is, by keywords and wording."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memory_platform.model import CategoryRule, Kind, Priority, Retention
from memory_platform.terms import terms

TAXONOMY_VERSION: Final = 1
OTHER: Final = "other"
ALIASES: Final = {"people-relationships": "relationships"}


def _rule(slug: str, keywords: str, *, ttl_days: int = 90, operational: bool = False) -> CategoryRule:
    """λ 0.01 everywhere; the slugs and TTLs are DESIGN's sections 5 and 6."""
    return CategoryRule(
        slug=slug,
        keywords=tuple(keyword.strip().replace("_", " ") for keyword in keywords.split()),
        ttl_days=ttl_days,
        decay_lambda=0.01,
        retention=Retention.OPERATIONAL if operational else Retention.EBBINGHAUS,
        operational=operational,
    )


DEFAULT_CATEGORIES: Final[tuple[CategoryRule, ...]] = (
    _rule(
        "work",
        """job work career office boss manager colleague coworker team meeting promotion salary interview client
        customer company business startup internship intern hired fired resign employer employee profession degree
        university college school class course exam study student professor graduate graduation certification resume
        conference presentation investor store shop sales marketing freelance shift retire""",
    ),
    _rule(
        "preferences",
        """prefer preference favourite favorite rather dislike hate can't_stand fond fan always_use never_use
        would_rather taste style vegetarian vegan dark_mode light_mode""",
        ttl_days=180,
    ),
    _rule(
        "health",
        """health healthy doctor hospital clinic nurse dentist surgery allergy allergic asthma diabetes medicine
        medication pill vaccine diet weight sleep insomnia pain illness sick disease injury injured hurt ankle
        therapy therapist counseling counselor mental anxiety depression stress blood heart fitness gym workout
        yoga meditation pregnant pregnancy symptom diagnosed recovery""",
        ttl_days=365,
    ),
    _rule(
        "hobbies",
        """hobby game gaming tournament guitar piano violin music song concert band album sing dance dancing paint
        painting draw drawing art pottery photography photo hiking hike running run race climbing swim swimming
        cycling camping fishing surfing skiing football soccer basketball baseball tennis read reading book novel
        poem write writing screenplay movie film series cook cooking bake baking recipe garden gardening plant knit
        craft travel trip vacation holiday beach museum board_game chess volunteer""",
        ttl_days=60,
    ),
    _rule(
        "relationships",
        """wife husband spouse partner girlfriend boyfriend fiance fiancee mother father mom mum dad parents sister
        brother sibling friend friendship son daughter kid kids child children baby family grandma grandpa grandmother
        grandfather grandparent aunt uncle cousin nephew niece married marriage divorced wedding engaged engagement
        anniversary birthday neighbour neighbor roommate dating breakup adopt adoption pet dog cat puppy kitten""",
        ttl_days=180,
    ),
    _rule(
        "rules-conventions",
        """rule rules convention policy standard guideline forbidden required mandatory must must_not never_commit
        always_use style_guide naming lint format code_review coding_standard agreed compliance prohibited""",
    ),
    _rule(
        "system-architecture",
        """architecture service microservice database schema api endpoint module component cluster queue broker cache
        frontend backend server client library framework ADR design_decision protocol topic index table replica
        gateway proxy container kubernetes docker postgres postgresql redis neo4j kafka graphql rest interface
        layer repository monolith event_sourcing""",
    ),
    _rule(
        "operations",
        """deploy deployment deployed release released rollback rollout incident outage alert monitoring on-call runbook
        production staging pipeline ci cd dashboard log logs metric uptime downtime slo pager restart restarted
        autoscaling traffic""",
        operational=True,
    ),
    _rule(
        "memory-system",
        """memory memories recall remember forget memory.md context_window embedding agent_memory knowledge_base
        summary checkpoint session_start""",
    ),
    _rule(
        "projects",
        """project milestone deadline roadmap sprint backlog launch launched prototype mvp deliverable scope
        stakeholder requirement feature epic ticket release_plan plan planning goal proposal demo""",
    ),
    _rule(
        "timing",
        """takes duration seconds minutes milliseconds ms latency slow fast timeout timeouts startup p95 p99 throughput
        benchmark warm-up schedule cron nightly every_night""",
        operational=True,
    ),
    _rule(
        "dependency",
        """depends dependency dependencies requires upstream downstream package version pinned upgrade_to compatible
        incompatible lockfile import blocked_by relies prerequisite""",
        operational=True,
    ),
    _rule(
        "behavior",
        """behaves behavior behaviour returns crashes crash leaks leak flaky retries fails failing bug error errors
        exception throws hangs race_condition deadlock unexpected regression""",
        operational=True,
    ),
    _rule(
        "remediation",
        """fix fixed fixes workaround remedy resolve resolved mitigate mitigation hotfix patch patched solved solution
        root_cause reverted revert restart_fixes clearing""",
        operational=True,
    ),
    _rule(
        "maintenance",
        """maintenance backup backups upgrade upgraded migrate migration cleanup rotate rotation vacuum reindex prune
        archive renewal certificate housekeeping patching""",
        operational=True,
    ),
    _rule(OTHER, ""),
)


def category_of(text: str, categories: Sequence[CategoryRule] = DEFAULT_CATEGORIES) -> str:
    """The slug with the most keywords in `text`, by stem; the earlier one on a tie, "other" when none occurs.

    What is merely liked belongs to what it is about: "preferences" wins only when no topic does.
    """
    index, order, phrases = _index(tuple(categories))
    scores: dict[str, float] = {}
    for term in terms(text):
        for slug, weight in index.get(term, ()):
            scores[slug] = scores.get(slug, 0.0) + weight
    lowered = text.casefold()
    for phrase, slug in phrases:
        if phrase in lowered:
            scores[slug] = scores.get(slug, 0.0) + 1.5
    if not scores:
        return OTHER
    return min(scores, key=lambda slug: (-scores[slug], order[slug]))


def known_category(name: str, categories: Sequence[CategoryRule]) -> str | None:
    """The slug a writer meant, through its aliases; None if this tenant has no such category."""
    slug = name.strip().casefold().replace("_", "-").replace(" ", "-")
    slug = ALIASES.get(slug, slug)
    return slug if any(rule.slug == slug for rule in categories) else None


@lru_cache(maxsize=64)
def _index(
    categories: tuple[CategoryRule, ...],
) -> tuple[dict[str, list[tuple[str, float]]], dict[str, int], tuple[tuple[str, str], ...]]:
    """Stem → (slug, weight): a keyword shared by n categories counts 1/n, because it tells them apart less."""
    owners: dict[str, list[str]] = {}
    phrases: list[tuple[str, str]] = []
    for rule in categories:
        for keyword in rule.keywords:
            stems = list(terms(keyword))
            if len(keyword.split()) > 1:
                phrases.append((keyword.casefold(), rule.slug))
            elif stems and rule.slug not in owners.setdefault(stems[0], []):
                owners[stems[0]].append(rule.slug)
    index = {stem: [(slug, 1 / len(slugs)) for slug in slugs] for stem, slugs in owners.items()}
    return index, {rule.slug: position for position, rule in enumerate(categories)}, tuple(phrases)


_KINDS: Final = (
    (
        Kind.LESSON,
        re.compile(
            r"\b(?:lessons? (?:learned|learnt)|learned the hard way|(?:i|we) (?:\w+ )?(?:learned|learnt) (?:that"
            r"|to|not to)"
            r"|next time (?:i|we)\b|should(?:n't)? have \w+ed|never again|note to self|turns out)",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.PROCEDURE,
        re.compile(
            r"^to \w+[^,]{2,60}, (?:first |then )?(?:run|use|open|call|click|add|set|go|start|stop|execute|type"
            r"|press|apply)\b"
            r"|\b(?:steps? (?:to|for|are)|first,? .{3,80}\bthen\b|how to \w+|run `[^`]+`|by running\b|procedure"
            r"|runbook)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.RULE,
        re.compile(
            r"^(?:always|never|do not|don't|please (?:always|never|don't))\b|\b(?:must(?: not|n't)?|(?:is"
            r"|are) (?:forbidden"
            r"|required|mandatory|prohibited|not allowed)|the (?:rule|policy|convention) is|(?:our|the) (?:rule|policy"
            r"|convention|standard)s?\b|we (?:always|never)\b|should (?:always|never))",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.PREFERENCE,
        re.compile(
            r"\b(?:prefer(?:s|red|ence)?|favou?rites?|(?:really |also |just |absolutely )?(?:love|loves|like|likes"
            r"|enjoy"
            r"|enjoys|hate|hates|dislike|dislikes|adore|adores)\b|would rather|can't stand|(?:big |huge )?fan of"
            r"|fond of"
            r"|into (?:\w+ing|music|art|sports)|not a fan|passionate about)",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.REFLECTION,
        re.compile(
            r"\b(?:made me (?:realise|realize|think|reflect|appreciate)|looking back|i(?:'ve)? (?:realised"
            r"|realized|come to)"
            r"|reminds? me (?:that|of|to)|taught me|i've been thinking)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.INSIGHT,
        re.compile(
            r"\b(?:root cause|the reason (?:is|was|why)|which (?:means|explains)|it follows|key insight)\b", re.I
        ),
    ),
    (
        Kind.OPINION,
        re.compile(
            r"\b(?:i (?:think|believe|feel that|find|guess)|in my (?:opinion|view)|imo|if you ask me|is (?:so "
            r"|really |very )?"
            r"(?:important|overrated|underrated|the best|the worst|worth it)|i(?:'m| am) convinced)\b",
            re.IGNORECASE,
        ),
    ),
)

_HIGH: Final = re.compile(
    r"\b(?:allerg\w+|diagnos\w+|surgery|hospital\w*|pregnan\w+|emergency|died|passed away|funeral|married|wedding"
    r"|engaged"
    r"|divorc\w+|born|birthday|anniversary|deadline|due (?:on|by)|critical|urgent|important|never|must|always"
    r"|forbidden"
    r"|security|outage|incident|decided|decision|agreed|promised|moved to|moving to|hired|fired|quit|graduat\w+"
    r"|adopt\w+"
    r"|accepted|promoted|broke|lost my|my name is|lives? in|root cause)\b",
    re.IGNORECASE,
)


def kind_of(sentence: str) -> Kind:
    """The first wording that fits, from the most to the least specific; FACT when none does."""
    return next((kind for kind, pattern in _KINDS if pattern.search(sentence)), Kind.FACT)


def priority_of(sentence: str, *, informativeness: float) -> Priority:
    """HIGH for what would hurt to forget and for the most informative; LOW below 0.5; both on the scale 0..1."""
    if _HIGH.search(sentence) or informativeness >= 0.9:
        return Priority.HIGH
    return Priority.LOW if informativeness < 0.5 else Priority.MEDIUM
