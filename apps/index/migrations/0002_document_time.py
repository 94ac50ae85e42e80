from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("index", "0001_initial")]

    operations = [
        migrations.AddIndex("document", models.Index("tenant_id", "event_time", name="index_document_time")),
    ]
