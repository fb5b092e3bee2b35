"""The true changes of real projects as answers; see ``playing``."""

from bench.oracle.playing import measure

__all__ = ["measure"]
