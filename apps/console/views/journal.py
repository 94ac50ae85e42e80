"""What was done, by whom."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from typing_extensions import override

from apps.api.gateway import Gateway
from apps.api.operations import handlers as operations
from apps.api.operations.contract import JournalEntry, JournalFilter
from apps.console.fields import MomentField
from apps.console.people import AGENT, Everybody
from apps.core.paging import page
from apps.tenants.access import MEMBER


class JournalForm(forms.Form):
    operation = forms.CharField(required=False, max_length=200)
    agent = forms.CharField(required=False, max_length=200)
    subject = forms.UUIDField(required=False, label="About (id)")
    since = MomentField(required=False, label="From")
    until = MomentField(required=False, label="Until")

    def __init__(self, given: Mapping[str, Any], everybody: Everybody) -> None:
        super().__init__(given)
        choices = everybody.choices(given.get("actor", ""))
        self.fields["actor"] = forms.ChoiceField(required=False, label="Who", choices=choices)
        self.order_fields(["operation", "actor"])

    @override
    def clean(self) -> dict[str, Any]:
        """What an agent did is an entry of that agent's."""
        by_agent, agent = _agent_of(self.cleaned_data.get("actor", "")), self.cleaned_data.get("agent")
        if by_agent and agent and by_agent != agent:
            self.add_error("agent", "Another agent is named under Who.")
        return self.cleaned_data

    def wanted(self) -> JournalFilter:
        """What is no filter is none: the form says what is wrong with it."""
        chosen = self.cleaned_data if self.is_valid() else {}
        actor = chosen.get("actor", "")
        by_agent = _agent_of(actor)
        return JournalFilter(
            operation=chosen.get("operation") or None,
            agent_id=by_agent or chosen.get("agent") or None,
            actor="agent" if by_agent else actor or None,
            subject_id=chosen.get("subject"),
            since=chosen.get("since"),
            until=chosen.get("until"),
        )


def journal(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    everybody = Everybody.of(gateway)
    form = JournalForm(request.GET, everybody)
    cut = operations.journal(gateway, form.wanted(), page(50, request.GET.get("after")))
    names = everybody.told(chain.from_iterable(_labels(entry) for entry in cut.rows))
    return render(request, "console/journal.html", {"form": form, "cut": cut, "names": names})


def _labels(entry: JournalEntry) -> Iterator[str]:
    """Of who did it, and of the people that it tells of."""
    yield entry.actor
    carried = entry.data.values() if isinstance(entry.data, dict) else ()
    yield from (value for value in carried if isinstance(value, str) and value.startswith(MEMBER))


def _agent_of(label: str) -> str:
    """The slug in an agent's label; empty for others'."""
    return label.removeprefix(AGENT) if label.startswith(AGENT) else ""
