"""`python -m benchmarks list | setup | run [SUITE …] [--json FILE] | compare BEFORE AFTER`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.bench_agent import agent_turns
from benchmarks.bench_engine import engine, linear
from benchmarks.bench_import import imports
from benchmarks.bench_latency import latency
from benchmarks.bench_load import load as many_streams
from benchmarks.bench_peers import client, peers, setup
from benchmarks.bench_soak import soak
from benchmarks.bench_transports import transports
from benchmarks.results import Row, compare, load, save, table

SUITES: dict[str, Callable[[], Iterator[Row]]] = {
    "engine": engine,
    "linear": linear,
    "agent": agent_turns,
    "import": imports,
    "client": client,
    "peers": peers,
    "transports": transports,
    "latency": latency,
    "load": many_streams,
    "soak": soak,
}


def main() -> int:
    """Run what the command line asks; the exit status is 1 where a figure is over its budget."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="what can be measured")
    commands.add_parser("setup", help="install what client, peers, transports and load need, apart from all else")
    run = commands.add_parser("run", help="measure")
    run.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}; all where none is named")
    run.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    both = commands.add_parser("compare", help="set two runs beside each other")
    both.add_argument("before", type=Path)
    both.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "list":
        for name, suite in SUITES.items():
            print(f"{name:9} {(suite.__doc__ or '').splitlines()[0]}")
        return 0
    if options.command == "setup":
        setup()
        return 0
    if options.command == "compare":
        print(compare(load(options.before), load(options.after)))
        return 0
    unknown = [name for name in options.suites if name not in SUITES]
    if unknown:
        parser.error(f"no suite {unknown[0]!r}; there are {', '.join(SUITES)}")
    rows: list[Row] = []
    for name in options.suites or SUITES:
        for row in SUITES[name]():
            rows.append(row)
            print(table([row]), flush=True)
    if options.json:
        save(rows, options.json)
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
