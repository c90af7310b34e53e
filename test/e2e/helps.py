"""What the programs' --help says: commands and options."""

import re

from harness import DEMO, STRETTO, WRAPPER

OPTION = re.compile(r'(?<![\w-])--[a-z][a-z0-9-]*')


def help_of(case, program, *command):
    """The text of --help of a program, or of a command of it."""
    wrapper = [] if program == DEMO else WRAPPER
    process = case.start([*wrapper, program, *command, '--help'], stdin='null')
    return process.finish(0, None, b'').out.decode()


def commands(case):
    """The commands of stretto, in the order of its help."""
    text = help_of(case, STRETTO).partition('\nCommands:\n')[2]
    return re.findall(r'(?m)^  ([a-z][a-z-]*) ', text)


def values(case, program, *command):
    """The long options that --help lists, each with the name of its value, or None."""
    text = help_of(case, program, *command).partition('\nOptions:\n')[2]
    return {name: value or None for name, value in
            re.findall(r'(?m)^  (?:-[a-zA-Z], |    )(--[a-z][a-z0-9-]*)(?: <(.*?)>)?(?= )', text)}


def options(case, program, *command):
    """The options that --help lists, with their dashes; the long and the short ones."""
    text = help_of(case, program, *command).partition('\nOptions:\n')[2]
    lines = re.findall(r'(?m)^  (?:(-[a-zA-Z]), |    )(--[a-z][a-z0-9-]*)(?= )', text)
    return {name for line in lines for name in line if name}
