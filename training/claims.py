"""Trains the judge of claims: one cross-encoder that says what a clause is worth and how two claims relate."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from memory_platform.adapters.claim_judge import DROPPED, appraisal_encoding, relation_encoding
from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.adapters.onnx_model import Encoding
from memory_platform.ports import ClaimPair, ClauseInContext
from memory_platform.text.terms import terms
from training import corpus, minilm
from training.corpus import Row, Story, Turn

EPOCHS = 3
RATE = 6e-5
FURTHER_EPOCHS, FURTHER_RATE = 1, 4e-5
"""To go on from a judge that has read most of it before."""
REPLAYED = 0.25
"""How much it reads again of the hands that it knows when it goes on with others: lest it forget."""
NAMED_TIMES = 3
"""How often it then reads what those others wrote, who are few."""
SIZE = 16
BESIDE_WEIGHT = 0.3
"""What kind, certainty and reason count beside whether a clause is worth keeping."""
LABELS = ("same", "refines", "update", "correction", "conflict", "distinct")
KINDS = ("fact", "preference", "rule", "procedure", "event", "plan", "opinion")
CERTAINTIES = ("explicit", "implied", "inferred", "hearsay", "hypothetical")
WORTH_HEADS = ("worth", "kind", "certainty", "drop")
REFITTED = ("worth", "drop")
"""The heads that more messages fit anew. Kinds stay: who writes orders calls many a thing a rule that others do not."""
REFIT_STEPS, REFIT_RATE, REFIT_HOLD = 600, 3e-3, 1e-3
OUTPUTS = {"relation": 6, "worth": 2, "kind": 7, "certainty": 5, "drop": 8}
SYMMETRIC = frozenset({"same", "distinct", "conflict"})
HARD_OF_DRILL, HARD_OF_STORY = 1, 2
"""Untouched neighbours shown of each new message: the nearest in meaning."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A labelled pair; `group` is who wrote it or the story it stands in."""

    pair: ClaimPair
    label: str
    group: str
    name: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled clause: `kind`, `certainty` and `drop` are places in the tuples above, −1 where unknown."""

    clause: ClauseInContext
    worth: int
    kind: int
    certainty: int
    drop: int
    group: str
    message: str


# Relations.


def pairs() -> list[Pair]:
    """The labelled pairs as they stand."""
    return pairs_of(corpus.rows("pairs"))


def pairs_of(rows: Sequence[Row]) -> list[Pair]:
    """What the judge is asked of these rows, with their labels."""
    return [
        Pair(
            ClaimPair(row["old"], _new_text(row), _apart(row["old_said"], row["new_said"])),
            row["label"],
            row["hand"],
            row["id"],
        )
        for row in rows
    ]


def _new_text(row: Row) -> str:
    if not row.get("prev"):
        return str(row["new"])
    return corpus.in_context(corpus.message(row["new"], before=row["prev"], said=row["new_said"]))


def _apart(old: str, new: str) -> timedelta:
    return max(timedelta(0), _time(new) - _time(old))


def _time(said: str) -> datetime:
    return datetime.fromisoformat(said[:10]).replace(tzinfo=UTC)


def flipped(pair: Pair) -> Pair:
    """The same pair the other way round, for what has no direction."""
    return Pair(ClaimPair(pair.pair.newer, pair.pair.older, pair.pair.apart), pair.label, pair.group, pair.name)


def drill_pairs(embedder: EncoderEmbedder) -> list[Pair]:
    """What each new message of a drill touches, and the untouched statements nearest to it."""
    found = []
    for row in corpus.rows("drills"):
        held = {one["id"]: one for one in row["held"]}
        held_texts = {name: _drill_text(one) for name, one in held.items()}
        new_texts = [_drill_text(one) for one in row["new"]]
        near = _cosines(embedder, new_texts, list(held_texts.values()))
        for place, new in enumerate(row["new"]):
            order = [list(held)[at] for at in np.argsort(-near[place])]
            untouched = [name for name in order if name not in new["does"]][:HARD_OF_DRILL]
            for name in (*new["does"], *untouched):
                pair = ClaimPair(held_texts[name], new_texts[place], _apart(held[name]["said"], new["said"]))
                found.append(Pair(pair, new["does"].get(name, "distinct"), row["hand"], row["id"]))
    return found


def _drill_text(said: Row) -> str:
    turn = corpus.message(said["text"], before=said.get("prev") or "", speaker=said["by"], said=said["said"])
    return turn.facts[0].in_context if len(turn.facts) == 1 else corpus.in_context(turn)


def story_pairs(stories: Sequence[Story], embedder: EncoderEmbedder, *, hard: int = HARD_OF_STORY) -> list[Pair]:
    """Every change of a fact, and for each later claim the earlier claims nearest to it that it leaves alone."""
    return [pair for story in stories for pair in _of_story(story, embedder, hard)]


@dataclass(frozen=True, slots=True)
class _Claim:
    text: str
    turn: Turn
    place: int
    fact: str


def _of_story(story: Story, embedder: EncoderEmbedder, hard: int) -> Iterator[Pair]:
    places = {turn.name: place for place, turn in enumerate(story.turns)}
    stated = [
        [_claim(story.by_name[value["turn"]], places[value["turn"]], value, fact["id"]) for value in fact["history"]]
        for fact in story.row["facts"]
    ]
    changes = [(old, new) for values in stated for at, old in enumerate(values) for new in values[at + 1 :]]
    for old, new in changes:
        if old.text != new.text:
            label = "correction" if old.turn.session == new.turn.session else "update"
            yield Pair(_pair(old, new), label, story.name, new.turn.name)
    replaced = {(old.turn.name, old.text, new.turn.name) for old, new in changes}
    earlier = [claim for values in stated for claim in values]
    later = [*earlier, *_idle(story, places)]
    near = _cosines(embedder, [claim.text for claim in later], [claim.text for claim in earlier])
    for row, new in enumerate(later):
        alone = [
            old
            for old in (earlier[at] for at in np.argsort(-near[row]))
            if old.place < new.place
            and old.fact != new.fact
            and (old.turn.name, old.text, new.turn.name) not in replaced
        ]
        for text in list(dict.fromkeys(old.text for old in alone))[:hard]:
            old = next(one for one in alone if one.text == text)
            yield Pair(_pair(old, new), "distinct", story.name, new.turn.name)


def _claim(turn: Turn, place: int, value: Row, fact: str) -> _Claim:
    names = [value["value"], *value.get("aliases", [])]
    saying = [one.in_context for one in turn.facts if corpus.says(one.quote, names)]
    return _Claim(saying[0] if saying else corpus.in_context(turn), turn, place, fact)


def _idle(story: Story, places: dict[str, int]) -> Iterator[_Claim]:
    """What people say that changes nothing."""
    for turn in story.turns:
        if turn.name in story.junk and turn.utterance.role.value == "user":
            for fact in turn.facts[:2]:
                yield _Claim(fact.in_context, turn, places[turn.name], "")


def _pair(old: _Claim, new: _Claim) -> ClaimPair:
    return ClaimPair(old.text, new.text, new.turn.utterance.said_at - old.turn.utterance.said_at)


def _cosines(embedder: EncoderEmbedder, texts: Sequence[str], others: Sequence[str]) -> np.ndarray:
    if not texts or not others:
        return np.zeros((len(texts), len(others)))
    return np.asarray(embedder.embed(texts)[0] @ embedder.embed(others)[0].T)


# Worth.


def judged_of_stories(stories: Sequence[Story]) -> list[Judged]:
    """Clauses of turns from which nothing durable follows, and those that say the value of a fact."""
    found = []
    for story in stories:
        for turn in story.turns:
            states = story.states(turn)
            for clause in turn.reading.in_context:
                says = any(corpus.says(clause.text, names) for names in states)
                if turn.name in story.junk:
                    found.append(Judged(clause, 0, -1, -1, -1, story.name, turn.name))
                elif states and (says or len(turn.reading.clauses) == 1):
                    found.append(Judged(clause, 1, -1, -1, -1, story.name, turn.name))
    return found


def judged_of_turns(rows: Sequence[Row]) -> list[Judged]:
    """Every clause of a labelled message: the one nearest in words to each claim is worth keeping, the others not."""
    found = []
    for row in rows:
        turn = corpus.message(
            row["text"],
            before=row["prev"],
            before_role=row.get("prev_role"),
            role=row["role"],
            speaker=row["speaker"],
            said=row["said"],
        )
        clauses = turn.reading.in_context
        kept = {_nearest(claim["claim"], clauses): claim for claim in row["keep"] if clauses}
        for place, clause in enumerate(clauses):
            claim = kept.get(place)
            found.append(
                Judged(
                    clause,
                    int(claim is not None),
                    KINDS.index(claim["kind"]) if claim else -1,
                    CERTAINTIES.index(claim["certainty"]) if claim else -1,
                    DROPPED.index(row["drop"]) if row["drop"] else -1,
                    row["hand"],
                    row["id"],
                )
            )
    return found


def _nearest(claim: str, clauses: Sequence[ClauseInContext]) -> int:
    wanted = terms(claim).keys()

    def likeness(place: int) -> float:
        own = terms(clauses[place].text).keys()
        return len(wanted & own) / (1 + 0.3 * len(own) ** 0.5)

    return max(range(len(clauses)), key=likeness)


def judged_of_drills() -> list[Judged]:
    """What is held in a drill was worth keeping."""
    found = []
    for row in corpus.rows("drills"):
        for held in row["held"]:
            before = held.get("prev") or ""
            turn = corpus.message(held["text"], before=before, speaker=held["by"], said=held["said"])
            if len(turn.reading.clauses) == 1:
                (clause,) = turn.reading.in_context
                found.append(Judged(clause, 1, -1, -1, -1, row["hand"], row["id"]))
    return found


# Training.


def train(
    related: Sequence[Pair],
    judged: Sequence[Judged],
    *,
    start: minilm.Parameters | None = None,
    named: Collection[str] = (),
    seed: int = 0,
    epochs: int = EPOCHS,
    rate: float = RATE,
) -> minilm.Parameters:
    """From the pretrained weights, or from those of an earlier judge.

    Where hands are named, pairs of others are to be judged as the earlier judge does: what is learnt of those hands is
    not to move them (learning without forgetting, Li and Hoiem 2016).
    """
    relations = [relation_encoding(one.pair) for one in related]
    labels = np.eye(len(LABELS))[[LABELS.index(one.label) for one in related]]
    if start and named:
        known = np.array([one.group not in named for one in related])
        labels = np.where(known[:, None], _relations(start, relations), labels)
    clauses = [appraisal_encoding(one.clause) for one in judged]
    targets = np.array([(one.worth, one.kind, one.certainty, one.drop) for one in judged])
    weights = start or _with_heads(minilm.pretrained(), jax.random.PRNGKey(seed))
    key = jax.random.PRNGKey(seed + 1)
    optimise = minilm.optimiser(rate, epochs * (len(relations) // SIZE + len(clauses) // SIZE))
    state = optimise.init(weights)
    relate, appraise = minilm.stepper(_relation_loss, optimise), minilm.stepper(_worth_loss, optimise)
    random = np.random.default_rng(seed)
    for epoch in range(epochs):
        losses: dict[str, list[float]] = {"relation": [], "worth": []}
        for kind, places in _batches(relations, clauses, random):
            key, own = jax.random.split(key)
            if kind == "relation":
                batch = minilm.batch_of([relations[place] for place in places])
                weights, state, loss = relate(weights, state, batch, labels[places], own)
            else:
                batch = minilm.batch_of([clauses[place] for place in places])
                weights, state, loss = appraise(weights, state, batch, targets[places], own)
            losses[kind].append(float(loss))
        means = ", ".join(f"{name} {np.mean(values):.3f}" for name, values in losses.items() if values)
        print(f"claims: epoch {epoch + 1} of {epochs}, {means}", flush=True)
    return weights


def examples() -> tuple[list[Pair], list[Judged]]:
    """Everything to train on: nothing that is held out, nothing of the development stories."""
    stories = corpus.stories(corpus.rows("stories"))
    return _related_examples(stories), judged_examples(stories)


def _related_examples(stories: Sequence[Story]) -> list[Pair]:
    embedder = EncoderEmbedder(intra_op_threads=2)
    labelled = [one for one in pairs() if not corpus.is_held_out(one.name)]
    related = [*labelled, *(flipped(one) for one in labelled if one.label in SYMMETRIC)]
    related += [one for one in drill_pairs(embedder) if not corpus.is_held_out(one.name)]
    return [*related, *story_pairs(stories, embedder)]


def judged_examples(stories: Sequence[Story]) -> list[Judged]:
    """The clauses to train on."""
    turns = [row for row in corpus.rows("turns") if not corpus.is_held_out(row["id"])]
    drilled = [one for one in judged_of_drills() if not corpus.is_held_out(one.message)]
    return [*judged_of_stories(stories), *judged_of_turns(turns), *drilled]


def going_on(hands: Collection[str]) -> tuple[list[Pair], list[Judged]]:
    """What these hands wrote, NAMED_TIMES, and a part of the rest; everything when none is named."""
    related, judged = examples()
    if not hands:
        return related, judged
    random = np.random.default_rng(0)

    def times(one: Pair | Judged) -> int:
        return NAMED_TIMES if one.group in hands else int(random.random() < REPLAYED)

    return [one for one in related for _ in range(times(one))], [one for one in judged for _ in range(times(one))]


def refitted(weights: minilm.Parameters, judged: Sequence[Judged], *, named: Collection[str] = ()) -> minilm.Parameters:
    """The same judge with the heads of a clause's worth fitted anew to what its trunk makes of these clauses.

    The others and the trunk stay, so that pairs and kinds are judged as before to the last bit. What the hands in
    `named` wrote counts NAMED_TIMES. The heads are drawn to what they were, by REFIT_HOLD.
    """
    encodings = [appraisal_encoding(one.clause) for one in judged]
    seen = jnp.asarray(minilm.answers(minilm.features, weights, encodings))
    targets = np.array([(one.worth, one.kind, one.certainty, one.drop) for one in judged])
    counts = np.array([NAMED_TIMES if one.group in named else 1.0 for one in judged], dtype=np.float32)
    before = {name: jnp.asarray(weights[name]) for name in weights if name.split(".")[0] in REFITTED}

    def loss(heads: minilm.Parameters) -> Any:
        held = sum(((heads[name] - before[name]) ** 2).sum() for name in heads)
        return _worth_entropy(_read(weights | heads, seen, WORTH_HEADS), targets, counts) + REFIT_HOLD * held

    optimise = optax.adam(REFIT_RATE)
    step = minilm.stepper(loss, optimise)
    heads, state, lost = dict(before), optimise.init(before), 0.0
    for _ in range(REFIT_STEPS):
        heads, state, lost = step(heads, state)
    print(f"claims: heads fitted to {len(judged)} clauses, loss {float(lost):.3f}", flush=True)
    return weights | heads


def stricter(weights: minilm.Parameters, *, by: float) -> minilm.Parameters:
    """The same judge, to which a clause is worth keeping with so many natural log odds less."""
    return weights | {"worth.bias": weights["worth.bias"] - by * np.array([0.0, 1.0], dtype=np.float32)}


def _with_heads(weights: minilm.Parameters, key: Any) -> minilm.Parameters:
    for name, size in OUTPUTS.items():
        key, own = jax.random.split(key)
        weights[f"{name}.weights"] = jax.random.normal(own, (2 * minilm.WIDTH, size)) * 0.02
        weights[f"{name}.bias"] = jnp.zeros(size)
    return weights


def _batches(
    relations: Sequence[Encoding], clauses: Sequence[Encoding], random: np.random.Generator
) -> list[tuple[str, list[int]]]:
    todo = [("relation", places) for places in minilm.by_length([len(one.ids) for one in relations], SIZE, random)]
    todo += [("worth", places) for places in minilm.by_length([len(one.ids) for one in clauses], SIZE, random)]
    return [todo[place] for place in random.permutation(len(todo))]


def outputs(weights: minilm.Parameters, batch: minilm.Batch, key: Any | None = None) -> dict[str, Any]:
    """The logits of every head, each of shape (texts, its size)."""
    return _read(weights, minilm.features(weights, batch, key), OUTPUTS)


def _read(weights: minilm.Parameters, seen: Any, heads: Iterable[str]) -> dict[str, Any]:
    return {name: seen @ weights[f"{name}.weights"] + weights[f"{name}.bias"] for name in heads}


def _relations(weights: minilm.Parameters, encodings: Sequence[Encoding]) -> np.ndarray:
    """How likely a judge finds each relation of each pair, of shape (pairs, 6)."""
    return minilm.answers(lambda held, batch: jax.nn.softmax(outputs(held, batch)["relation"]), weights, encodings)


_entropy = optax.softmax_cross_entropy_with_integer_labels


def _relation_loss(weights: minilm.Parameters, batch: minilm.Batch, labels: Any, key: Any) -> Any:
    return optax.softmax_cross_entropy(outputs(weights, batch, key)["relation"], labels).mean()


def _worth_loss(weights: minilm.Parameters, batch: minilm.Batch, targets: Any, key: Any) -> Any:
    return _worth_entropy(outputs(weights, batch, key), targets, jnp.ones(len(targets)))


def _worth_entropy(found: Mapping[str, Any], targets: Any, counts: Any) -> Any:
    """Of each clause as often as it counts; what is unknown of one counts nothing."""
    loss = (_entropy(found["worth"], targets[:, 0]) * counts).sum() / counts.sum()
    for column, name in enumerate(WORTH_HEADS[1:], start=1):
        known = (targets[:, column] >= 0) * counts
        own = _entropy(found[name], jnp.maximum(targets[:, column], 0)) * known
        loss = loss + BESIDE_WEIGHT * own.sum() / jnp.maximum(known.sum(), 1)
    return loss
