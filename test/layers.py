"""Checks that includes in src/ only go down the order of layers in docs/architecture.md."""

import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src"

# Each folder with the folders it sees directly; it also sees what those see.
SEES = {
    "base": [],
    "json": ["base"],
    "config": ["json"],
    "mcp": ["json"],
    "trace": ["mcp"],
    "guard": ["trace"],
    "oracle": ["json"],
    "flow": ["trace", "oracle"],
    "judge": ["trace", "oracle"],
    "engine": ["guard", "flow", "judge"],
    "io": ["mcp", "oracle"],
    "transport": ["io"],
    "record": ["io", "trace"],
    "procedure": ["mcp"],
    "demo": ["io"],
    "proxy": ["transport", "record", "engine"],
    "learn": ["flow", "guard", "judge"],
    "cmd": ["config", "proxy", "demo", "learn", "procedure"],
}


def reachable(folder):
    seen = {folder}
    for below in SEES[folder]:
        seen |= reachable(below)
    return seen


def wrong_includes():
    for path in sorted(SRC.rglob("*.[ch]")):
        folder = path.relative_to(SRC).parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = re.match(r'\s*#include "(\w+)/', line)
            if include and include[1] not in reachable(folder):
                yield f"{path.relative_to(SRC)}:{number}: {folder} may not include {include[1]}"


def main():
    wrong = list(wrong_includes())
    unknown = [p.name for p in SRC.iterdir() if p.is_dir() and p.name not in SEES]
    print("1..2")
    for number, (name, bad) in enumerate([("includes", wrong), ("folders", unknown)], 1):
        print(f"{'not ok' if bad else 'ok'} {number} - {name}")
        for line in bad:
            print(f"# {line}")
    return 1 if wrong or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
