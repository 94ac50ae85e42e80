"""The client of the memory platform.

from memory_client import MemoryClient

with MemoryClient("http://127.0.0.1:8000", "mp_…", user_id="mara") as memory:
    memory.capture_turn("chat-1", user_input="I moved to Lisbon.", llm_output="Lovely!")
    for hit in memory.recall("Where do I live?").hits:
        print(hit.text, hit.confidence, hit.tags)

AsyncMemoryClient has the same methods, awaited. The shapes of options and answers are in memory_client.contract, what
is raised in memory_client.errors.
"""

from memory_client.client import AsyncMemoryClient, MemoryClient
from memory_client.decoding import Page
from memory_client.errors import MemoryClientError
from memory_client.exchange import Retries

__all__ = ["AsyncMemoryClient", "MemoryClient", "MemoryClientError", "Page", "Retries"]
