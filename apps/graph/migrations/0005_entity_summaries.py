"""What is written of an entity, from which facts and by whom."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("graph", "0004_agents_apart"),
    ]

    operations = [
        migrations.AddField(
            model_name="entity",
            name="summary_digest",
            field=models.CharField(
                blank=True, default="", help_text="Of the items that held when it was written.", max_length=32
            ),
        ),
        migrations.AddField(
            model_name="entity",
            name="summary_writer",
            field=models.CharField(blank=True, default="", max_length=128),
        ),
        migrations.AlterField(
            model_name="entity",
            name="summary",
            field=models.TextField(
                blank=True, default="", help_text="What its facts say, without its name and numbers."
            ),
        ),
    ]
