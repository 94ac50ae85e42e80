"""The server as an application that can be installed.

Its code is in `apps` and `config`. A checkout has them beside this package; a wheel has them inside it, so that an
environment it is installed into gets no packages of such common names: only the server's own processes see them.
"""

import os
import sys
from pathlib import Path


def main() -> None:
    """Run the `memory` command."""
    inside = Path(__file__).resolve().parent
    if (inside / "apps").is_dir():
        _find(inside)
    from apps.cli.main import main as run  # noqa: PLC0415  found only now

    run()


def _find(folder: Path) -> None:
    """Let this process and those it starts import from `folder`."""
    sys.path.insert(0, str(folder))
    known = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *([known] if known else [])])
