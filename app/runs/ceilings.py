"""What the operator allows at most, whatever a repository's file or a command asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TypeVar

from app.progress.text import progress_texts
from app.settings import WorkSettings
from runner.state.options import Options


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The ceilings of the settings."""

    settings: WorkSettings

    @property
    def allowed(self) -> tuple[str, ...]:
        """The models that may be asked, as patterns; none where any may."""
        own, named = self.settings.cairn_model, self.settings.cairn_allowed_models
        return tuple(dict.fromkeys((own, *named))) if named else ()

    def refused(self, models: Sequence[str]) -> list[str]:
        """The models that may not be asked here."""
        allowed = self.allowed
        return [
            model
            for model in models
            if allowed and not any(fnmatchcase(model, each) for each in allowed)
        ]

    def hold(self, options: Options) -> tuple[Options, str]:
        """Return the options with nothing above a ceiling, and a sentence on what was cut."""
        most, limits, sandbox = self.settings, options.limits, options.sandbox
        held = replace(
            options,
            limits=replace(
                limits,
                max_tokens=_lower(limits.max_tokens, most.cairn_max_tokens_per_task),
                max_seconds=_lower(
                    limits.max_seconds, most.cairn_max_minutes and 60.0 * most.cairn_max_minutes
                ),
            ),
            sandbox=replace(
                sandbox,
                memory=_lower(sandbox.memory, most.cairn_max_memory),
                cpus=_lower(sandbox.cpus, most.cairn_max_cpus),
                pids=_lower(sandbox.pids, most.cairn_max_pids),
                setup_network=sandbox.setup_network and most.cairn_allow_setup_network != "0",
                setup_changed=most.cairn_allow_setup_network == "changed",
            ),
        )
        now, then = held.sandbox, held.limits
        cut = {
            f"limits.tokens_per_task: {then.max_tokens}": then.max_tokens != limits.max_tokens,
            f"limits.minutes: {then.max_seconds / 60:.0f}": then.max_seconds != limits.max_seconds,
            f"sandbox.memory: {now.memory >> 20}m": now.memory != sandbox.memory,
            f"sandbox.cpus: {now.cpus:g}": now.cpus != sandbox.cpus,
            f"sandbox.pids: {now.pids}": now.pids != sandbox.pids,
            "sandbox.network: none": now.setup_network != sandbox.setup_network,
        }
        changed = [setting for setting, differs in cut.items() if differs]
        return held, progress_texts.cut(changed) if changed else ""


Amount = TypeVar("Amount", int, float)


def _lower(asked: Amount, most: Amount | None) -> Amount:
    return asked if most is None else min(asked, most)
