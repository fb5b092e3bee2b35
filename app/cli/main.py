"""The ``cairn`` command line: ``run``, ``serve``, ``graph``, the help, and unexpected errors.

Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import typer

from app.cli import options as option
from app.cli.bench import bench
from app.cli.commands import CommandList, Version, action, add_to, doctor, init, roadmap_cli, setup
from app.cli.demo import demo
from app.cli.keeping import audit, purge
from app.cli.learned import analyze, memory_cli


def one_sentence(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> None:
    """Take the place of ``sys.excepthook``. What is written is masked."""
    from pydantic import SecretStr

    from app.logs import mask_for
    from app.settings import SECRET_NAMES

    names = (name for name in os.environ if any(word in name.upper() for word in SECRET_NAMES))
    mask = mask_for(SecretStr(os.environ[name]) for name in names if os.environ[name])
    details = mask("".join(traceback.format_exception(kind, error, where)))
    sentence = " ".join(f"{kind.__name__}: {error}".split())[:300]
    print(
        f"Internal error: {mask(sentence)}. Finished tasks stay. {_kept(details)}",
        file=sys.stderr,
    )


def _kept(details: str) -> str:
    try:
        handle, name = tempfile.mkstemp(prefix="cairn-error-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(details)
    except OSError:
        return "Run it again with --verbose to see where it happened, and please report it."
    return f"The details are in {name}; please report them."


_RUN_CODES = {
    0: "everything you asked for is done",
    1: "a task failed, was deferred or skipped, or is blocked",
    2: "wrong usage, settings or folder; nothing was changed",
    3: "a proposal is waiting for a decision (cairn status)",
    4: "an outage or a budget paused the run (cairn resume)",
    130: "interrupted (cairn resume)",
}
_SERVER_CODES = {
    0: "stopped normally",
    2: "wrong settings or database",
    4: "an outage at the start, or another process has the data folder",
    75: "it was silent for too long; others continue its work, start it again",
}
_CODES = {0: "done", 2: "wrong usage or settings; nothing was changed"}

_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "run": (
        "cairn run --dry-run",
        "cairn run --task 1.2 --max-cost 0.50",
        "cairn run api#1.2",
        "cairn run --roadmap docs/PLAN.md --model gpt-6-luna --parallel 2",
        "cairn run --task 1.2 --compare gpt-6-luna,gpt-6-sol",
    ),
    "resume": ("cairn resume", "cairn resume 3f2a91c0 --max-cost 2"),
    "status": ("cairn status", "cairn status --json"),
    "show": ("cairn show", "cairn show 1.2", "cairn show 3f2a91c0 --exchanges"),
    "history": ("cairn history", "cairn history errors --days 7", "cairn history stats --json"),
    "retry": (
        "cairn retry 1.2",
        "cairn retry 1.2 -m 'Use SQLite.'",
        "cairn retry 1.2 --from verify",
    ),
    "replay": (
        "cairn replay 3f2a91c0",
        "cairn replay 3f2a91c0 1.2 --from verify_task",
        "cairn replay 3f2a91c0 --set loop=repair,model=gpt-6-luna --ask --max-cost 0.50",
    ),
    "accept": ("cairn accept 1.2",),
    "undo": ("cairn undo 1.2",),
    "approve": ("cairn approve", "cairn approve 3f2a91c0 --resume"),
    "reject": ("cairn reject 3f2a91c0 --why 'not now'", "cairn reject 1.2 --skip"),
    "edit": ("cairn edit 1.2", "cairn edit 1.2 --file tasks.md --resume"),
    "action": ("cairn action",),
    "demo": ("cairn demo", "cairn demo --keep --sandbox process"),
    "bench": (
        "cairn bench --model gpt-6-luna",
        "cairn bench --suite hidden --project . --tasks 30 --agent aider --max-cost 2",
        "cairn bench --suite releases --project ../lib-1.4 --newer ../lib-1.5",
        "cairn bench --suite exercism --project ../python/exercises/practice",
    ),
    "doctor": ("cairn doctor", "cairn doctor --json"),
    "init": ("cairn init",),
    "graph": ("cairn graph > loop.mmd",),
    "serve": ("cairn serve", "cairn doctor && cairn serve", "cairn serve --no-work"),
    "worker": ("cairn worker", "cairn worker --slots 8"),
    "audit": ("cairn audit --repository ORG/NAME", "cairn audit --json --newest 100"),
    "purge": ("cairn purge",),
    "setup": ("cairn setup",),
    "analyze": ("cairn analyze models", "cairn analyze routing --days 90 --json"),
    "memory show": ("cairn memory show", "cairn memory show --json"),
    "memory forget": ("cairn memory forget calc/add.py",),
    "memory clear": ("cairn memory clear",),
    "roadmap show": ("cairn roadmap show", "cairn roadmap show docs/PLAN.md --json"),
    "roadmap lint": ("cairn roadmap lint", "cairn roadmap lint - < PLAN.md"),
    "roadmap normalize": ("cairn roadmap normalize PLAN.md", "cairn roadmap normalize --write"),
    "roadmap sync": ("cairn roadmap sync", "cairn roadmap sync --write"),
}
_EXITS: Mapping[str, Mapping[int, str]] = {
    "action": {
        0: "everything is done, or waits for a person",
        1: "a task failed or is blocked",
        2: "the run could not start; nothing was changed",
        4: "an outage or a budget paused it; the next workflow run continues it",
    },
    "run": _RUN_CODES,
    "resume": _RUN_CODES,
    "retry": _RUN_CODES,
    "replay": {
        0: "it ends as it did",
        1: "something is different",
        2: "wrong usage or settings, or there is nothing to replay",
        4: "a new question, an outage or a budget stopped it",
        130: "interrupted",
    },
    "doctor": {0: "no problem was found", 2: "there is a problem"},
    "init": {0: "the tests start", 2: "something is still missing"},
    "demo": {
        0: "it ended as promised",
        1: "it did not; it says what is missing",
        2: "a part of it is missing here, or the folder is in use",
        130: "interrupted",
    },
    "bench": {
        0: "every task was played",
        2: "wrong usage, settings or folder, or no task can be made",
        4: "an outage or the budget stopped it; the same command continues",
        130: "interrupted; the same command continues",
    },
    "graph": {0: "always"},
    "serve": _SERVER_CODES,
    "worker": _SERVER_CODES,
    "purge": {0: "done", 2: "wrong settings, or the database cannot be written"},
    "audit": {0: "printed", 2: "wrong settings, or the database cannot be read"},
    "roadmap lint": {0: "no findings", 1: "findings to look at", 2: "the roadmap cannot be read"},
    "roadmap normalize": _CODES | {1: "no checkboxes can be proposed", 4: "no model answered"},
    "roadmap sync": _CODES | {1: "some statuses could not be copied"},
}


def with_examples(cli: typer.Typer, above: str = "") -> None:
    """End the help of every command below ``above`` with its examples and exit codes."""
    for command in cli.registered_commands:
        named = command.name or getattr(command.callback, "__name__", "")
        name = f"{above} {named}".strip()
        if name in _EXAMPLES:
            command.epilog = _below(name)


def _below(name: str) -> str:
    """The text; the mark keeps the lines of a paragraph as they are."""
    codes = sorted(_EXITS.get(name, _CODES).items())
    examples = "\n".join(["Examples:", *(f"  {each}" for each in _EXAMPLES[name])])
    exits = "\n".join(["Exit codes:", *(f"  {code:<4}{what}" for code, what in codes)])
    return f"\b\n{examples}\n\n\b\n{exits}"


_PLANNING = {None: None, True: "always", False: "never"}

cli = typer.Typer(
    name="cairn",
    cls=CommandList,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is quick, and cuts no option's name at 80 columns
)
cli.add_typer(roadmap_cli)
cli.add_typer(memory_cli)


@cli.callback()
def cairn(version: Version = False) -> None:
    """Execute a repository's roadmap, one verified checkpoint at a time."""
    try:
        Path.cwd()
    except FileNotFoundError:
        from app.texts import checkout_texts as texts

        typer.echo(texts.folder_gone(), err=True)
        raise typer.Exit(2) from None


def serve(work: option.Work = True) -> None:
    """Run the server of the GitHub App, configured by the environment."""
    from app.cli.serve import command
    from app.runs.parts import Role

    raise typer.Exit(command(Role(works=work)))


def worker(slots: option.Slots = None) -> None:
    """Work on the runs of a server, beside it or on another machine (needs PostgreSQL)."""
    from app.cli.serve import command
    from app.runs.parts import Role

    raise typer.Exit(command(Role(serves=False, slots=slots)))


def run(
    project: option.Project = "",
    roadmap: option.Roadmap = "",
    model: option.Model = "",
    max_tasks: option.MaxTasks = None,
    task: option.Task = "",
    phase: option.Phase = "",
    sandbox: option.Sandbox = None,
    image: option.Image = "",
    branch: option.Branch = "",
    loop: option.Loop = None,
    agent: option.Agent = None,
    verify_mode: option.VerifyMode = None,
    planning: option.Planning = None,
    recovery: option.Recovery = None,
    approval_mode: option.ApprovalMode = None,
    pause_destructive: option.PauseDestructive = None,
    parallel: option.Parallel = None,
    max_iterations: option.MaxIterations = None,
    max_cost: option.MaxCost = None,
    max_tokens: option.MaxTokens = None,
    allow_dirty: option.AllowDirty = False,
    dry_run: option.DryRun = False,
    show_prompt: option.ShowPrompt = False,
    compare: option.Compare = "",
    json: option.Json = False,
    verbose: option.Verbose = False,
    log_level: option.LogLevel = "info",
) -> None:
    """Execute the roadmap of the current folder.

    Each finished task becomes a commit. Options that you leave out come from .github/cairn.yml, if
    there is one.
    """
    from app.local.options import LocalRun, of_project

    named, own = of_project(project) if "#" in project else (project, "")
    if own == project != "":
        raise typer.BadParameter(f"Write a task as PROJECT#TASK, such as api#1.2, not {project!r}.")
    if not (project or roadmap):
        named, task = of_project(task)
    if project and (roadmap or (own and task)):
        raise typer.BadParameter("Name the plan and the task once: PROJECT#TASK, or the options.")
    flags = {
        "max_tasks": max_tasks,
        "task": own or task,
        "phase": phase,
        "model": model,
        "image": image,
        "loop": loop,
        "agent": agent,
        "verify_mode": verify_mode,
        "planning": _PLANNING[planning],
        "recovery": recovery,
        "approval_mode": approval_mode,
        "pause_destructive": pause_destructive,
        "parallel": parallel,
        "max_iterations": max_iterations,
    }
    from app.local.command import command, compared
    from app.local.report import OutputFormat as Told
    from app.terminal import at_terminal
    from runner.model.budget import Budget

    given = {name: value for name, value in flags.items() if value not in (None, "")}
    budget = Budget(max_cost, max_tokens)
    asked = LocalRun(
        Path.cwd(),
        *(named or roadmap, given, branch, sandbox or "", budget),
        dirty=allow_dirty,
        answers=at_terminal() and not json,
    )
    told = Told(json, log_level, verbose)
    if compare:
        raise typer.Exit(compared(asked, compare, told, dry=dry_run or show_prompt))
    raise typer.Exit(command(asked, told, dry=dry_run, prompt=show_prompt))


def graph() -> None:
    """Print the steps of Cairn's loop as a mermaid diagram."""
    from app.terminal import say
    from runner.graph import mermaid

    say(mermaid())


cli.command()(run)
cli.command()(bench)
add_to(cli)
for command in (analyze, init, doctor, demo, serve, worker, audit, purge, setup, action, graph):
    cli.command()(command)
with_examples(cli)
with_examples(roadmap_cli, "roadmap")
with_examples(memory_cli, "memory")


def main() -> None:
    """Run ``cairn``; says an unexpected error in a sentence, or shows it (--verbose)."""
    gc.set_threshold(300_000, 20, 20)  # what is imported stays: looking for garbage costs 15 %
    atexit.register(gc.freeze)  # nor need Python look for it when all ends
    if "--verbose" not in sys.argv:
        sys.excepthook = one_sentence
    # not cli(): that would put typer's own hook in the place of ours
    typer.main.get_command(cli)()
