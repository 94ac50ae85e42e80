"""The recall explorer: ask as an agent would, see why it is answered so, and what other numbers would make of it.

Questions come by POST, so that none stands in an address or a log. They are trials: nothing is kept of them but what
they spent, and no memory counts as used because somebody looked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from pydantic import ValidationError

from apps.api import verbs
from apps.api.contract import problem_of
from apps.api.gateway import Gateway
from apps.api.recall.contract import Hit, Recall
from apps.api.simulation import handlers
from apps.api.simulation.contract import CategoryChange, ContextTrialInput, PolicyChange, RecallTrialInput
from apps.console.asking import Asker, asker
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Invalid, MemoryPlatformError
from memory_platform.model import CategoryRule, ContextStyle, Profile, TrustTag

ARMS: Final = ("vector", "keyword", "graph", "time")
FACTORS: Final = ("decay", "stale", "priority", "sentiment", "domain")
NUMBERS: Final[Mapping[str, str]] = {
    "relevance_floor": "Relevance floor",
    "stale_multiplier": "Stale multiplier",
    "off_domain_multiplier": "Off-domain multiplier",
    "sentiment_multiplier": "Sentiment multiplier",
    "priority_clamp": "Priority clamp",
}
"""Of the policy, those that an answer to one question shows."""
OF_CATEGORY: Final[Mapping[str, str]] = {"ttl_days": "Its TTL in days", "decay_lambda": "Its decay λ"}
"""Of a category, those that an answer shows: from when on a hit is tagged stale, and what age takes from its score."""
VIEWS: Final[Mapping[str, str]] = {"hits": "Hits", "block": "Context block", "numbers": "Other numbers"}


@dataclass(frozen=True, slots=True)
class TriedNumber:
    """A number as it is (None: there is none, or its category is not chosen), and as it was typed to be tried."""

    name: str
    label: str
    present: float | None
    tried: str


@dataclass(frozen=True, slots=True)
class ArmScore:
    """What an arm gave a hit (None: it was silent), and how much that is of the most it gave any (0..1)."""

    name: str
    value: float | None
    share: float


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit with what each arm gave it, and the factors that moved its score."""

    hit: Hit
    arms: Sequence[ArmScore]
    factors: Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Moved:
    """A hit before and after: None where it is no hit."""

    hit: Hit
    was: Hit | None
    now: Hit | None

    @property
    def fate(self) -> str:
        if self.was is None:
            return "new"
        if self.now is None:
            return "lost"
        return "same" if self.was.rank == self.now.rank else "up" if self.now.rank < self.was.rank else "down"

    @property
    def gained(self) -> Sequence[TrustTag]:
        """Tags that it bears only with the numbers tried."""
        return _tags_only_of(self.now, self.was)

    @property
    def shed(self) -> Sequence[TrustTag]:
        """Tags that it bears only with the present ones."""
        return _tags_only_of(self.was, self.now)


def explorer(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    return _page(request, gateway, asker(gateway, request.GET), request.GET)


def answer(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """The page with an answer. What cannot be asked comes back with what was typed."""
    asking = asker(gateway, request.POST)
    if asking.gateway is None:
        return _page(request, gateway, asking, request.POST)
    try:
        told = _answered(asking.gateway, request.POST)
    except (MemoryPlatformError, ValidationError) as error:
        problem = problem_of(error)
        told = {"problem": problem, "view": request.POST.get("view", "hits")}
        return _page(request, gateway, asking, request.POST, told, status=problem.status)
    return _page(request, gateway, asking, request.POST, told)


def _answered(gateway: Gateway, given: QueryDict) -> Mapping[str, object]:
    view = given.get("view", "hits")
    if view not in VIEWS:
        raise Invalid("There is no such view.", field="view", hint=f"One of {', '.join(VIEWS)}.")
    if view == "block":
        return {"view": view, "packed": handlers.try_context(gateway, _context(given))}
    found = handlers.try_recall(gateway, _recall(given))
    missed = found.explanation.below_floor if found.explanation else []
    shown = _shown([*found.hits, *missed])
    told: dict[str, object] = {"view": view, "found": found}
    told |= {"hits": shown[: len(found.hits)], "below": shown[len(found.hits) :]}
    if view == "numbers":
        changed = _tried(given)
        other = handlers.try_recall(gateway, _recall(given, changed))
        told |= {"changed": changed, "other": other, "moved": list(_moves(found, other))}
    return told


def _recall(given: QueryDict, policy: PolicyChange | None = None) -> RecallTrialInput:
    return RecallTrialInput(
        query=_question(given),
        profile=Profile(_one_of(given, "profile", Profile)),
        explain=True,
        policy=policy or PolicyChange(),
    )


def _context(given: QueryDict) -> ContextTrialInput:
    return ContextTrialInput(
        query=_question(given),
        profile=Profile(_one_of(given, "profile", Profile)),
        style=ContextStyle(_one_of(given, "style", ContextStyle)),
        explain=True,
    )


def _question(given: QueryDict) -> str:
    """Raises Invalid."""
    question = str(given.get("question", ""))
    if not question.strip():
        raise Invalid("The question is empty.", field="question", hint="Ask as you would ask the agent.")
    return question


def _one_of(given: QueryDict, name: str, choices: type[Profile] | type[ContextStyle]) -> str:
    """What was chosen, the default where nothing was. Raises Invalid."""
    known = [choice.value for choice in choices]
    default = Profile.AUTO.value if choices is Profile else ContextStyle.FACTS.value
    chosen = given.get(name) or default
    if chosen not in known:
        raise Invalid(f"{name} is one of {', '.join(known)}.", field=name)
    return chosen


def _tried(given: QueryDict) -> PolicyChange:
    """The numbers that were typed; an empty field leaves its number as it is. Raises Invalid, ValidationError."""
    return PolicyChange.model_validate({**_typed(given, NUMBERS), "categories": _tried_category(given)})


def _tried_category(given: QueryDict) -> tuple[CategoryChange, ...]:
    """The numbers of the category that was chosen, if any was typed. Raises Invalid, ValidationError."""
    typed = _typed(given, OF_CATEGORY)
    if typed and not given.get("category"):
        raise Invalid("Choose the category whose numbers are to be tried.", field="category")
    return (CategoryChange.model_validate({"slug": given["category"], **typed}),) if typed else ()


def _typed(given: QueryDict, names: Iterable[str]) -> dict[str, str]:
    return {name: str(given[name]) for name in names if given.get(name, "").strip()}


def _shown(hits: Sequence[Hit]) -> list[ShownHit]:
    most = {name: max((getattr(hit.scores, name) or 0.0 for hit in hits), default=0.0) for name in ARMS}
    return [
        ShownHit(
            hit,
            [_arm(name, getattr(hit.scores, name), most[name]) for name in ARMS],
            [
                (name, factor)
                for name in FACTORS
                if (factor := getattr(hit.scores, name)) is not None and round(factor, 2) != 1.0
            ],
        )
        for hit in hits
    ]


def _arm(name: str, value: float | None, most: float) -> ArmScore:
    return ArmScore(name, value, max(0.0, value) / most if value and most > 0 else 0.0)


def _moves(before: Recall, after: Recall) -> Iterator[Moved]:
    """Every hit of either answer, in the order of the new one; those that fell out last."""
    were, are = ({hit.id: hit for hit in each.hits} for each in (before, after))
    for hit_id in dict.fromkeys((*are, *were)):
        yield Moved(are.get(hit_id) or were[hit_id], were.get(hit_id), are.get(hit_id))


def _tags_only_of(one: Hit | None, other: Hit | None) -> list[TrustTag]:
    """What is a hit with either numbers is compared."""
    return [tag for tag in one.tags if tag not in other.tags] if one and other else []


def _page(
    request: HttpRequest,
    gateway: Gateway,
    asking: Asker,
    given: QueryDict,
    told: Mapping[str, object] = MappingProxyType({}),
    *,
    status: int = 200,
) -> HttpResponse:
    policy, rules = _present(gateway)
    rule = next((each for each in rules if each.slug == given.get("category")), None)
    shown = {
        "asking": asking,
        "question": given.get("question", ""),
        "profile": given.get("profile") or Profile.AUTO.value,
        "profiles": [profile.value for profile in Profile],
        "styles": [style.value for style in ContextStyle],
        "style": given.get("style") or ContextStyle.FACTS.value,
        "numbers": _offered(NUMBERS, policy, given),
        "categories": rules,
        "category": rule.slug if rule else "",
        "of_category": _offered(OF_CATEGORY, rule, given),
        "views": VIEWS,
        "view": "hits",
        "sure_from": policy.relevance_sure,
    }
    return render(request, "console/recall.html", {**shown, **told}, status=status)


def _offered(labels: Mapping[str, str], held: Policy | CategoryRule | None, given: QueryDict) -> list[TriedNumber]:
    return [TriedNumber(name, label, getattr(held, name, None), given.get(name, "")) for name, label in labels.items()]


def _present(gateway: Gateway) -> tuple[Policy, tuple[CategoryRule, ...]]:
    """The numbers as they are."""
    with gateway.open(verbs.VIEWER):
        tenant_id = gateway.principal.tenant_id
        return tenants.policy(tenant_id), tenants.category_rules(tenant_id)
