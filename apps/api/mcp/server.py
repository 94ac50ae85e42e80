"""The MCP server of one caller: the tools its key has the scope for, and the session-start context as a resource.

Handlers run on the thread that serves the request, with its database connection.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from asgiref.sync import sync_to_async
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from apps.api.contract import problem_of
from apps.api.front import running_version
from apps.api.gateway import Gateway
from apps.api.mcp.tools import TOOLS, Tool
from apps.api.recall import handlers as recall
from apps.api.recall.contract import ContextBlock, ContextInput
from apps.api.sessions.contract import SessionStart
from apps.api.verbs import INSTRUCTIONS

Context = ServerRequestContext[Any]

START: Final = types.Resource(
    uri="memory://context", name="context", description="What to know at session start.", mime_type="text/plain"
)


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Who asks, and what they are offered."""

    gateway: Gateway

    def server(self) -> Server[Any]:
        return Server(
            "memory",
            version=running_version(),
            instructions=INSTRUCTIONS,
            # Without it the SDK lists the tools for each call.
            get_tool_input_schema=lambda name: TOOLS[name].description.input_schema if name in TOOLS else None,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_read_resource=self.read_resource,
        )

    async def list_tools(self, _: Context, _page: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        offered = [each.description for each in TOOLS.values() if each.is_open_to(self.gateway)]
        return types.ListToolsResult(tools=offered)

    async def call_tool(self, _: Context, called: types.CallToolRequestParams) -> types.CallToolResult:
        if called.name not in TOOLS:
            raise MCPError(types.INVALID_PARAMS, "There is no such tool.")
        return await sync_to_async(self._answer)(TOOLS[called.name], called.arguments or {})

    async def list_resources(self, _: Context, _page: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[START] if TOOLS["context"].is_open_to(self.gateway) else [])

    async def read_resource(self, _: Context, wanted: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if wanted.uri != START.uri:
            raise MCPError(types.INVALID_PARAMS, "There is no such resource.")
        text = await sync_to_async(self._session_start)()
        held = types.TextResourceContents(uri=START.uri, mime_type=START.mime_type, text=text)
        return types.ReadResourceResult(contents=[held])

    def _answer(self, tool: Tool, arguments: dict[str, Any]) -> types.CallToolResult:
        try:
            answer = tool.answer(self.gateway, arguments)
        except Exception as error:  # noqa: BLE001  told as every API tells it: mapped, logged, masked
            return types.CallToolResult(content=[_text(json.dumps(problem_of(error).body))], is_error=True)
        # A context, and what a session begins with, are texts already, within their budget of tokens.
        told = answer.text if isinstance(answer, ContextBlock | SessionStart) else answer.model_dump_json()
        return types.CallToolResult(content=[_text(told)], structured_content=answer.model_dump(mode="json"))

    def _session_start(self) -> str:
        try:
            return recall.context(self.gateway, ContextInput()).text
        except Exception as error:
            problem = problem_of(error)
            raise MCPError(types.INTERNAL_ERROR, problem.message, problem.extensions) from error


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
