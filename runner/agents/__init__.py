"""Programs that write code in the place of Cairn's own question: how each one is started."""
