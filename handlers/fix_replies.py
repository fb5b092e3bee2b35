"""Replies to people who want the failing checks of a pull request repaired."""

from __future__ import annotations

from handlers.grammar import TRIGGER
from handlers.ports import Fixing, RepairLeft
from handlers.replies import times
from runner.text.sanitize import as_code, as_codes

_FIXED = {
    "started": "",
    "no_pull": "This is not a pull request, so it has no checks. Comment "
    f"`{TRIGGER} fix` on a pull request.",
    "closed": "This pull request is not open. Nothing was done.",
    "fork": "This pull request comes from a fork, where Cairn may not push a branch, so it cannot "
    "propose a repair. Nothing was done. If you push the branch to this repository and open a pull "
    f"request from there, `{TRIGGER} fix` works on that one.",
    "green": "No check of this pull request has failed, so there is nothing to repair.",
    "none": "No checks were reported for this pull request, so there is nothing to repair.",
    "working": "A run is already working on the checks of this pull request. Its comment is above.",
    "unreadable": "Cairn cannot see the checks here: the App needs the permission *Checks*. An "
    "owner can grant it under **Settings → GitHub Apps**. Nothing was done.",
    "no_app": "Only the Cairn App can see the checks of other apps. This is a workflow run, which "
    "cannot see them, so nothing was done.",
    "off": "This repository does not let Cairn do this (`pull_requests.revisions: 0` or "
    "`github_mode: disabled` in `.github/cairn.yml`). Nothing was done.",
}


def fixing(found: Fixing) -> str:
    """Say why nothing is repaired; '' when a run tries it and says so itself."""
    match found.outcome:
        case "running":
            some = as_codes(found.names)
            return (
                f"Some checks of this pull request are still running ({some}). Comment "
                f"`{TRIGGER} fix` again when they have finished."
            )
        case "below":
            return (
                f"The checks that fail here ({as_codes(found.names)}) also fail on the base "
                "branch, so this pull request did not break them. Nothing was done. Repair the "
                "base branch first."
            )
        case "again":
            return (
                f"This repair of #{found.repaired} does not make {as_codes(found.names)} pass. "
                f"Nothing was done. Push to its branch, or close it and comment `{TRIGGER} fix` on "
                f"#{found.repaired} for a new repair."
            )
        case "ours":
            return (
                f"Only Cairn's own check fails here ({as_codes(found.names)}), and `{TRIGGER} fix` "
                "repairs what other checks report. The details of the check say what is wrong. "
                f"`{TRIGGER} revise` and what to change has Cairn work on this pull request again."
            )
        case "offered":
            return (
                f"{found.url} already proposes a repair. Merge or close it, then comment "
                f"`{TRIGGER} fix` again if checks still fail."
            )
        case "limit":
            return (
                f"Cairn has tried to repair this pull request {times(found.most)}, which is the "
                "limit (`pull_requests.revisions` in `.github/cairn.yml`). Nothing was done."
            )
    return _FIXED[found.outcome]


def left(repair: RepairLeft, ended: int, *, merged_into: str) -> str:
    """Say on a repair what to do with it, now that the pull request that it repairs has ended.

    ``merged_into`` is the branch that one was merged into, '' if it was closed without a merge.
    """
    base, into = as_code(repair.base), as_code(merged_into)
    if not merged_into:
        return (
            f"#{ended} was closed without a merge. If you merge this repair, only {base} changes. "
            f"Close it as well, unless you reopen #{ended}."
        )
    if repair.base == merged_into:
        return (
            f"#{ended} was merged without this repair. Merge the repair into {into} if it is still "
            "needed there, or close it."
        )
    return (
        f"#{ended} was merged without this repair. If you merge the repair now, only {base} "
        f"changes. If it is still needed on {into}, change the base of this pull request to "
        f"{into}. Otherwise close it."
    )
