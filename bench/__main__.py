"""`python -m bench [name …]`: run the named benchmarks, or all of them; exit 1 when a figure misses its bar.

`python -m bench latency-against REVISION [OTHER]` measures two revisions side by side instead.
"""

import argparse
import importlib
import subprocess
import sys
from collections.abc import Sequence

from bench import figures, latency_against

BENCHMARKS = {
    "stories": "what is kept, noticed and answered of natural stories, through the API",
    "extraction": "what is kept of labelled messages that nobody trained on",
    "times": "dates in labelled claims found in what was said, and wrong ones stated",
    "outputs": "which recalled memories an output used, against the plainest rivals",
    "tones": "whether the tone of a question asked again tells that the last answer was wrong",
    "triggers": "times ahead in labelled messages that become triggers on the right day, and false ones",
    "categories": "what labelled statements are filed under, against keywords and the nearest name",
    "lessons": "labelled rules and corrections that become lessons, and lessons that are none",
    "relations": "what becomes of labelled pairs: merged, closed, doubted, left alone",
    "calibrate": "what an embedder's cosines mean",
    "offline": "the forms of fusion in numpy, without a server",
    "search": "the search statement against bare SQL",
    "quality": "recall on the development data, through the API",
    "latency": "capture and recall over HTTP against their floors",
    "answers": "recall over HTTP in a tenant of 250 learnt turns, by profile, against its floor",
    "growth": "recall with all arms against two, and at 20,000 against 200,000 documents in one tenant",
    "concurrency": "eight clients against one",
    "graph": "walks and ways through the graph, SQL against Neo4j",
    "graph-relations": "relations read off the parse: claims that yield one, and a judged sample",
    "lag": "how far the graph is behind what was observed",
    "throughput": "texts embedded and searchable per second",
    "night": "a night over 100,000 memories, and recall beside it",
    "nights": "recall in one tenant while the nights of 200 others run",
    "billing": "usage of a month of 1,000,000 turns, grouped",
    "console": "the first byte of every page of the console and the admin at 100,000 memories",
    "footprint": "memory of the whole embedded stack",
    "steadiness": "memory of the worker after 10,000 long messages",
    "durability": "kill -9 during an ingest: nothing lost, nothing twice",
}
MODULES = {
    "offline": "offline_recall",
    "graph-relations": "graph_relations",
    "search": "search_sql",
}


def main() -> int:
    if sys.argv[1:2] == ["latency-against"]:
        latency_against.main(sys.argv[2:])
        return _missed()
    listing = "\n".join(f"  {name:16} {about}" for name, about in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=listing, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], metavar="name", help="default: all")
    names = parser.parse_args().names or list(BENCHMARKS)
    return _one(names[0]) if len(names) == 1 else _each_by_itself(names)


def _one(name: str) -> int:
    importlib.import_module(f"bench.{MODULES.get(name, name)}").run()
    return _missed()


def _missed() -> int:
    for missed in figures.missed:
        print(f"bench: missed its bar: {missed}", file=sys.stderr)
    return int(bool(figures.missed))


def _each_by_itself(names: Sequence[str]) -> int:
    """A process each: Django, its connection pool and the models belong to one stack for as long as they live."""
    failed = [name for name in names if subprocess.run([sys.executable, "-m", "bench", name], check=False).returncode]
    if failed:
        print(f"bench: failed or missed a bar: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
