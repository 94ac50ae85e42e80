"""What was imported is believed from when it was said (docs/adr/0017); and slots are found by their words.

`rebuild_index` brings the documents and the graph in line.
"""

from django.db import migrations, models

# A confidence whose clock started with the row starts when it was said, too.
FROM_ITS_FIRST_SOURCE = """
UPDATE memory_item item SET recorded_at = said.at,
    reinforced_at = CASE WHEN item.reinforced_at = item.recorded_at THEN said.at ELSE item.reinforced_at END
FROM (
    SELECT i.tenant_id, i.id, least(i.said_at, min(r.said_at)) AS at FROM memory_item i
    LEFT JOIN memory_item_source s ON s.tenant_id = i.tenant_id AND s.item_id = i.id
    LEFT JOIN resources_episode r ON r.tenant_id = s.tenant_id AND r.id = s.resource_id
    GROUP BY i.tenant_id, i.id, i.said_at
) said WHERE said.tenant_id = item.tenant_id AND said.id = item.id AND said.at < item.recorded_at
"""
UNTIL_IT_WAS_SAID_OTHERWISE = """
UPDATE memory_item item SET retracted_at = newer.said_at FROM memory_item_link link
JOIN memory_item newer ON newer.tenant_id = link.tenant_id AND newer.id = link.from_item_id
WHERE link.tenant_id = item.tenant_id AND link.to_item_id = item.id AND link.kind = 'supersedes'
    AND link.closed_at IS NULL AND newer.said_at < item.retracted_at
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0005_agents_apart"),
        ("resources", "0004_episode_view"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                models.F("tenant_id"),
                models.F("subject"),
                models.F("attribute"),
                condition=models.Q(("subject", ""), _negated=True),
                name="memory_item_slot",
            ),
        ),
        migrations.RunSQL(FROM_ITS_FIRST_SOURCE, migrations.RunSQL.noop),
        migrations.RunSQL(UNTIL_IT_WAS_SAID_OTHERWISE, migrations.RunSQL.noop),
    ]
