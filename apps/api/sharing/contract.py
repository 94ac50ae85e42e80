"""Shared memory: what one agent of a tenant lets all the others know."""

from datetime import datetime

from pydantic import AwareDatetime, Field

from apps.api.contract import Answer, ForUser, Input, Name, Text
from apps.api.memories.contract import FactInput, RememberInput
from apps.api.recall.contract import Limit, MemoryFilter, RecallInput
from memory_platform.model import Visibility


class SharedMemoryInput(FactInput):
    """A fact for all agents of the tenant."""

    domain: Name | None = Field(
        default=None, description="A category; default and, but for admins, only the agent's own."
    )
    occurred_at: AwareDatetime | None = Field(default=None, description="When it was said; default: now.")

    def as_remember(self) -> RememberInput:
        own_words = self.model_dump(exclude={"domain"})
        return RememberInput(category=self.domain, visibility=Visibility.SHARED, **own_words)


class SharedRecallInput(ForUser):
    """The short form of a question to shared memory."""

    query: Text = Field(description="What is asked, in the words it is asked in.")
    domain: Name | None = Field(default=None, description="In this domain alone, by its slug.")
    limit: Limit = None

    def as_recall(self) -> RecallInput:
        return RecallInput(query=self.query, limit=self.limit, filter=MemoryFilter(domain=self.domain))


class ShareInput(Input):
    domain: Name | None = Field(default=None, description="A category; default: the agent's own, else the memory's.")


class SharedDomain(Answer):
    """A domain is a category; agents are the sharing agents' own names."""

    domain: str = Field(description="The category's slug.")
    memories: int = Field(description="How many current memories are shared in it.")
    agents: list[str] = Field(description="The names of the agents that share in it.")
    last_write_at: datetime = Field(description="Since when the last of them is believed.")
