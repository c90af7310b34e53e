#!/usr/bin/env python3
"""docs/walkthrough.md as it stands, with the official filesystem server from npm.

To be run by hand as it is. The programs are those of STRETTO, STRETTO_PROXY and STRETTO_DEMO, else
those of the PATH; the server is that of STRETTO_PEERS (a directory with node_modules), where the
page's `npx -y` would fetch it; it runs on STRETTO_NODE. The output is TAP; without them all is
skipped.
"""

import os
import re
import sys

import harness
import pages
from harness import Case

PEERS = os.environ.get('STRETTO_PEERS', '')
NODE = os.environ.get('STRETTO_NODE', '')
NPX = '''#!/bin/sh
[ "$1" = -y ] || exit 2
package=$2
shift 2
exec '%s' '%s'/node_modules/"$package"/dist/index.js "$@"
'''


class Walkthrough(Case):
    def test_page(self):
        bin_dir = pages.programs(self)
        self.write('bin/npx', (NPX % (NODE, PEERS)).encode(), 0o700)
        os.mkdir(self.path('here'))
        out = pages.paste(self, pages.read('walkthrough.md'), bin_dir, self.path('here'))
        calls = re.findall(r'/notes/([a-z]+): ([0-9]+) calls', out)
        self.assertEqual(calls, [('apollo', '4'), ('gemini', '4'), ('mercury', '4'),
                                 ('titan', '5'), ('vega', '5'), ('zephyr', '5'), ('titan', '1')])
        self.assertIn('3 sessions, ', out)
        self.assertIn('| `search_files` | `read_text_file` (3) |', out)
        self.assertIn('| **Total** | 12 | 12 | 9 | 9 | 0 | 9 |', out)
        self.assertIn('| `read_text_file` | 39 | 27 | 27 (100%) | 0.91 | 3 | yes |', out)
        self.assertIn('| `search_files` | 3 | 3 | 3 (100%) | 0.53 | 3 | yes |', out)
        self.assertIn('Nothing needs review.', out)
        self.assertIn('4 by the proxy', out)
        self.assertIn('"reason":"read_text_file: nothing left to pass as `path`"', out)


if __name__ == '__main__':
    if not NODE or not PEERS:
        print('1..0 # SKIP STRETTO_PEERS or STRETTO_NODE is not set (tools/check sets both)')
        sys.exit(0)
    harness.main([harness.STRETTO, harness.PROXY])
