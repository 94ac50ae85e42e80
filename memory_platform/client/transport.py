"""HTTP: one connection pool, errors mapped back to the platform's tree, patience when the server asks for it."""

import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from memory_platform import errors

ATTEMPTS = 4
LONGEST_WAIT_SECONDS = 10.0
# The caller's own id of the user a request is for, percent-encoded.
USER_HEADER = "Memory-User"

_BY_CODE: Mapping[str, type[errors.MemoryPlatformError]] = {
    kind.code: kind
    for kind in (
        errors.Unauthenticated,
        errors.Forbidden,
        errors.NotFound,
        errors.Invalid,
        errors.Conflict,
        errors.RateLimited,
        errors.TooComplex,
        errors.Unavailable,
    )
}


class Transport:
    """Speaks to one server with one key, and for one user where one is named.

    Retries only what the server refused (429, 503) or never received.
    """

    def __init__(self, url: str, api_key: str, *, user_id: str | None = None, timeout: float = 30.0) -> None:
        """`timeout` is in seconds. Raises Invalid when `url` is not one, Unauthenticated when no key looks so."""
        if not (api_key.isascii() and api_key.isprintable()):
            raise errors.Unauthenticated(
                "The API key holds characters that no key has.", hint="Copy it whole, as it was shown."
            )
        headers = {"Authorization": f"Bearer {api_key}"}
        if user_id is not None:
            headers[USER_HEADER] = quote(user_id, safe="")
        self._http = httpx.Client(base_url=_checked(url), timeout=timeout, headers=headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def graphql(self, query: str, variables: Mapping[str, Any]) -> Any:
        """Run an operation with one root field and return that field. Raises the platform's errors."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                response = self._send("POST", "/graphql", json={"query": query, "variables": dict(variables)})
                return _root_field(response)
            except (errors.RateLimited, errors.Unavailable) as refused:
                _wait_or_raise(refused, attempt)
        raise AssertionError  # pragma: no cover  the last attempt returns or raises

    def rest(self, method: str, path: str, *, json: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        response = self._send(method, path, json=json, params=params)
        _raise_for_problem(response)
        return _json(response)

    def post_lines(self, path: str, lines: Sequence[bytes]) -> Any:
        """POST newline-delimited JSON; each line ends with its newline."""
        response = self._send("POST", path, content=b"".join(lines), headers={"Content-Type": "application/x-ndjson"})
        _raise_for_problem(response)
        return _json(response)

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            return self._http.request(method, path, **request)
        except httpx.ConnectError as error:
            raise errors.Unavailable(
                f"No memory server answers at {self._http.base_url}.",
                hint="Start one with `memory serve`, or set MEMORY_URL.",
            ) from error
        except httpx.TimeoutException as error:
            raise errors.Unavailable("The memory server did not answer in time.", hint="Try again.") from error
        except httpx.TransportError as error:
            raise errors.Unavailable(f"The connection broke: {type(error).__name__}.", hint="Try again.") from error


def _checked(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url.strip().rstrip("/"))
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise errors.Invalid(f"{url!r} is not the URL of a server.", hint="Use one such as http://127.0.0.1:8000.")
    return parsed


def _root_field(response: httpx.Response) -> Any:
    body = _json(response)
    if failures := body.get("errors"):
        raise _error(failures[0]["message"], failures[0].get("extensions") or {})
    if not body.get("data"):
        _raise_for_problem(response)
        raise _not_ours(response)
    (value,) = body["data"].values()
    return value


def _raise_for_problem(response: httpx.Response) -> None:
    if response.is_error:
        problem = _json(response).get("error")
        if not isinstance(problem, dict):
            raise _not_ours(response)
        raise _error(problem.get("message") or f"HTTP {response.status_code}", problem)


def _json(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError as error:
        raise _not_ours(response) from error
    if not isinstance(body, dict):
        raise _not_ours(response)
    return body


def _not_ours(response: httpx.Response) -> errors.Unavailable:
    return errors.Unavailable(
        f"HTTP {response.status_code} from {response.url}: not the answer of a memory server.",
        hint="Check the URL, and what stands between here and the server.",
    )


def _error(message: str, details: Mapping[str, Any]) -> errors.MemoryPlatformError:
    kind = _BY_CODE.get(details.get("code", ""), errors.MemoryPlatformError)
    return kind(message, hint=details.get("hint"), field=details.get("field"), retry_after=details.get("retryAfter"))


def _wait_or_raise(refused: errors.MemoryPlatformError, attempt: int) -> None:
    seconds = refused.retry_after
    if seconds is None or seconds > LONGEST_WAIT_SECONDS or attempt == ATTEMPTS:
        raise refused
    time.sleep(seconds)
