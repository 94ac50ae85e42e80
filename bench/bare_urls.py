"""A bare authenticated view that inserts one row."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from apps.budgets.models import Usage
from apps.core.scope import tenant_scope
from apps.tenants import selectors


@csrf_exempt
def insert(request: HttpRequest) -> JsonResponse:
    principal = selectors.authenticate(request.headers["Authorization"].removeprefix("Bearer "))
    with tenant_scope(principal.tenant_id, agent_id=principal.agent_id):
        row = Usage.objects.create(tenant_id=principal.tenant_id, agent_id=principal.agent_id, operation="floor")
    return JsonResponse({"id": str(row.id)})


urlpatterns = [path("insert", insert), path("livez", lambda _request: HttpResponse("ok"))]
