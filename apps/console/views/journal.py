"""What was done, by whom."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.api.gateway import Gateway
from apps.api.operations import handlers as operations
from apps.api.operations.contract import JournalFilter
from apps.console import people
from apps.console.fields import MomentField
from apps.core.paging import page


class JournalForm(forms.Form):
    operation = forms.CharField(required=False, max_length=200)
    agent = forms.CharField(required=False, max_length=200)
    actor = forms.CharField(required=False, max_length=200, label="Who")
    subject = forms.UUIDField(required=False, label="About (id)")
    since = MomentField(required=False, label="From")
    until = MomentField(required=False, label="Until")

    def wanted(self) -> JournalFilter:
        """What is no filter is none: the form says what is wrong with it."""
        chosen = self.cleaned_data if self.is_valid() else {}
        return JournalFilter(
            operation=chosen.get("operation") or None,
            agent_id=chosen.get("agent") or None,
            actor=chosen.get("actor") or None,
            subject_id=chosen.get("subject"),
            since=chosen.get("since"),
            until=chosen.get("until"),
        )


def journal(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    form = JournalForm(request.GET)
    cut = operations.journal(gateway, form.wanted(), page(50, request.GET.get("after")))
    names = people.told(gateway, (entry.actor for entry in cut.rows))
    return render(request, "console/journal.html", {"form": form, "cut": cut, "names": names})
