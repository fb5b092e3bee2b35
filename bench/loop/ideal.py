"""The theory's loop on the very draws a run met: what an ideal loop would have made of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from bench.loop.answers import Meant, Minds
from bench.loop.corpus import Task
from bench.loop.naming import Character
from bench.loop.theory import POLICIES, Place

_DONE = {"right": "finished", "harmless": "finished", "unseen": "claimed"}


@dataclass(frozen=True, slots=True)
class Ideal:
    """``end`` is finished, claimed (though wrong) or failed; ``meant`` all that was answered."""

    end: str
    meant: tuple[Meant, ...]

    @property
    def calls(self) -> int:
        """Answers that were asked for."""
        return len(self.meant)


def ideal(minds: Minds, who: Character, task: Task, strategy: str) -> Ideal:
    """Play one task by the theory's rules."""
    number: Counter[str] = Counter()
    place = Place()
    meant = [minds.fresh(who, task, 0)]
    while meant[-1].truth not in _DONE:
        last = meant[-1]
        test = last.truth == "wrong"
        move = POLICIES[strategy]("wrong" if test else "syntax", place)
        if move == "stop":
            return Ideal("failed", tuple(meant))
        if move == "repair":
            place = place.repaired(test=test)
            meant.append(minds.repair(who, task, number["repair"], last))
            number["repair"] += 1
        else:
            place = place.asked()
            number["fresh"] += 1
            meant.append(minds.fresh(who, task, number["fresh"]))
    return Ideal(_DONE[meant[-1].truth], tuple(meant))
