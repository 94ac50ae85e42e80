"""What nobody took for a change when it was stored is seen beside what it changes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from typing_extensions import override

from apps.core import providers
from apps.core.scope import Scope, enter
from apps.memory import services as memory
from apps.memory.models import Item, ItemLink
from apps.retrieval.requests import ContextRequest, RecallRequest
from apps.retrieval.results import RecallResult
from apps.retrieval.services import context, recall
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.errors import ProviderRetryable
from memory_platform.model import ClaimRelation, Profile, TrustTag
from memory_platform.retrieval.currentness import MOST_PAIRS

RED, BLUE = "Mara's car is a red Volvo.", "Mara's car is a blue Volvo."
QUESTION = "Is Mara's car a red Volvo?"
MAY = datetime(2026, 5, 4, 9, tzinfo=UTC)


def ask(within: Scope, **options: object) -> RecallResult:
    return recall(RecallRequest(query=QUESTION, **options), within=within)


def shown(answer: RecallResult) -> list[tuple[str, bool]]:
    return [(hit.text, TrustTag.PROBABLY_SUPERSEDED in hit.tags) for hit in answer.hits]


@pytest.fixture
def told(know: Callable[..., object], judge: ScriptedJudge) -> None:
    """Two facts that were stored side by side, of which the newer has probably replaced the older."""
    know(RED, occurred_at=MAY)
    know(BLUE, occurred_at=MAY + timedelta(days=9))
    judge.relations[RED, BLUE] = ClaimRelation(update=0.5, distinct=0.5)
    judge.pairs.clear()


def test_a_hit_that_another_has_probably_replaced_comes_behind_it_and_says_so(told, within: Scope):
    assert shown(ask(within)) == [(BLUE, False), (RED, True)]


def test_the_same_hits_are_judged_once(told, judge: ScriptedJudge, within: Scope):
    first = shown(ask(within))
    asked = list(judge.pairs)

    assert shown(ask(within, limit=2)) == first
    assert (len(asked), judge.pairs) == (1, asked)


def test_messages_are_compared_as_facts_are(say, judge: ScriptedJudge, within: Scope):
    say(RED, session="one", at=MAY)
    say(BLUE, session="two", at=MAY + timedelta(days=9))
    judge.relations[RED, BLUE] = ClaimRelation(update=0.5, distinct=0.5)

    assert shown(ask(within)) == [(BLUE, False), (RED, True)]


def test_a_context_marks_what_is_probably_replaced(told, within: Scope):
    text = context(ContextRequest(query=QUESTION), within=within).text

    assert f"[{TrustTag.PROBABLY_SUPERSEDED}]" in next(line for line in text.splitlines() if "red" in line)
    assert f"[{TrustTag.PROBABLY_SUPERSEDED}]" not in next(line for line in text.splitlines() if "blue" in line)


def test_what_was_confirmed_since_stays_where_it_is(told, within: Scope):
    with enter(within):
        memory.confirm(Item.objects.get(tenant_id=within.tenant_id, text=RED).id)

    assert shown(ask(within)) == [(RED, False), (BLUE, False)]


def test_a_question_that_somebody_answered_is_not_asked_again(told, judge: ScriptedJudge, within: Scope):
    with enter(within):
        newer, older = (Item.objects.get(tenant_id=within.tenant_id, text=text) for text in (BLUE, RED))
        ItemLink.objects.create(
            tenant_id=within.tenant_id,
            agent_id=older.agent_id,
            kind=ItemLink.Kind.PROBABLY_SUPERSEDED,
            from_item=newer,
            to_item=older,
            reason="doubted",
            closed_at=MAY,
        )

    assert shown(ask(within)) == [(RED, False), (BLUE, False)]
    assert judge.pairs == []


@pytest.mark.parametrize(
    "options",
    [
        {"profile": Profile.LEAN},
        {"valid_at": MAY + timedelta(days=20)},
        {"as_of": datetime(2027, 1, 1, tzinfo=UTC)},
    ],
)
def test_neither_a_lean_answer_nor_one_about_another_time_asks_a_model(told, judge, within: Scope, options):
    answer = ask(within, **options)

    assert (RED, False) in shown(answer)
    assert judge.pairs == []


def test_however_many_hits_lie_near_each_other_one_recall_judges_few(know, judge: ScriptedJudge, within: Scope):
    for day, colour in enumerate(("red", "blue", "green", "black", "white", "yellow")):
        know(f"Mara's car is a {colour} Volvo.", occurred_at=MAY + timedelta(days=day))
    judge.pairs.clear()
    ask(within)
    # What was judged when it was stored is not asked again; of another judge nothing is remembered.
    assert judge.pairs == []
    judge.relations["another", "judge"] = ClaimRelation(distinct=1.0)

    ask(within)

    assert len(judge.pairs) == MOST_PAIRS


class AwayJudge(ScriptedJudge):
    @override
    def relate(self, pairs):
        raise ProviderRetryable("away")


def test_without_a_judge_the_hits_stand_as_they_were_found(
    told, judge: ScriptedJudge, within: Scope, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(providers, "relator", lambda: AwayJudge(judge.relations))

    answer = ask(within)

    assert shown(answer) == [(RED, False), (BLUE, False)]
    assert "currentness" in answer.degraded


def test_what_replaced_a_hit_is_handed_out_though_it_lies_below_the_last_one(know, judge, within: Scope):
    for day, colour in enumerate(("red", "blue", "green")):
        know(f"Mara's car is a {colour} Volvo.", occurred_at=MAY + timedelta(days=day))
    last = ask(within).hits[-1].text
    judge.relations[RED, last] = ClaimRelation(update=0.9, distinct=0.1)

    answer = ask(within, limit=2, profile=Profile.BALANCED)

    assert shown(answer) == [(last, False), (RED, True)]
