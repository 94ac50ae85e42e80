"""One prompt put to an OpenAI-compatible server, answered in the form asked for: adapters with a prompt build on it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ConfigDict, ValidationError

from memory_platform import prompts
from memory_platform.adapters.openai_endpoint import ChatMessage, Endpoint, ModelEndpoint, Tally, tallied
from memory_platform.errors import ProviderRefused
from memory_platform.model import ModelUsage, Utterance

_ResponseModel = TypeVar("_ResponseModel", bound=BaseModel)


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


def _chat_message(role: str, content: str) -> ChatMessage:
    return {"role": role, "content": content}
