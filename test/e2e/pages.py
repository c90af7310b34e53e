"""Pages of the documentation whose commands are tests: they are run as a reader would paste them."""

import os
import re
import subprocess

import harness

DOCS = os.path.join(harness.HERE, '..', '..', 'docs')


def read(name):
    with open(os.path.join(DOCS, name), encoding='utf-8') as f:
        return f.read()


def commands(page):
    """The shell commands of a page, all blocks in order."""
    return '\n'.join(re.findall(r'^```sh\n(.*?)^```$', page, re.S | re.M))


def programs(case):
    """A directory with the three programs under their names, for the PATH."""
    found = case.path('bin')
    os.makedirs(found, exist_ok=True)
    for name, program in (('stretto', harness.STRETTO), ('stretto-proxy', harness.PROXY),
                          ('stretto-mcp-demo', harness.DEMO)):
        os.symlink(os.path.abspath(program), os.path.join(found, name))
    return found


def paste(case, page, bin_dir, directory):
    """Runs the page's commands in a directory with these programs; what they print."""
    env = case.environment(PATH=bin_dir + os.pathsep + os.environ['PATH'])
    done = subprocess.run(['/bin/sh', '-euc', commands(page)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=directory, env=env,
                          timeout=10 * harness.DEADLINE, check=False)
    if done.returncode != 0:
        case.fail('status %d: %s' % (done.returncode, done.stderr.decode('utf-8', 'replace')))
    return done.stdout.decode()
