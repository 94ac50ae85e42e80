"""Who filed an item. Of those that are there it is not known: they count as filed by whoever stated them."""

from django.db import migrations, models

FILED_BY = [("given", "given"), ("keywords", "keywords"), ("examples", "examples"), ("model", "model")]


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_insights_and_cold_items")]

    operations = [
        migrations.AddField(
            model_name="item",
            name="filed_by",
            field=models.CharField(choices=FILED_BY, db_default="given", default="keywords", max_length=8),
        ),
        migrations.AlterField(
            model_name="item",
            name="filed_by",
            field=models.CharField(choices=FILED_BY, db_default="keywords", default="keywords", max_length=8),
        ),
    ]
