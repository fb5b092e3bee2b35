"""The test runners Cairn knows: how each is found, started and judged."""
