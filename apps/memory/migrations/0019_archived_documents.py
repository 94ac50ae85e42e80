"""What is archived leaves the default read: its documents say so."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Exists, OuterRef


def archive(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    items = apps.get_model("memory", "Item").objects.filter(status="archived")
    told = items.filter(tenant_id=OuterRef("tenant_id"), id=OuterRef("unit_id"))
    apps.get_model("index", "Document").objects.filter(Exists(told), unit="item").update(archived=True)


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0018_ended_states"),
        ("index", "0007_archived_documents"),
    ]

    operations = [migrations.RunPython(archive, migrations.RunPython.noop)]
