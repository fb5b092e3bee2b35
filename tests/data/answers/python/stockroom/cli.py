"""The command line: python -m stockroom.cli FILE COMMAND."""

import argparse
import sys

from stockroom import report
from stockroom.storage import JsonStore


def parser():
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="stockroom")
    made.add_argument("file")
    made.add_argument("command", choices=["list", "value", "shelves"])
    return made


def run(arguments):
    """Do what was asked for and return what is to be printed."""
    options = parser().parse_args(arguments)
    inventory = JsonStore(options.file).load()
    if options.command == "list":
        return report.stock_list(inventory)
    if options.command == "value":
        return report.value_line(inventory)
    return report.shelf_plan(inventory)


def main():
    """Run the command line."""
    print(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
