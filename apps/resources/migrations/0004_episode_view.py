"""What other apps read of messages."""

from django.db import migrations

from apps.core.database_views import create_view


class Migration(migrations.Migration):
    dependencies = [("resources", "0003_agents_apart")]
    operations = [
        create_view(
            "resources_episode",
            about="Captured messages, forgotten ones included.",
            columns={
                "tenant_id": ("r.tenant_id", "The tenant."),
                "id": ("r.id", "The message."),
                "session_id": ("r.session_id", "Its conversation."),
                "ordinal": ("r.ordinal", "Its place there, from 0."),
                "agent_id": ("r.agent_id", "The agent it was said to."),
                "user_id": ("r.user_id", "The caller's own id of the user it belongs to; null: no user's."),
                "visibility": ("r.visibility", "private or shared."),
                "role": ("r.role", "As what it was said: user, assistant, tool or system."),
                "speaker": ("r.speaker", "Who said it, in the caller's words."),
                "external_id": ("r.external_id", "The caller's own id of it."),
                "text": ("r.raw_content", "The words; secrets are in them where the policy keeps those."),
                "said_at": ("r.content_at", "When it was said."),
                "recorded_at": (
                    "least(r.content_at, r.created_at)",
                    "From when it is believed: from its saying, or its capture if earlier.",
                ),
            },
            source="resources_resource r",
        )
    ]
