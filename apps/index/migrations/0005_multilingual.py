from django.db import migrations, models
from pgvector.django import HnswIndex


class Migration(migrations.Migration):
    dependencies = [("index", "0004_users_apart")]

    operations = [
        migrations.RemoveIndex("embedding384", "index_embedding384_minilm"),
        migrations.AddIndex(
            "embedding384",
            HnswIndex(
                fields=["vector"],
                name="index_embedding384_encoder",
                opclasses=["halfvec_cosine_ops"],
                m=12,
                ef_construction=48,
                condition=models.Q(model="memory-encoder-1"),
            ),
        ),
        migrations.AddIndex(
            "embedding384",
            HnswIndex(
                fields=["vector"],
                name="index_embedding384_multi",
                opclasses=["halfvec_cosine_ops"],
                m=12,
                ef_construction=48,
                condition=models.Q(model="memory-multilingual-1"),
            ),
        ),
        migrations.AddIndex(
            "embedding384",
            models.Index(
                "tenant_id",
                "document_id",
                name="index_embedding384_foreign",
                condition=models.Q(model="memory-multilingual-1"),
            ),
        ),
    ]
