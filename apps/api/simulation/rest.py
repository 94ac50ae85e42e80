"""Simulation over REST."""

from django.http import HttpRequest
from ninja import Router

from apps.api import verbs
from apps.api.recall.contract import ContextBlock, Recall
from apps.api.rest.routing import gateway_of, serve
from apps.api.simulation import handlers
from apps.api.simulation.contract import ContextTrialInput, RecallTrialInput, Simulation, SimulationInput

router = Router()


@serve(router, "POST", "/policy/simulate", verbs.SIMULATE_POLICY)
def simulate_policy(request: HttpRequest, body: SimulationInput) -> Simulation:
    """Reads only; nothing is changed."""
    return handlers.simulate_policy(gateway_of(request).of(body.user_id), body)


@serve(router, "POST", "/recall/try", verbs.TRY_RECALL)
def try_recall(request: HttpRequest, body: RecallTrialInput) -> Recall:
    """Nothing of it is kept but what it spent, and no memory counts as used."""
    return handlers.try_recall(gateway_of(request).of_named(body.filter), body)


@serve(router, "POST", "/context/try", verbs.TRY_CONTEXT)
def try_context(request: HttpRequest, body: ContextTrialInput) -> ContextBlock:
    """Nothing of it is kept but what it spent, and no memory counts as used."""
    return handlers.try_context(gateway_of(request).of_named(body.filter), body)
