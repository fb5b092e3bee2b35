"""The composition root: the only modules that name concrete classes."""
