"""Questions in other languages, with the models of the product: no word of the question stands in the answer."""

import pytest

from apps.core import providers
from apps.core.scope import enter
from apps.memory.models import Item
from apps.retrieval import services as retrieval
from apps.retrieval.requests import RecallRequest

TURNS = (
    "Kurz vorab: ich betreue seit Oktober die Infrastruktur vom Verlag, vorher hat Thorben das gemacht.",
    "Ich darf übrigens keine Erdnüsse essen, sonst lande ich im Krankenhaus.",
    "Das Wetter in Husum war am Wochenende wirklich schrecklich, nur Regen.",
    "Con el técnico quedamos el martes por la mañana, que es cuando libro en la panadería.",
    "La factura de internet me la cargan el día cinco en la cuenta de mi hermano.",
    "The deploy script lives in the tools folder of the order service.",
)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Welche Allergie habe ich?", TURNS[1]),
        ("¿Cuándo viene la persona que repara la conexión?", TURNS[3]),
        ("Which food is dangerous for me?", TURNS[1]),
        ("Where is the deploy script?", TURNS[5]),
    ],
)
def test_a_question_finds_its_answer_in_whatever_language_both_are(judge, within, say, asked, answer):
    for text in TURNS:
        say(text)

    hits = retrieval.recall(RecallRequest(query=asked), within=within).hits

    assert answer in [hit.text for hit in hits[:3]]


def test_an_english_store_is_never_asked_in_another_model(judge, within, say, monkeypatch):
    class Unasked:
        model, dimension = "memory-multilingual-1", 384

    monkeypatch.setattr(providers, "multilingual_embedder", Unasked)
    say(TURNS[5])

    assert retrieval.recall(RecallRequest(query="Where is the deploy script?"), within=within).hits


def test_a_fact_said_twice_is_one_memory_in_its_own_language(judge, within, know):
    first = know("Das Backup läuft jede Nacht um halb drei.")
    other = know("The backup runs every night at half past two.")
    again = know("Das Backup läuft jede Nacht um halb drei!")

    assert again == first != other
    with enter(within):
        assert Item.objects.filter(tenant_id=within.tenant_id, id__in=[first, other]).count() == 2


def test_a_question_names_a_time_in_its_own_language(judge, within, say):
    say(TURNS[1])

    def span(query: str):
        explanation = retrieval.recall(RecallRequest(query=query, explain=True), within=within).explanation
        assert explanation is not None
        return explanation.time_range

    asked = span("Was habe ich letztes Jahr gegessen?")

    assert asked is not None
    assert asked.phrase == "letztes Jahr"
    assert span("Was darf ich nicht essen?") is None
