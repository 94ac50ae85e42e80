"""The prompts, one file a prompt and version. A changed prompt is a new file: extractions name the one they used."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template


@dataclass(frozen=True, slots=True)
class Prompt:
    """`identity` ("extraction.v1") goes into what the prompt produced."""

    identity: str
    template: Template

    def fill(self, **values: str) -> str:
        """The text with every $name replaced; raises KeyError when one is left without a value."""
        return self.template.substitute(values)


@cache
def load(name: str, version: int = 1) -> Prompt:
    """Read the prompt `name` in `version`; raises FileNotFoundError when there is none."""
    identity = f"{name}.v{version}"
    return Prompt(identity, Template(files(__name__).joinpath(f"{identity}.md").read_text(encoding="utf-8").strip()))
