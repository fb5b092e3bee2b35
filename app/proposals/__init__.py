"""The proposals of a server: shown, polled for reactions, decided."""
