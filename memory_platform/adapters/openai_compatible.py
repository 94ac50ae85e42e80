"""Rewriter and embedder over any OpenAI-compatible server, and what every such adapter is made of. Every call has a
deadline that holds whatever the server does: answers late, in drips, with garbage, or not at all.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
import openai
from openai.types import CreateEmbeddingResponse
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import override

from memory_platform import costs, prompts
from memory_platform.adapters.vectors import readable, unit_rows
from memory_platform.errors import CircuitOpen, ProviderError, ProviderLate, ProviderRefused, ProviderRetryable
from memory_platform.model import Message, ModelUsage, Thresholds, Utterance
from memory_platform.ports import Breaker, Embedder, Rewriter, Vectors
from memory_platform.text.cleaning import inline

ATTEMPTS: Final = 3
BACKOFF_SECONDS: Final = 0.5
THRESHOLDS: Final = Thresholds(duplicate=0.85, related=0.4, spread=0.1, centre=0.2)
"""Not calibrated: the cautious start value of DESIGN's table. Calibrate a model with
`python -m bench.calibrate --base-url … --model …` and pass the result to OpenAiEmbedder."""
_TEXTS_A_REQUEST: Final = 256
_RETRYABLE_STATUSES: Final = frozenset({408, 409, 425, 429})

_Answer = TypeVar("_Answer")
_ResponseModel = TypeVar("_ResponseModel", bound=BaseModel)
_ChatMessage = dict[str, str]


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
        messages: Sequence[_ChatMessage],
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


class OpenAiEmbedder(Embedder):
    """Embeddings of a remote model. `dimensions` asks for a shortened (Matryoshka) vector; a server that ignores the
    parameter is cut here, which is the same for models trained that way.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        dimensions: int = 256,
        thresholds: Thresholds = THRESHOLDS,
        timeout_seconds: float = 30,
        asks_for_dimensions: bool = True,
    ) -> None:
        self._server = ModelEndpoint(endpoint)
        self._dimensions = dimensions
        self._thresholds = thresholds
        self._timeout_seconds = timeout_seconds
        self._asks_for_dimensions = asks_for_dimensions

    @property
    @override
    def model(self) -> str:
        return f"{self._server.endpoint.model}-{self._dimensions}"

    @property
    @override
    def dimension(self) -> int:
        return self._dimensions

    @property
    @override
    def thresholds(self) -> Thresholds:
        return self._thresholds

    @override
    def embed(
        self, texts: Sequence[str], *, as_questions: bool = False, timeout: float | None = None
    ) -> tuple[Vectors, ModelUsage]:
        """See the port; without a `timeout` the adapter's own holds. 256 texts a request."""
        deadline = time.monotonic() + (self._timeout_seconds if timeout is None else timeout)
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        cleaned = readable(texts)
        dimensions = self._dimensions if self._asks_for_dimensions else None
        with tallied(self._server.endpoint, for_embeddings=True) as tally:
            for start in range(0, len(cleaned), _TEXTS_A_REQUEST):
                chunk = cleaned[start : start + _TEXTS_A_REQUEST]
                response = self._server.embeddings(chunk, deadline=deadline, tally=tally, dimensions=dimensions)
                vectors[start : start + len(chunk)] = self._rows(response, len(chunk))
                tally.used += 1
            return vectors, tally.usage()

    def _rows(self, response: CreateEmbeddingResponse, count: int) -> Vectors:
        rows = sorted(response.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(count)):
            raise ProviderRefused(f"The embedding server answered {len(rows)} vectors for {count} texts.")
        if any(len(row.embedding) < self._dimensions for row in rows):
            raise ProviderRefused(f"The embedding server's vectors have fewer than {self._dimensions} dimensions.")
        matrix = np.asarray([row.embedding[: self._dimensions] for row in rows], dtype=np.float32)
        if not np.isfinite(matrix).all() or not np.linalg.norm(matrix, axis=1).all():
            raise ProviderRefused("The embedding server answered a vector without direction.")
        return unit_rows(matrix)


class StrictAnswer(BaseModel):
    """Strict JSON schemas allow no further properties and require each one: so no defaults in the subclasses.

    What a server that does not keep to the schema adds is ignored.
    """

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})


class IndexedAnswer(StrictAnswer):
    """What is answered to one of the numbered entries of a prompt."""

    index: int


def index_problem(answers: Sequence[IndexedAnswer], count: int) -> str | None:
    """What is wrong with the numbers: each from 1 to `count` stands once."""
    if sorted(one.index for one in answers) == list(range(1, count + 1)):
        return None
    return f"give exactly one entry for each index from 1 to {count}"


class PromptedModel:
    """One prompt put to one endpoint, answered in one structured call.

    `has_strict_schema` is False for servers that know JSON mode only: the schema then goes into the prompt.
    """

    PROMPT: ClassVar[str]
    PROMPT_VERSION: ClassVar[int] = 1

    def __init__(self, endpoint: Endpoint, *, timeout_seconds: float = 60, has_strict_schema: bool = True) -> None:
        self._server = ModelEndpoint(endpoint)
        self._timeout_seconds = timeout_seconds
        self._has_strict_schema = has_strict_schema
        self._prompt = prompts.load(self.PROMPT, self.PROMPT_VERSION)

    @property
    def version(self) -> str:
        """What answers: the model and the prompt."""
        return f"openai:{self._server.endpoint.model}:{self._prompt.identity}"

    def _nothing_asked(self) -> ModelUsage:
        return Tally(self._server.endpoint).usage()

    def _ask(
        self,
        system: str,
        user: str,
        model: type[_ResponseModel],
        *,
        problem: Callable[[_ResponseModel], str | None] = lambda _: None,
        timeout: float | None = None,
        has_repair: bool = True,
    ) -> tuple[_ResponseModel, ModelUsage]:
        """Ask for `model`; when the answer does not fit, say why and ask once more.

        `timeout`, else the constructor's, bounds the whole of it: retries, pauses and repair. Raises ProviderError.
        """
        deadline = time.monotonic() + (self._timeout_seconds if timeout is None else timeout)
        form = _format(model, is_strict=self._has_strict_schema)
        if not self._has_strict_schema:
            system = f"{system}\n\nJSON schema of the answer:\n{json.dumps(model.model_json_schema())}"
        conversation = [_chat_message("system", system), _chat_message("user", user)]
        complaint = ""
        with tallied(self._server.endpoint) as tally:
            for _ in range(2 if has_repair else 1):
                asked = self._server.chat(conversation, deadline=deadline, tally=tally, response_format=form)
                content = _content(asked)
                answer, complaint = _read(content, model, problem)
                if answer is not None and not complaint:
                    tally.used += 1
                    return answer, tally.usage()
                repair = prompts.load("repair").fill(problem=complaint)
                conversation += [_chat_message("assistant", content), _chat_message("user", repair)]
            raise ProviderRefused(
                f"{self._server.endpoint.model} did not answer in the asked form.", hint=complaint.split(":")[0]
            )


class _RewriteAnswer(StrictAnswer):
    query: str


class OpenAiRewriter(PromptedModel, Rewriter):
    """Rewrites with one structured call, no retry and no repair: recall waits for it."""

    PROMPT = "rewrite"

    def __init__(self, endpoint: Endpoint, *, has_strict_schema: bool = True) -> None:
        super().__init__(replace(endpoint, attempts=1), has_strict_schema=has_strict_schema)

    @override
    def rewrite(
        self, message: str, *, history: Sequence[Message], now: datetime, timeout: float = 2
    ) -> tuple[str, ModelUsage]:
        """See the port. DESIGN allows 2 s; an empty answer is ProviderRefused, the caller keeps the original."""
        lines = [f"{earlier.role}: {inline(earlier.content)}" for earlier in history]
        answer, usage = self._ask(
            self._prompt.fill(now=now.isoformat(timespec="minutes")),
            "History:\n" + "\n".join(lines) + f"\n\nLast message:\n{message}",
            _RewriteAnswer,
            problem=lambda found: None if found.query.strip() else "the query is empty",
            timeout=timeout,
            has_repair=False,
        )
        return answer.query.strip(), usage


def _read(
    content: str, model: type[_ResponseModel], problem: Callable[[_ResponseModel], str | None]
) -> tuple[_ResponseModel | None, str]:
    """The answer, and what is wrong with it."""
    try:
        answer = model.model_validate_json(_unfenced(content))
    except ValidationError as error:
        return None, _complaint(error)
    return answer, problem(answer) or ""


def _format(model: type[BaseModel], *, is_strict: bool) -> Mapping[str, Any]:
    if not is_strict:
        return {"type": "json_object"}
    name = model.__name__.strip("_").casefold()
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "strict": True, "schema": model.model_json_schema()},
    }


def _content(completion: ChatCompletion) -> str:
    choice = completion.choices[0] if completion.choices else None
    if choice is not None and not choice.message.refusal and choice.finish_reason != "length":
        return choice.message.content or ""
    if choice is None:
        raise ProviderRefused("The model server answered without a choice.")
    if choice.message.refusal:
        raise ProviderRefused("The model refused to answer.")
    raise ProviderRefused("The model's answer was cut at its length limit.", hint="Send smaller batches.")


def _unfenced(content: str) -> str:
    """Without the Markdown fence that models in JSON mode like to add."""
    text = content.strip()
    if text.startswith("```"):
        text = text.split("\n", 1)[-1].rsplit("```", 1)[0]
    return text


def _complaint(error: ValidationError) -> str:
    """The first five mistakes by place and kind; the values stay out, they are content."""
    return "; ".join(
        f"{'.'.join(str(part) for part in mistake['loc']) or 'answer'}: {mistake['type']}"
        for mistake in error.errors(include_url=False, include_input=False)[:5]
    )


def transcript(utterances: Sequence[Utterance], context: Sequence[Utterance]) -> str:
    numbered = [f"[{number}] {_line(said)}" for number, said in enumerate(utterances, start=1)]
    return "\n".join(_sections([_line(said) for said in context], numbered))


def _sections(earlier: Sequence[str], numbered: Sequence[str]) -> Iterator[str]:
    if earlier:
        yield from ("Context:", *earlier, "")
    yield from ("Messages:", *numbered)


def _line(said: Utterance) -> str:
    """One message as JSON, so that no text can pose as another message."""
    fields = {"speaker": said.speaker or said.role, "at": said.said_at.isoformat(timespec="minutes"), "text": said.text}
    return json.dumps(fields, ensure_ascii=False)


def _chat_message(role: str, content: str) -> _ChatMessage:
    return {"role": role, "content": content}
