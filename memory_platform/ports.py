"""The ports: what the core asks of the outside. Each has an offline adapter that does real work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory_platform.errors import ProviderError
from memory_platform.knowledge.graph import (
    Edge,
    GraphBatch,
    GraphChecksums,
    Held,
    Moment,
    Node,
    RelationKind,
    Subgraph,
    Traces,
    Viewpoint,
)
from memory_platform.model import (
    Appraisal,
    CategoryRule,
    ClaimRelation,
    CuratedFact,
    CuratedLine,
    Extracted,
    InferredCause,
    Message,
    ModelUsage,
    ProposalDraft,
    RelationThresholds,
    Role,
    SummaryFact,
    SummarySection,
    Thresholds,
    TriageDecision,
    Utterance,
)
from memory_platform.text.parse import Parse

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors. Two embedders of different `model` never share an index."""

    @property
    def model(self) -> str:
        """A stable name, stored beside each vector."""

    @property
    def dimension(self) -> int: ...

    @property
    def thresholds(self) -> Thresholds: ...

    def embed(
        self, texts: Sequence[str], *, as_questions: bool = False, timeout: float | None = None
    ) -> tuple[Vectors, ModelUsage]:
        """Return an array of shape (len(texts), dimension), rows of length 1.

        Some models read a question (`as_questions`) otherwise than what may answer it.

        Raises ProviderRetryable past `timeout` seconds or when the provider is down, ProviderRefused on bad input.
        """


class Reader(Protocol):
    """Reads what a text says by its grammar: sentences, words, dependencies, names, language."""

    @property
    def version(self) -> str:
        """Name and version of reader and models; part of the exactly-once key of an extraction."""

    def read(self, texts: Sequence[str], *, language: str | None = None) -> tuple[Parse, ...]:
        """One parse per text, in order. `language` is that of the talk, for texts too short to tell theirs.

        Takes time in proportion to the length of the texts. Without a model of a text's language the parse has
        sentences and no grammar.
        """


@dataclass(frozen=True, slots=True)
class ClauseInContext:
    """A clause, the message it stands in, and the message before that."""

    text: str
    role: Role
    message: str
    before: str = ""
    before_role: Role | None = None


class Appraiser(Protocol):
    """Says what a clause is worth keeping, of what kind it is, and how certain."""

    @property
    def version(self) -> str:
        """Name and version; part of the exactly-once key of an extraction."""

    def appraise(self, clauses: Sequence[ClauseInContext]) -> tuple[Appraisal, ...]:
        """One appraisal per clause, in order. Raises ProviderRetryable or ProviderRefused."""


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """Two claims of one audience, each with the question it answers, and how far apart they were said."""

    older: str
    newer: str
    apart: timedelta


class Relator(Protocol):
    """Says how a newer claim relates to an older one."""

    @property
    def version(self) -> str:
        """Name and version of the model."""

    @property
    def thresholds(self) -> RelationThresholds: ...

    def relate(self, pairs: Sequence[ClaimPair]) -> tuple[ClaimRelation, ...]:
        """One relation per pair, in order. Raises ProviderRetryable or ProviderRefused."""


class Arbiter(Protocol):
    """A second opinion on how claims relate, for the pairs a Relator is not sure of: slower, and paid for."""

    @property
    def version(self) -> str:
        """Name and version of model and prompt."""

    def arbitrate(self, pairs: Sequence[ClaimPair]) -> tuple[tuple[ClaimRelation, ...], ModelUsage]:
        """One relation per pair, in order. Raises ProviderRetryable or ProviderRefused."""


class Breaker(Protocol):
    """Whether to ask a provider at all; shared by all who ask it."""

    def lets_pass(self) -> bool:
        """False while the provider is left alone. After a pause one caller is let pass, to find out."""

    def succeeded(self) -> None: ...

    def failed(self, error: ProviderError) -> None: ...


class Extractor(Protocol):
    """Distils utterances into observations."""

    @property
    def version(self) -> str:
        """Name and version; part of the exactly-once key of an extraction."""

    def extract(
        self,
        utterances: Sequence[Utterance],
        *,
        context: Sequence[Utterance] = (),
        categories: Sequence[CategoryRule] = (),
        now: datetime,
        day_first: bool = True,
    ) -> Extracted:
        """One observation per utterance, in order. `context` precedes them and yields nothing itself. `day_first`:
        "3/5" is a day of May.

        Raises ProviderRetryable or ProviderRefused; never returns a partial answer.
        """


class Rewriter(Protocol):
    """Makes a message searchable on its own: pronouns, ellipsis and relative dates resolved from the history."""

    def rewrite(
        self, message: str, *, history: Sequence[Message], now: datetime, timeout: float
    ) -> tuple[str, ModelUsage]:
        """Raises ProviderRetryable past `timeout` seconds."""


class Adviser(Protocol):
    """Says how surely a memory tells an agent how to act."""

    def guidance(self, texts: Sequence[str]) -> tuple[float, ...]:
        """A probability 0..1 for each text, which stands behind what it leans on (`model.in_context`)."""


class CauseInferrer(Protocol):
    """Says which message of a conversation brought another one about, where no word says so."""

    @property
    def version(self) -> str:
        """Name and version of model and prompt."""

    def infer(self, utterances: Sequence[Utterance], *, now: datetime) -> tuple[tuple[InferredCause, ...], ModelUsage]:
        """Causes among the utterances, which follow each other; each pair at most once, never a message its own.

        Raises ProviderRetryable or ProviderRefused.
        """


class Summariser(Protocol):
    """Writes the summary of a category out of what is held of it."""

    @property
    def version(self) -> str:
        """Name and version of model and prompt."""

    def summarise(
        self, label: str, facts: Sequence[SummaryFact], *, present: str = ""
    ) -> tuple[tuple[SummarySection, ...], ModelUsage]:
        """The sections of the summary of `label`; each line names the facts it rests on. `present` is the summary that
        stands, in Markdown; without it the summary is written from scratch.

        Raises ProviderRetryable or ProviderRefused.
        """


class Curator(Protocol):
    """Tends what all agents of a tenant are told: proposes changes of it, and judges what is proposed."""

    @property
    def version(self) -> str:
        """Name and version of model and prompts."""

    def reflect(
        self, facts: Sequence[CuratedFact], lines: Sequence[CuratedLine]
    ) -> tuple[tuple[ProposalDraft, ...], ModelUsage]:
        """What the facts would change in the lines; each proposal names the facts it rests on.

        Raises ProviderRetryable or ProviderRefused.
        """

    def review(
        self, drafts: Sequence[ProposalDraft], lines: Sequence[CuratedLine]
    ) -> tuple[tuple[TriageDecision, ...], ModelUsage]:
        """One decision per proposal, in order; REVIEW where it is not sure.

        Raises ProviderRetryable or ProviderRefused.
        """


class GraphStore(Protocol):
    """Answers what lies around entities. Every method applies tenant, audience, user and moment itself.

    Raises ProviderRetryable when the store is down or slower than its deadline.
    """

    @property
    def name(self) -> str:
        """`sql`, `neo4j` or `memory`: shown with the answer."""

    def neighbourhood(
        self,
        seeds: Sequence[UUID],
        *,
        depth: int,
        limit: int,
        viewpoint: Viewpoint,
        moment: Moment,
        kinds: frozenset[RelationKind] | None = None,
        timeout: float,
    ) -> Subgraph:
        """What is within `depth` (1..4) hops of the entities, nearest first, at most `limit` nodes.

        Entities of equal name_key are one node, under the smallest id. Edges between nodes of the answer only; an
        entity's units newest first. `kinds` None: all. Unknown and unreadable seeds are left out.
        """

    def path(
        self, start: Node, end: Node, *, max_depth: int, viewpoint: Viewpoint, moment: Moment, timeout: float
    ) -> tuple[Edge, ...] | None:
        """A shortest way from `start` to `end`, at most `max_depth` hops, whatever the direction of its edges.

        Edges keep their own direction. () when both are the same node, None when there is no way.
        """

    def checksums(self, tenant_id: UUID) -> GraphChecksums:
        """Counts and sums of digests of everything the store holds of the tenant."""


class GraphProjection(Protocol):
    """A copy of the graph that another server answers from. Every method is idempotent; raises ProviderRetryable."""

    def prepare(self) -> None:
        """Create or update constraints and indexes."""

    def put(self, batch: GraphBatch) -> None:
        """Put nodes and edges as they are now, take away what the batch says is gone or stale: all or nothing.

        An edge whose ends are not both held afterwards is left out. Raises ProviderRetryable also when a batch of a
        larger version was put before: read again, then put. Raises ProjectionLost when the batch continues others
        that are not there.
        """

    def remove(self, tenant_id: UUID, nodes: Sequence[Node]) -> None:
        """Take nodes away, with their edges."""

    def clear(self, tenant_id: UUID) -> None:
        """Take away everything of the tenant."""


class GraphInventory(Protocol):
    """What a projection holds, for finding out where it differs from the truth. Raises ProviderRetryable."""

    def buckets(self, tenant_id: UUID) -> Mapping[tuple[str, int], tuple[int, int]]:
        """Count and sum of digests by kind (see GraphChecksums) and bucket (graph.bucket of its identity)."""

    def held(self, tenant_id: UUID, buckets: Sequence[int]) -> Mapping[int, Held]:
        """The rows of these buckets, by identity."""

    def traces(self, tenant_id: UUID, wanted: Traces) -> int:
        """How many of its nodes and edges are still of what was erased."""


class GraphServer(GraphStore, GraphProjection, GraphInventory, Protocol):
    """Another server that keeps the graph: it answers, is written to, and can be compared."""

    def warm(self, *, timeout: float) -> None:
        """Have it ready to answer at once. Raises ProviderRetryable when it is not within `timeout` seconds."""

    def ping(self, *, timeout: float) -> None:
        """Raises ProviderRetryable when there is no answer within `timeout` seconds."""

    def close(self) -> None:
        """Give its connections back."""
