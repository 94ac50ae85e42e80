"""A service is a name, and as long as others are: a longer one was a failure of ours."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0016_what_counting_reads")]

    operations = [
        migrations.AlterField("item", "service", models.CharField(blank=True, default="", max_length=200)),
    ]
