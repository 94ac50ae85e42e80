"""`python -m bench [name …]`: run the named benchmarks, or all of them."""

import argparse
import importlib

BENCHMARKS = {
    "extraction": "how much of what matters the rules keep",
    "dedup": "precision and recall of merging on labelled pairs",
    "offline": "the ranking formula in numpy, without a server",
    "offline-items": "the whole answer in numpy, and what each part of the formula is worth",
    "search": "the search statement against bare SQL",
    "quality": "recall on the development data, through the API",
    "latency": "capture and recall over HTTP against their floors",
    "growth": "recall with all arms against two, and at 20,000 against 200,000 documents in one tenant",
    "concurrency": "eight clients against one",
    "graph": "walks and ways through the graph, SQL against Neo4j",
    "lag": "how far the graph is behind what was observed",
    "throughput": "texts embedded and searchable per second",
    "footprint": "memory of the whole embedded stack",
    "durability": "kill -9 during an ingest: nothing lost, nothing twice",
}
MODULES = {
    "dedup": "calibrate_dedup",
    "offline": "offline_recall",
    "offline-items": "offline_items",
    "search": "search_sql",
}


def main() -> None:
    listing = "\n".join(f"  {name:12} {about}" for name, about in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=listing, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], metavar="name", help="default: all")
    for name in parser.parse_args().names or BENCHMARKS:
        importlib.import_module(f"bench.{MODULES.get(name, name)}").run()


if __name__ == "__main__":
    main()
