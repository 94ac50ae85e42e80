from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("index", "0002_document_time")]

    operations = [
        migrations.AddField(
            "document",
            "cues",
            models.SmallIntegerField(default=0, db_default=0, help_text="Bits of memory_platform.cues.Cue."),
        ),
    ]
