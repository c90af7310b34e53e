#!/usr/bin/env python3
"""Counts what a run of `meson test` did: tally.py LOG.json prints `PASSED FAILED SKIPPED`.

LOG.json is meson's log of the run. A test that printed TAP (it has a plan) counts as its subtests,
any other as one. A test that ends badly although every subtest that it reported passed (it crashed,
or ran out of time) counts as one failure more. What failed or was skipped is named on stderr, with
the end of what it printed.
"""

import json
import re
import sys

PASSED = ("OK", "EXPECTEDFAIL")
SKIPPED = ("SKIP", "IGNORED")
PLAN = re.compile(r"^1\.\.[1-9]", re.MULTILINE)
SUBTEST = re.compile(r"^(not )?ok\b[^\n#]*(?:# *(skip|todo))?", re.MULTILINE | re.IGNORECASE)
MAX_LINES = 150


def count(test):
    """The [passed, failed, skipped] of one test of the log."""
    stdout = test.get("stdout", "")
    if not PLAN.search(stdout):
        is_passed = test["result"] in PASSED
        is_skipped = test["result"] in SKIPPED
        return [int(is_passed), int(not is_passed and not is_skipped), int(is_skipped)]
    counts = [0, 0, 0]
    for negation, directive in SUBTEST.findall(stdout):
        if directive.lower() == "skip":
            counts[2] += 1
        elif negation and directive.lower() != "todo":
            counts[1] += 1
        else:
            counts[0] += 1
    if counts[1] == 0 and test["result"] not in PASSED + SKIPPED:
        counts[1] = 1
    return counts


def tell(test):
    """Names a test with problems on stderr; of its output what passed is left out."""
    print(f"--- {test['name']}: {test['result']} in {test['duration']:.1f} s", file=sys.stderr)
    output = test.get("stdout", "") + test.get("stderr", "")
    lines = [
        line
        for line in output.splitlines()
        if not re.match(r"ok\b(?!.*# *skip)|1\.\.[1-9]", line, re.IGNORECASE)
    ]
    if len(lines) > MAX_LINES:
        print(f"({len(lines) - MAX_LINES} lines before these)", file=sys.stderr)
    for line in lines[-MAX_LINES:]:
        print(line.encode("ascii", "backslashreplace").decode(), file=sys.stderr)


def main():
    with open(sys.argv[1], encoding="utf-8") as log:
        tests = [json.loads(line) for line in log]
    counts = [count(test) for test in tests]
    for test, (_, n_failed, n_skipped) in zip(tests, counts):
        if n_failed or n_skipped:
            tell(test)
    print(*(sum(column) for column in zip(*counts)))


if __name__ == "__main__":
    main()
