"""Document, Posting, Embedding and the term statistics: what search reads, rebuilt from other apps at any time.

A document's id says where it stands: the number of its session in the upper bits, its ordinal in the lower 24. Units
of a session are therefore neighbours in every index, a posting needs no session column, and "the next unit" is id + 1.
Units without neighbours have negative ids.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import HalfVectorField, HnswIndex

from apps.core.clock import now
from memory_platform.model import Unit, Visibility

ORDINAL_BITS = 24
ENCODER = "memory-encoder-1"
MULTILINGUAL = "memory-multilingual-1"
WORDLLAMA = "wordllama-l2-supercat-256"
# Below pgvector's own 16 and 64: the nearest few are found as surely, and an insert costs less (docs/trials.md).
HNSW_LINKS = 12
HNSW_EFFORT = 48


class Document(models.Model):
    """One recallable unit with everything search filters on; `lexemes` are the hashes of its distinct terms."""

    pk = models.CompositePrimaryKey("tenant_id", "id")
    tenant_id = models.UUIDField()
    id = models.BigIntegerField()
    unit = models.CharField(max_length=8, choices=[(unit.value, unit.value) for unit in Unit])
    unit_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(
        max_length=8,
        choices=[(visibility.value, visibility.value) for visibility in Visibility],
        default=Visibility.PRIVATE.value,
    )
    session_id = models.UUIDField(null=True)
    center = models.FloatField(
        default=0.0, help_text="Running sum of max(length, 25)/25 of its session, at the unit's middle."
    )
    length = models.PositiveIntegerField(help_text="Kept terms, repetitions included.")
    cues = models.SmallIntegerField(default=0, db_default=0, help_text="Bits of memory_platform.cues.Cue.")
    hidden = models.BooleanField(default=False, help_text="Forgotten: found by nobody, counted in no statistic.")
    archived = models.BooleanField(
        default=False, db_default=False, help_text="Out of what is read by default; history still finds it."
    )
    event_time = models.DateTimeField(null=True)
    valid_from = models.DateTimeField(null=True)
    valid_until = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField(default=now)
    retracted_at = models.DateTimeField(null=True)
    kind = models.CharField(max_length=16, blank=True, default="")
    category = models.CharField(max_length=64, blank=True, default="")
    service = models.CharField(max_length=200, blank=True, default="")
    entities = ArrayField(models.TextField(), default=list)
    text = models.TextField()
    lexemes = ArrayField(models.BigIntegerField(), default=list)
    frequencies = ArrayField(models.SmallIntegerField(), default=list, help_text="How often each lexeme occurs.")

    ERASABLE = frozenset({"entities", "service", "text", "user_id"})
    NOT_CONTENT = frozenset({"category", "kind", "unit", "visibility"})

    class Meta:
        db_table = "index_document"
        indexes = [
            models.Index("tenant_id", "unit_id", name="index_document_unit"),
            models.Index("tenant_id", "session_id", "id", name="index_document_session", condition=models.Q(id__gt=0)),
            models.Index("tenant_id", "event_time", name="index_document_time"),
            models.Index("tenant_id", "agent_id", "user_id", "visibility", name="index_document_audience"),
        ]

    @property
    def ordinal(self) -> int | None:
        """Its place in the session, None for a unit without neighbours."""
        return self.id & ((1 << ORDINAL_BITS) - 1) if self.id > 0 else None


class Posting(models.Model):
    """A lexeme in a document. The primary key's index carries the other columns, so that search reads nothing else."""

    pk = models.CompositePrimaryKey("tenant_id", "lexeme", "document_id")
    tenant_id = models.UUIDField()
    lexeme = models.BigIntegerField(help_text="memory_platform.terms.lexeme_hash")
    document_id = models.BigIntegerField()
    center = models.FloatField(help_text="Document.center in single precision.")
    tf = models.SmallIntegerField()
    length = models.SmallIntegerField(help_text="Document.length, at most 32,767.")

    class Meta:
        db_table = "index_posting"


class Embedding384(models.Model):
    """Vectors of 384 dimensions; rows of several models lie side by side, each model with an index of its own."""

    pk = models.CompositePrimaryKey("tenant_id", "document_id", "model")
    tenant_id = models.UUIDField()
    document_id = models.BigIntegerField()
    text_hash = models.BigIntegerField(help_text="BLAKE2b-64 of the embedded text.")
    model = models.CharField(max_length=128)
    vector = HalfVectorField(dimensions=384)

    NOT_CONTENT = frozenset({"model"})

    class Meta:
        db_table = "index_embedding384"
        indexes = [
            HnswIndex(
                fields=["vector"],
                name="index_embedding384_encoder",
                opclasses=["halfvec_cosine_ops"],
                m=HNSW_LINKS,
                ef_construction=HNSW_EFFORT,
                condition=models.Q(model=ENCODER),
            ),
            HnswIndex(
                fields=["vector"],
                name="index_embedding384_multi",
                opclasses=["halfvec_cosine_ops"],
                m=HNSW_LINKS,
                ef_construction=HNSW_EFFORT,
                condition=models.Q(model=MULTILINGUAL),
            ),
            models.Index(
                "tenant_id", "document_id", name="index_embedding384_foreign", condition=models.Q(model=MULTILINGUAL)
            ),
        ]


class Embedding256(models.Model):
    """Vectors of 256 dimensions; see Embedding384."""

    pk = models.CompositePrimaryKey("tenant_id", "document_id", "model")
    tenant_id = models.UUIDField()
    document_id = models.BigIntegerField()
    text_hash = models.BigIntegerField(help_text="BLAKE2b-64 of the embedded text.")
    model = models.CharField(max_length=128)
    vector = HalfVectorField(dimensions=256)

    NOT_CONTENT = frozenset({"model"})

    class Meta:
        db_table = "index_embedding256"
        indexes = [
            HnswIndex(
                fields=["vector"],
                name="index_embedding256_wordllama",
                opclasses=["halfvec_cosine_ops"],
                m=HNSW_LINKS,
                ef_construction=HNSW_EFFORT,
                condition=models.Q(model=WORDLLAMA),
            )
        ]


class TermStat(models.Model):
    """df: in how many documents of the tenant that are not hidden a lexeme occurs, whoever may read them."""

    pk = models.CompositePrimaryKey("tenant_id", "lexeme")
    tenant_id = models.UUIDField()
    lexeme = models.BigIntegerField()
    documents = models.IntegerField()

    class Meta:
        db_table = "index_term_stat"


class CorpusStat(models.Model):
    """N: how many documents of the tenant are not hidden."""

    tenant_id = models.UUIDField(primary_key=True)
    documents = models.IntegerField()
    folded_at = models.DateTimeField(default=now)

    class Meta:
        db_table = "index_corpus_stat"


class TermDelta(models.Model):
    """What one write adds to the statistics: appended here, for updating a counter would make writers wait."""

    pk = models.CompositePrimaryKey("tenant_id", "id")
    tenant_id = models.UUIDField()
    id = models.BigIntegerField()
    documents = models.IntegerField(help_text="Documents added, negative when taken away.")
    lexemes = ArrayField(models.BigIntegerField())
    counts = ArrayField(models.IntegerField(), help_text="How many documents of each lexeme, same sign.")
    created_at = models.DateTimeField(default=now)

    class Meta:
        db_table = "index_term_delta"
