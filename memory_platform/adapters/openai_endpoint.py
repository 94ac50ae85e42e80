"""An OpenAI-compatible server, as every adapter asks it: with retries, failures in our words, what it cost. Each call
has a deadline that holds whatever the server does: answers late, in drips, with garbage, or not at all.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import openai
from openai.types import CreateEmbeddingResponse
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ValidationError
from typing_extensions import override

from memory_platform import costs
from memory_platform.errors import CircuitOpen, ProviderError, ProviderLate, ProviderRefused, ProviderRetryable
from memory_platform.model import ModelUsage
from memory_platform.ports import Breaker

ATTEMPTS: Final = 3
BACKOFF_SECONDS: Final = 0.5
_RETRYABLE_STATUSES: Final = frozenset({408, 409, 425, 429})

_Answer = TypeVar("_Answer")
_ResponseModel = TypeVar("_ResponseModel", bound=BaseModel)
ChatMessage = dict[str, str]


class NeverOpen(Breaker):
    """Lets everything pass."""

    @override
    def lets_pass(self) -> bool:
        return True

    @override
    def succeeded(self) -> None:
        """Nothing is kept."""

    @override
    def failed(self, error: ProviderError) -> None:
        """Nothing is kept."""


def _always() -> None:
    """Nobody counts what is spent."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served, and whether to ask it now.

    `base_url` ends in /v1; servers without authentication take any key. `permit` raises BudgetSpent where a call may
    not be paid for.
    """

    base_url: str
    api_key: str
    model: str
    attempts: int = ATTEMPTS
    backoff_seconds: float = BACKOFF_SECONDS
    breaker: Breaker = field(default_factory=NeverOpen, compare=False)
    permit: Callable[[], None] = field(default=_always, compare=False)


@dataclass(slots=True)
class Tally:
    """What asking a model has come to so far: every attempt is a call, those whose answer was of use are `used`."""

    endpoint: Endpoint
    for_embeddings: bool = False
    started: float = field(default_factory=time.perf_counter)
    calls: int = 0
    used: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    are_tokens_known: bool = True

    def usage(self) -> ModelUsage:
        """As it is metered. What a server charges for an answer that never came is unknown."""
        cost: float | None = 0.0
        if self.calls and self.tokens_in + self.tokens_out:
            cost = costs.price_usd(
                self.endpoint.model,
                tokens_in=self.tokens_in,
                tokens_out=self.tokens_out,
                provider_url=self.endpoint.base_url,
            )
        return ModelUsage(
            model=self.endpoint.model,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            embedding_calls=self.calls if self.for_embeddings else 0,
            llm_calls=0 if self.for_embeddings else self.calls,
            failed_calls=self.calls - self.used,
            are_tokens_known=self.are_tokens_known,
            cost_usd=cost if self.are_tokens_known else None,
            milliseconds=(time.perf_counter() - self.started) * 1000,
        )


@contextmanager
def tallied(endpoint: Endpoint, *, for_embeddings: bool = False) -> Iterator[Tally]:
    """Count what is asked within; a failure carries it."""
    tally = Tally(endpoint, for_embeddings)
    try:
        yield tally
    except ProviderError as error:
        error.usage = tally.usage() if tally.calls else None
        raise


class ModelEndpoint:
    """One endpoint with its connection pool, bounded retries and the translation of its failures."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._client = openai.OpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key, max_retries=0)

    def chat(
        self,
        messages: Sequence[ChatMessage],
        *,
        deadline: float,
        tally: Tally,
        response_format: Mapping[str, Any] | None = None,
    ) -> ChatCompletion:
        """One completion before `deadline` (time.monotonic)."""
        body: dict[str, Any] = {"model": self.endpoint.model, "messages": list(messages)}
        if response_format is not None:
            body["response_format"] = dict(response_format)
        completion = self._ask("/chat/completions", body, ChatCompletion, deadline, tally)
        if completion.usage is None:
            tally.are_tokens_known = False
        else:
            tally.tokens_in += completion.usage.prompt_tokens
            tally.tokens_out += completion.usage.completion_tokens
        return completion

    def embeddings(
        self, texts: Sequence[str], *, deadline: float, tally: Tally, dimensions: int | None
    ) -> CreateEmbeddingResponse:
        """Vectors of at most 256 texts before `deadline` (time.monotonic)."""
        body: dict[str, Any] = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float"}
        if dimensions is not None:
            body["dimensions"] = dimensions
        response = self._ask("/embeddings", body, CreateEmbeddingResponse, deadline, tally)
        tally.tokens_in += response.usage.prompt_tokens
        return response

    def _ask(
        self, path: str, body: Mapping[str, Any], model: type[_ResponseModel], deadline: float, tally: Tally
    ) -> _ResponseModel:
        self.endpoint.permit()
        breaker = self.endpoint.breaker
        if not breaker.lets_pass():
            raise CircuitOpen(f"{self.endpoint.model} failed a moment ago and is left alone for a while.")
        try:
            answer = self._try(path, body, model, deadline, tally)
        except ProviderError as error:
            breaker.failed(error)
            raise
        breaker.succeeded()
        return answer

    def _try(
        self, path: str, body: Mapping[str, Any], model: type[_ResponseModel], deadline: float, tally: Tally
    ) -> _ResponseModel:
        for attempt in range(1, self.endpoint.attempts + 1):
            tally.calls += 1
            try:
                return _validated(_within(deadline, lambda: self._post(path, body, deadline)), model)
            except ProviderError as failure:
                tally.are_tokens_known &= isinstance(failure.__cause__, openai.APIStatusError)
                pause = failure.retry_after or self.endpoint.backoff_seconds * 2 ** (attempt - 1)
                is_last = attempt == self.endpoint.attempts or time.monotonic() + pause >= deadline
                if is_last or not isinstance(failure, ProviderRetryable):
                    raise
                time.sleep(pause)
        raise AssertionError("an endpoint has at least one attempt")

    def _post(self, path: str, body: Mapping[str, Any], deadline: float) -> bytes:
        """The raw answer, read in pieces so that a server that drips cannot hold the connection past the deadline."""
        left = max(0.001, deadline - time.monotonic())
        client = self._client.with_options(timeout=left)
        resource = client.chat.completions if path == "/chat/completions" else client.embeddings
        received = bytearray()
        try:
            with resource.with_streaming_response.create(**body) as response:
                for piece in response.iter_bytes():
                    received += piece
                    if time.monotonic() > deadline:
                        break
        except openai.APITimeoutError as error:
            raise _late(self.endpoint) from error
        except openai.APIStatusError as error:
            raise _status_error(error) from error
        except openai.OpenAIError as error:
            raise ProviderRetryable(f"The model server does not answer ({type(error).__name__}).") from error
        except Exception as error:
            # What breaks while the body is read comes from the client's transport library, unwrapped.
            raise ProviderRetryable(f"The connection to the model server broke ({type(error).__name__}).") from error
        if time.monotonic() > deadline:
            raise _late(self.endpoint)
        return bytes(received)


def _late(endpoint: Endpoint) -> ProviderLate:
    return ProviderLate(f"{endpoint.model} did not answer in time.")


def _status_error(error: openai.APIStatusError) -> ProviderError:
    status = error.status_code
    if status == 429 and error.code == "insufficient_quota":
        return ProviderRefused("The model account has no quota left.", hint="Top up the account or change the key.")
    if status in _RETRYABLE_STATUSES or status >= 500:
        return ProviderRetryable(f"The model server answered {status}.", retry_after=_retry_after(error))
    if status in {401, 403}:
        return ProviderRefused(f"The model server refused the key ({status}).", hint="Check the configured API key.")
    return ProviderRefused(f"The model server refused the request ({status}).")


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Seconds from a Retry-After header; the date form is rare among model servers and ignored."""
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "")))
    except ValueError:
        return None


def _within(deadline: float, function: Callable[[], _Answer]) -> _Answer:
    """The function's result, or ProviderLate at the deadline even while it is still blocked in a socket read.

    Socket timeouts bound the silence between two bytes, not the whole call. The abandoned daemon thread ends with its
    next byte or its own timeout.
    """
    outcome: list[_Answer | Exception] = []

    def run() -> None:
        try:
            outcome.append(function())
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits
            outcome.append(error)

    thread = threading.Thread(target=run, name="model-call", daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))
    if not outcome:
        raise ProviderLate("The model server did not answer in time.")
    result = outcome[0]
    if isinstance(result, Exception):
        raise result
    return result


def _validated(raw: bytes, model: type[_ResponseModel]) -> _ResponseModel:
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        raise ProviderRefused("The model server answered with something that is no OpenAI response.") from error
