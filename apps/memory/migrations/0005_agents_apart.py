"""Agents apart: who forgot what, and the clocks of audiences; counters and suppressions change with their rows."""

from django.db import migrations

from apps.core import rls

UNIT = rls.through("memory_forgotten_unit", "batch_id", "memory_forget_batch")
SUPPRESSION = rls.through("memory_suppression", "batch_id", "memory_forget_batch")
USE = rls.through("memory_item_use", "item_id", "memory_item")
# The clock of what is shared is nobody's.
CLOCK = f"{rls.OWN} OR {rls.NOBODYS}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0004_users_apart")]

    operations = [
        rls.narrow("memory_forget_batch", reads=rls.OWN, inserts=rls.OWN, updates=rls.OWN, deletes=rls.OWN),
        rls.narrow("memory_forgotten_unit", reads=UNIT, inserts=UNIT, updates=UNIT, deletes=UNIT),
        # Which sources are suppressed decides what is read of shared ones, too: ids and hashes, no words.
        rls.narrow("memory_suppression", inserts=SUPPRESSION, updates=SUPPRESSION, deletes=SUPPRESSION),
        rls.narrow("memory_item_use", inserts=USE, updates=USE, deletes=USE),
        rls.narrow("memory_audience_clock", reads=CLOCK, inserts=CLOCK, updates=CLOCK),
    ]
