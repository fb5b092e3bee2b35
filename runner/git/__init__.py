"""Repositories on this machine: a git checkout, a bare mirror, or a plain folder."""
