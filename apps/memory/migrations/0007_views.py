"""What other apps read of items: those that can be recalled, what they rest on, and how they relate.

The index lets old rejections go without reading every link.
"""

from django.db import migrations, models

from apps.core.database_views import create_view

_OWNER = {
    "agent_id": "The agent it belongs to.",
    "user_id": "The caller's own id of the user it belongs to; null: no user's.",
    "visibility": "private or shared.",
}
_EPISODE = {
    "tenant_id": "The tenant.",
    "id": "The message.",
    "session_id": "Its conversation.",
    "ordinal": "Its place there, from 0.",
    **_OWNER,
    "role": "As what it was said: user, assistant, tool or system.",
    "speaker": "Who said it, in the caller's words.",
    "text": "The words; secrets are in them where the policy keeps those.",
    "said_at": "When it was said.",
    "recorded_at": "From when it is believed: from its saying, or its capture if earlier.",
}


def _of(table: str, columns: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {column: (f"{table}.{column}", meaning) for column, meaning in columns.items()}


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_believed_from_when_it_was_said"), ("resources", "0004_episode_view")]
    operations = [
        create_view(
            "memory_live_item",
            about="Items that can be recalled, superseded ones included: held ones wait for review, merged wordings are"
            " found through their item, forgotten ones are gone.",
            columns={
                **_of(
                    "i",
                    {
                        "tenant_id": "The tenant.",
                        "id": "The item.",
                        **_OWNER,
                        "text": "What it says.",
                        "entity_names": "Names an extractor found in it.",
                        "confidence": "0..1, at the last reinforcement.",
                        "language": "Code of the language; empty: unknown.",
                        "said_by": "Who said it, where that is not the speaker of the message; else empty.",
                        "event_time": "When what it tells happened.",
                        "valid_from": "Since when it is true.",
                        "valid_until": "Until when; null: still.",
                        "recorded_at": "Since when it is believed.",
                        "retracted_at": "Until when; null: still.",
                    },
                ),
                "is_asserted": (
                    "i.mood = 'asserted' AND i.reported_by = ''",
                    "Nobody merely asks, supposes, wishes, orders or reports it.",
                ),
            },
            source="memory_item i WHERE i.verdict = 'allow' AND i.status <> 'deleted' AND i.status_reason <> 'merged'",
        ),
        create_view(
            "memory_forgotten_episode",
            about="Messages that are forgotten as a whole: suppressed without naming a claim.",
            columns=_of("s", {"tenant_id": "The tenant.", "resource_id": "The message."}),
            source="memory_suppression s WHERE s.claim_hash = ''",
        ),
        create_view(
            "memory_live_episode",
            about="Messages that are not forgotten.",
            columns=_of("e", _EPISODE),
            source="resources_episode e WHERE NOT EXISTS (SELECT FROM memory_forgotten_episode gone"
            " WHERE gone.tenant_id = e.tenant_id AND gone.resource_id = e.id)",
        ),
        create_view(
            "memory_origin",
            about="Which messages an item rests on.",
            columns=_of(
                "s",
                {
                    "tenant_id": "The tenant.",
                    "id": "In the order they came.",
                    "item_id": "The item.",
                    "resource_id": "The message.",
                },
            ),
            source="memory_item_source s",
        ),
        create_view(
            "memory_link",
            about="How two items relate; what contradicts an item and became none is left out.",
            columns=_of(
                "l",
                {
                    "tenant_id": "The tenant.",
                    "id": "The link.",
                    "kind": "What from_item_id does: supersedes, contradicts, merged_into …",
                    "from_item_id": "The item that does.",
                    "to_item_id": "The item it does it to.",
                    "created_at": "Since when.",
                    "closed_at": "Until when; null: still.",
                },
            ),
            source="memory_item_link l WHERE l.from_item_id IS NOT NULL",
        ),
        migrations.AddIndex(
            model_name="itemlink",
            index=models.Index(
                models.F("tenant_id"),
                models.F("from_rejection"),
                condition=models.Q(("from_rejection__isnull", False)),
                name="memory_item_link_rejection",
            ),
        ),
    ]
