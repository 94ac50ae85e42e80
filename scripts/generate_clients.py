"""Writes the typed parts of sdk/python and sdk/typescript from openapi.json; with --check only says what differs."""

import argparse
import json
import sys
from pathlib import Path

from clients import openapi, python, typescript

ROOT = Path(__file__).resolve().parent.parent
CONTRACT = ROOT / "openapi.json"
LANGUAGES = {ROOT / "sdk" / "python" / "memory_client": python, ROOT / "sdk" / "typescript" / "src": typescript}
STALE = "differs from openapi.json; run: .venv/bin/python scripts/generate_clients.py"


def texts() -> dict[Path, str]:
    contract = openapi.read(json.loads(CONTRACT.read_text(encoding="utf-8")))
    return {
        folder / name: text for folder, language in LANGUAGES.items() for name, text in language.files(contract).items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file differs")
    only_check = parser.parse_args().check
    stale = {
        path: text for path, text in texts().items() if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in stale.items():
        if not only_check:
            path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(ROOT)} {STALE if only_check else 'written'}")
    return int(only_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
