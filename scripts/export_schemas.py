"""Writes schema.graphql and openapi.json from the code; with --check only says whether they are up to date."""

import argparse
import json
import os
import sys
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def schemas() -> dict[str, str]:
    """The text of each committed schema file, as the code has it now."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    # Both import models, which exist only once Django is set up.
    from apps.api.graphql.schema import schema  # noqa: PLC0415
    from apps.api.rest.routes import api  # noqa: PLC0415

    openapi = api.get_openapi_schema(path_prefix="/api/v1/")
    return {
        "schema.graphql": schema.as_str().rstrip() + "\n",
        "openapi.json": json.dumps(openapi, indent=2, sort_keys=True) + "\n",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file differs")
    only_check = parser.parse_args().check
    differing = [
        name for name, text in schemas().items() if not (ROOT / name).exists() or (ROOT / name).read_text() != text
    ]
    if not only_check:
        for name, text in schemas().items():
            (ROOT / name).write_text(text)
    for name in differing:
        print(f"{name} {'differs from the code; run: make schema' if only_check else 'written'}")
    return int(only_check and bool(differing))


if __name__ == "__main__":
    sys.exit(main())
