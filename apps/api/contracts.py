"""The two contracts other tools rely on, as text: committed at the project's root, and compared with it by a test."""

import json
from pathlib import Path

from apps.api.graphql.schema import schema
from apps.api.rest.api import api
from apps.environment import PROJECT_ROOT

GRAPHQL_FILE = PROJECT_ROOT / "schema.graphql"
OPENAPI_FILE = PROJECT_ROOT / "openapi.json"


def texts() -> dict[Path, str]:
    openapi = api.get_openapi_schema(path_prefix="/api/v1/")
    return {
        GRAPHQL_FILE: schema.as_str().rstrip() + "\n",
        OPENAPI_FILE: json.dumps(openapi, indent=2, sort_keys=True, ensure_ascii=False) + "\n",
    }
