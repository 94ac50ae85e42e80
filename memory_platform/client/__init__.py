"""The Python client.

from memory_platform.client import MemoryAgent

agent = MemoryAgent("http://127.0.0.1:8000", "mp_…")
agent.capture_turn("chat-1", user_input="I moved to Lisbon.", llm_output="Lovely!")
for hit in agent.query("Where do I live?"):
    print(hit.text, hit.confidence, hit.tags)
"""

from memory_platform.client.agent import MemoryAgent
from memory_platform.client.results import Capture, ContextBlock, Hit, Recall, Source, WriteResult

__all__ = ["Capture", "ContextBlock", "Hit", "MemoryAgent", "Recall", "Source", "WriteResult"]
