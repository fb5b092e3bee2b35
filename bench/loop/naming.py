"""A model's name carries what it is to be: ``fault-p0.5-x0.6-s7,only=quote4,run=12``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_HEAD = re.compile(r"fault-p(?P<p>[\d.]+)-x(?P<x>[\d.]+)-s(?P<seed>\d+)")


@dataclass(frozen=True, slots=True)
class Character:
    """Fresh answers are right with ``p``, repairs with ``x``.

    With ``only`` the first answer has just this fault, and so have later ones that are wrong.
    ``run`` keeps conversations apart; it has no part in the draws. Of the tests that are asked for
    apart, ``wrong`` expect something else and ``vacuous`` pass with any code.
    """

    p: float
    x: float
    seed: int
    only: str = ""
    run: str = ""
    wrong: float = 0.0
    vacuous: float = 0.0

    def __str__(self) -> str:
        shares = {"wrong": self.wrong, "vacuous": self.vacuous}
        rest = {name: f"{share:g}" for name, share in shares.items() if share}
        rest |= {"only": self.only, "run": self.run}
        tail = "".join(f",{name}={value}" for name, value in rest.items() if value)
        return f"fault-p{self.p:g}-x{self.x:g}-s{self.seed}{tail}"

    def named(self, run: str) -> str:
        """The model's name in one run."""
        return str(replace(self, run=run))


def read_name(name: str) -> Character:
    """Read a model's name. Raises ``ValueError`` for a name that is none."""
    head, *rest = name.split(",")
    found = _HEAD.fullmatch(head)
    fields = dict(part.split("=", 1) for part in rest)
    if found is None or not fields.keys() <= {"only", "run", "wrong", "vacuous"}:
        raise ValueError(f"{name!r} names no fault model, such as fault-p0.5-x0.6-s7")
    return Character(
        *(float(found["p"]), float(found["x"]), int(found["seed"])),
        only=fields.get("only", ""),
        run=fields.get("run", ""),
        wrong=float(fields.get("wrong", 0)),
        vacuous=float(fields.get("vacuous", 0)),
    )
