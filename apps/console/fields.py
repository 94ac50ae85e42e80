"""Fields that several pages' forms have."""

from django import forms


class MomentField(forms.DateTimeField):
    """A time by the tenant's clock, as browsers ask for it."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
