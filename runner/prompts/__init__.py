"""Every sentence a model reads: one template for each question (``templates/``)."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from runner.prompts.questions import Message
from runner.text.compiled import Compiled
from runner.text.sanitize import readable, sendable

_ON_A_TASK = frozenset(
    {"plan_task", "execute_task", "repair_code", "repair_test", "ask_test", "propose_verification"}
)
"""Questions while a task is worked on: all begin alike, and endpoints cache the beginning.

The others have a shorter introduction.
"""


def question(
    name: str, *, small: bool = False, deletes: bool = False, **values: object
) -> tuple[Message, ...]:
    """Render the question ``name``. A value the template wants and does not get is a bug.

    A ``small`` model is told the form of an answer without an example that it would copy, and how
    a file is deleted only if the task ``deletes`` something.
    """
    introduction = ("system_small" if small else "system") if name in _ON_A_TASK else "system_plan"
    system = _environment().get_template(f"{introduction}.md.j2").render(deletes=deletes)
    return Message("system", system.strip()), Message("user", render_text(name, **values))


def render_text(name: str, **values: object) -> str:
    """Render one template as text."""
    text = _environment().get_template(f"{name}.md.j2").render(**values)
    return sendable(text.strip() + "\n")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("runner.prompts", "templates"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - the result is a prompt, not a page
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        optimized=False,
        bytecode_cache=Compiled(),
    )
    environment.filters["readable"] = readable
    return environment
