#!/usr/bin/env python3
"""Runs the test of one real MCP peer: run.py everything|filesystem.

STRETTO_PEERS names the directory whose node_modules holds the peers, STRETTO_NODE the Node.js to
run them with; tools/check installs both and sets the variables. Without them the test is skipped.
"""

import os
import sys


def skip(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(77)


def main():
    peers = os.environ.get("STRETTO_PEERS")
    node = os.environ.get("STRETTO_NODE")
    if not peers:
        skip("STRETTO_PEERS is not set (tools/check installs the peers and sets it)")
    if not node:
        skip("STRETTO_NODE is not set (tools/check finds a Node.js and sets it)")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), sys.argv[1] + ".mjs")
    os.execv(node, [node, script])


main()
