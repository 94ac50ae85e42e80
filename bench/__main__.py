"""`python -m bench [name …]`: run the named benchmarks, or all of them."""

import argparse
import importlib

BENCHMARKS = {
    "stories": "what is kept, noticed and answered of natural stories, through the API",
    "extraction": "what is kept of labelled messages that nobody trained on",
    "times": "dates in labelled claims found in what was said, and wrong ones stated",
    "relations": "what becomes of labelled pairs: merged, closed, doubted, left alone",
    "calibrate": "what an embedder's cosines mean",
    "offline": "the forms of fusion in numpy, without a server",
    "search": "the search statement against bare SQL",
    "quality": "recall on the development data, through the API",
    "latency": "capture and recall over HTTP against their floors",
    "growth": "recall with all arms against two, and at 20,000 against 200,000 documents in one tenant",
    "concurrency": "eight clients against one",
    "graph": "walks and ways through the graph, SQL against Neo4j",
    "graph-relations": "relations read off the parse: claims that yield one, and a judged sample",
    "lag": "how far the graph is behind what was observed",
    "throughput": "texts embedded and searchable per second",
    "footprint": "memory of the whole embedded stack",
    "durability": "kill -9 during an ingest: nothing lost, nothing twice",
}
MODULES = {
    "offline": "offline_recall",
    "graph-relations": "graph_relations",
    "search": "search_sql",
}


def main() -> None:
    listing = "\n".join(f"  {name:16} {about}" for name, about in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=listing, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], metavar="name", help="default: all")
    for name in parser.parse_args().names or BENCHMARKS:
        importlib.import_module(f"bench.{MODULES.get(name, name)}").run()


if __name__ == "__main__":
    main()
