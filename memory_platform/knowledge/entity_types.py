"""What sort of thing a name stands for: person, project, organization, place, concept or tool.

Three sources: the name itself (three small gazetteers of names), the reader's label, and what the text says of it: the
noun beside it, the predicate it is an end of. Each guess says how sure it is, so that a surer one can overrule it.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from memory_platform.knowledge.entities import EntityForm, FoundName
from memory_platform.knowledge.graph import EntityType

UNKNOWN: Final = 0.1
"""Confidence of "concept" when nothing speaks for anything: any other guess overrules it."""
IS_GUESS: Final = 0.3
"""Below this a type is no reason to keep two names apart."""


@dataclass(frozen=True, slots=True)
class TypeGuess:
    type: EntityType
    confidence: float


_FIRST_NAME_WORDS: Final = """
    aaron abby adam adrian ahmed aisha alan albert alex alexander alexandra alexis alice alicia alina allison amanda
    amber amelia amir amy ana andre andrea andreas andrew angela anita ann anna anne annie anthony antonio anton ariana
    arjun arthur audrey aurora ava barbara beatrice ben benjamin bernd beth bill bob boris brandon brian bruno caleb
    calvin cameron camila carl carla carlos carol caroline catherine charles charlie charlotte chen chloe chris
    christian christina christine christopher claire clara claudia cole colin connor craig cynthia daisy dan daniel
    daniela david deborah debra dennis derek diana diego dmitri dominic donald donna dorothy doug dylan eddie edward
    elena eli elias elijah elise elizabeth ella ellen emily emma eric erik erika ethan eva evan evelyn fatima felix
    fiona frank franz fred gabriel gary george georgia gina giulia grace grant greg hana hannah hans harry hassan heather
    helen helena henry holly hugo ian ibrahim ina ines ingrid irene isaac isabel isabella ivan jack jacob jake james
    jamie jan jane janet jasmine jason jean jeff jennifer jenny jeremy jerry jess jessica jill jim joan joanna joe joel
    johann john jon jonas jonathan jordan jorge jose joseph josh joshua juan julia julian julie justin karen karl kate
    katherine kathy katie keith kelly ken kenneth kevin kim kristen kurt kyle lars laura lauren lea leah lee lena leo
    leon li liam lina linda lisa liz logan lola louis louise luca lucas lucia lucy luis luke luna madison maria mariam
    marie marina mario mark marta martha martin martina mary mateo matt matthew maya megan mei melanie melissa mia
    michael michelle miguel mike mila mohamed mohammed molly monica nadia nancy naomi natalie nate nathan nick nicholas
    nicole nina noah nora oliver olivia omar oscar pablo pamela pat patricia patrick paul paula pedro peter petra phil
    philip priya rachel rahul raj ralph raymond rebecca richard rick rita rob robert robin roger ron rosa rose roy ruth
    ryan sabrina sally sam samantha samuel sandra sara sarah scott sean sebastian sergei sharon shaun shirley simon
    sofia sonia sophia sophie stacy stefan stella stephanie stephen steve steven susan suzanne sven sylvia tanya tara ted
    teresa theo theresa thomas tim tina tobias todd tom tony tracy tyler uma ursula valentina vanessa vera veronica
    victor victoria vincent vivian walter wei wendy will william xavier yara yuki yusuf yvonne zach zara zoe
    """
_TOOL_WORDS: Final = """
    airflow alembic android angular ansible apache arangodb argocd asana aws azure bash bigquery bitbucket bootstrap
    cassandra celery chrome circleci clickhouse cloudflare cloudwatch cmake confluence consul css cuda cypress dagster
    datadog dbt debian deno discord django docker duckdb dynamodb elasticsearch elixir emacs erlang eslint excel
    express fastapi figma firebase firefox flask flink flutter gcp git github gitlab go golang grafana graphql grpc
    gunicorn hadoop haskell helm heroku html httpx ios istio java javascript jenkins jest jira jquery jupyter kafka
    keycloak kibana kotlin kubernetes lambda langchain laravel latex linux lua mariadb mattermost maven memcached
    mercurial minio mongodb mqtt mypy mysql nats neo4j netlify next.js nextjs nginx nix node node.js nodejs nomad notion
    npm numpy okta openai opensearch oracle pandas perl photoshop php playwright podman postgres postgresql postman
    powerpoint powershell prometheus pulumi pydantic pytest python pytorch qdrant rabbitmq rails react redis redshift
    redux rest ruby ruff rust s3 salesforce sass scala selenium sentry sharepoint slack snowflake spark splunk spring
    sql sqlalchemy sqlite sqs stripe supabase svelte swift tableau tailwind teams temporal tensorflow terraform trello
    typescript ubuntu uv vagrant valkey vault vercel vim vite vscode vue webpack whatsapp windows wordpress xcode yaml
    zendesk zoom zookeeper
    """
_PLACE_NAMES: Final = """
    africa alaska albania algeria amsterdam argentina arizona asia athens atlanta austin australia austria bali bangkok
    barcelona bavaria beijing belgium berlin bolivia boston brazil bristol brooklyn brussels budapest bulgaria cairo
    california cambodia canada chicago chile china cologne colombia colorado copenhagen croatia cuba cyprus
    dallas delhi denmark denver dubai dublin ecuador edinburgh egypt england estonia ethiopia europe finland florence
    florida france frankfurt geneva georgia germany glasgow greece hamburg hanoi havana hawaii helsinki houston hungary
    iceland illinois india indonesia iran iraq ireland israel istanbul italy jakarta jamaica japan jerusalem kenya korea
    krakow kyoto latvia lebanon leipzig lima lisbon lithuania london louisiana luxembourg lyon madrid malaysia malta
    manchester manhattan marseille maryland massachusetts melbourne mexico miami michigan milan minnesota montana
    montreal morocco moscow mumbai munich nairobi naples nepal netherlands nevada nigeria norway nyc ohio oregon osaka
    oslo ottawa oxford pakistan paris pennsylvania peru philadelphia philippines phoenix poland porto portland portugal
    prague quebec rome romania russia scotland seattle seoul serbia shanghai sicily singapore slovakia slovenia spain
    stockholm stuttgart sweden switzerland sydney taipei taiwan tampa tennessee texas thailand tokyo toronto toulouse
    tunisia turkey tuscany uganda uk ukraine uruguay usa utah valencia vancouver venezuela venice vermont vienna vietnam
    wales warsaw washington wisconsin zurich
    """
_FIRST_NAMES: Final = frozenset(_FIRST_NAME_WORDS.split())
_TOOLS: Final = frozenset(_TOOL_WORDS.split())
_PLACES: Final = frozenset(_PLACE_NAMES.split()) | {
    "new york", "new york city", "los angeles", "san francisco", "san diego", "san jose", "las vegas", "hong kong",
    "new zealand", "south africa", "south korea", "costa rica", "united states", "united kingdom", "new orleans",
    "rio de janeiro", "sao paulo", "buenos aires", "mexico city", "tel aviv", "abu dhabi", "new jersey", "new mexico",
    "north carolina", "south carolina", "saudi arabia", "sri lanka", "czech republic", "cape town", "silicon valley",
}  # fmt: skip

_ORGANIZATION_WORDS: Final = re.compile(
    r"\b(?:Inc|Ltd|LLC|GmbH|AG|Corp|Corporation|Company|Co|PLC|University|College|School|Institute|Bank|Foundation"
    r"|Hospital|Clinic|Agency|Group|Labs?|Ventures|Partners|Association|Society|Ministry|Department|Council|Church"
    r"|Airlines?|Studios?|Records|Press|Club|Union|Team|Consulting|Technologies|Systems|Solutions)\.?\Z"
)
_PLACE_WORDS: Final = re.compile(
    r"\b(?:Street|Avenue|Road|Square|City|Town|Village|County|River|Lake|Mountains?|Mount|Park|Beach|Island|Islands"
    r"|Valley|Airport|Station|Museum|Bridge|Forest|Canyon|Falls|Bay|Coast|Desert|Harbou?r|Hills?|Cafe|Café"
    r"|Restaurant|Hotel|Zoo|Gardens?|Trail)\Z|\A(?:Lake|Mount|Mt|Port|Fort|Saint-|San|Santa|Los|Las)\s"
)
_PROJECT_WORDS: Final = re.compile(r"\A(?:Project|Operation)\s|\s(?:Project|Initiative|Migration|Programme|Program)\Z")
_NOUNS: Final = {
    EntityType.PROJECT: "project repo repository initiative rollout codebase milestone ticket epic",
    EntityType.ORGANIZATION: "company startup firm vendor supplier bank agency employer university school clinic hospital bakery",
    EntityType.TOOL: "service server cluster database container library framework api plugin app tool language router package",
    EntityType.PLACE: "city town village street region airport station restaurant hotel cafe",
    EntityType.PERSON: "boss friend sister brother mother father wife husband son daughter cousin aunt uncle niece nephew colleague"
    " coworker teammate roommate flatmate neighbour neighbor mentor teacher coach therapist doctor nurse accountant lawyer"
    " engineer developer designer manager director assistant guy woman man lady",
}  # fmt: skip
_BY_NOUN: Final = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
"""What the nouns beside a name say of it."""
_BY_LABEL: Final = {
    "PERSON": EntityType.PERSON, "ORG": EntityType.ORGANIZATION, "PLACE": EntityType.PLACE, "PRODUCT": EntityType.TOOL,
}  # fmt: skip
_LABELLED: Final = 0.25
_LABELLED_WORDS: Final = 0.5
"""Confidence of a reader's label for a name of one word, which errs too often to keep two names apart, and of several."""
_HINTED: Final = 0.7
_BY_FORM: Final = {
    EntityForm.EMAIL: TypeGuess(EntityType.PERSON, 0.9),
    EntityForm.HANDLE: TypeGuess(EntityType.PERSON, 0.8),
    EntityForm.URL: TypeGuess(EntityType.TOOL, 0.9),
    EntityForm.PATH: TypeGuess(EntityType.TOOL, 0.9),
    EntityForm.HASHTAG: TypeGuess(EntityType.CONCEPT, 0.9),
}
_DOCUMENT: Final = re.compile(r"(?:ADR|RFC|PEP|CVE|ISO)\b", re.IGNORECASE)
_CAMEL: Final = re.compile(r"(?:(?![a-z][A-Z])\w)*+[a-z][A-Z]\w*+")


def type_by_name(name: str) -> EntityType | None:
    """What a name by itself surely stands for: a known place or tool, a company by its "Inc"; None for most."""
    surest = max(_by_words(name), key=lambda guess: guess.confidence, default=None)
    return surest.type if surest else None


def is_first_name(word: str) -> bool:
    return word.casefold() in _FIRST_NAMES


def type_of(
    found: FoundName, *, hints: Collection[EntityType] = (), nouns: Collection[str] = (), is_speaker: bool = False
) -> TypeGuess:
    """What a name most likely stands for: by how it is written, by the reader's label, by what the text says of it.

    `hints` are what predicates take for ends (relations.type_hints), `nouns` those beside it (relations.kinds). Speakers
    are people.
    """
    if is_speaker:
        return TypeGuess(EntityType.PERSON, 1.0)
    if found.form is EntityForm.REFERENCE:
        return TypeGuess(EntityType.CONCEPT if _DOCUMENT.match(found.name) else EntityType.PROJECT, 0.9)
    if found.form is not EntityForm.NAME:
        return _BY_FORM[found.form]
    said = [*hints, *(_BY_NOUN[noun] for noun in nouns if noun in _BY_NOUN)]
    guesses = [*_by_words(found.name), *(TypeGuess(kind, _HINTED) for kind in sorted(said)), *_by_label(found)]
    return max(guesses, key=lambda guess: guess.confidence, default=TypeGuess(EntityType.CONCEPT, UNKNOWN))


def _by_label(found: FoundName) -> list[TypeGuess]:
    kind = _BY_LABEL.get(found.label)
    return [TypeGuess(kind, _LABELLED_WORDS if " " in found.name else _LABELLED)] if kind else []


def _by_words(name: str) -> list[TypeGuess]:
    """What the name itself says, the surest first."""
    folded = name.casefold()
    words = folded.split()
    guesses: list[TypeGuess] = []
    if _ORGANIZATION_WORDS.search(name) and len(words) > 1:
        guesses.append(TypeGuess(EntityType.ORGANIZATION, 0.9))
    if _PROJECT_WORDS.search(name):
        guesses.append(TypeGuess(EntityType.PROJECT, 0.9))
    if folded in _PLACES:
        guesses.append(TypeGuess(EntityType.PLACE, 0.85))
    if _PLACE_WORDS.search(name) and len(words) > 1:
        guesses.append(TypeGuess(EntityType.PLACE, 0.8))
    if folded in _TOOLS or (words[0] in _TOOLS and all(word[0].isdigit() for word in words[1:])):
        guesses.append(TypeGuess(EntityType.TOOL, 0.8))
    if words[0] in _FIRST_NAMES and len(words) <= 3:
        guesses.append(TypeGuess(EntityType.PERSON, 0.8))
    if not guesses and _CAMEL.fullmatch(name):
        guesses.append(TypeGuess(EntityType.TOOL, 0.4))
    return guesses
