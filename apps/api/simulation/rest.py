"""Simulation over REST."""

from django.http import HttpRequest
from ninja import Router

from apps.api import verbs
from apps.api.rest.routing import gateway_of, serve
from apps.api.simulation import handlers
from apps.api.simulation.contract import Simulation, SimulationInput

router = Router()


@serve(router, "POST", "/policy/simulate", verbs.SIMULATE_POLICY)
def simulate_policy(request: HttpRequest, body: SimulationInput) -> Simulation:
    """Reads only; nothing is changed."""
    return handlers.simulate_policy(gateway_of(request).of(body.user_id), body)
