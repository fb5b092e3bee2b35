"""The commands besides ``run``; each one imports what it needs when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer.core import TyperGroup

from app.cli.options import (
    AllowDirty,
    Ask,
    Given,
    Json,
    LogLevel,
    MaxCost,
    MaxTokens,
    NewMaxCost,
    NewMaxTokens,
    Node,
    Sandbox,
    Verbose,
)
from runner.text.invalid import plain_message

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

    from app.local.decide import LocalDecision


Proposal = Annotated[
    str,
    typer.Argument(
        help="The proposal's id or its task; not needed if only one is waiting.",
        show_default=False,
    ),
]
Why = Annotated[str, typer.Option(help="Your reason, kept with the decision.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the run at once.")]


def add_to(cli: typer.Typer) -> None:
    """Add the commands."""
    for command in (
        status,
        show,
        history,
        accept,
        undo,
        retry,
        replay,
        resume,
        approve,
        reject,
        edit,
    ):
        cli.command()(command)


def status(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the runs of this folder and what is waiting for a decision."""
    from app.local.report import command

    raise typer.Exit(command(Path.cwd(), json=json))


def show(
    name: Annotated[
        str,
        typer.Argument(
            help="A run, a task (id or key) or a proposal (default: the newest run).",
            show_default=False,
        ),
    ] = "",
    task: Annotated[
        str,
        typer.Argument(help="If NAME is a run: one of its tasks or proposals.", show_default=False),
    ] = "",
    exchanges: Annotated[
        bool, typer.Option("--exchanges", help="Show every question and answer in full.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show a run with its cost, or one of its tasks in full.

    A task is shown with its diff, its tests, every question to the model, and its proposal.
    """
    from app.local.show import command

    words = tuple(filter(None, (name, task)))
    raise typer.Exit(command(Path.cwd(), words, exchanges=exchanges, json=json))


def history(
    what: Annotated[
        Literal["recent", "errors", "stats"],
        typer.Argument(
            help="recent: the newest attempts; errors: the newest failures, and how often each "
            "type was recovered; stats: what all attempts add up to."
        ),
    ] = "recent",
    days: Annotated[
        int, typer.Option(min=0, help="Only the newest N days, today included (0: all).")
    ] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what runs cost and did: attempts, errors, totals."""
    from app.local.history import command

    raise typer.Exit(command(Path.cwd(), what, days=days, json=json))


def retry(
    task: Annotated[
        str, typer.Argument(help="The task: its id or key, with its project: 1.2, api#1.2.")
    ],
    message: Annotated[
        str,
        typer.Option("-m", "--message", help="What to add, such as the answer to a question."),
    ] = "",
    from_: Annotated[
        Literal["verify"] | None,
        typer.Option(
            "--from", help="verify: only verify the change of the newest run again; ask no model."
        ),
    ] = None,
    sandbox: Sandbox = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    allow_dirty: AllowDirty = False,
    json: Json = False,
    verbose: Verbose = False,
    log_level: LogLevel = "info",
) -> None:
    """Work on one task again in a new run, with what you add to it."""
    from app.local.command import command
    from app.local.options import LocalRun, of_project
    from app.local.report import OutputFormat as Told
    from app.terminal import at_terminal
    from runner.model.budget import Budget
    from runner.state.options import LONGEST_NOTE

    project, task = of_project(task)
    given = {"task": task, "note": message.strip()[:LONGEST_NOTE], "again": from_ or ""}
    budget, answers = Budget(max_cost, max_tokens), at_terminal() and not json
    place, chosen = Path.cwd(), sandbox or ""
    asked = LocalRun(place, project, given, "", chosen, budget, dirty=allow_dirty, answers=answers)
    raise typer.Exit(command(asked, Told(json, log_level, verbose)))


def replay(
    run: Annotated[str, typer.Argument(help="Id of the run, or the beginning of it.")],
    task: Annotated[
        str, typer.Argument(help="Only this task: its id or key.", show_default=False)
    ] = "",
    from_: Node = None,
    set_: Given = [],  # noqa: B006 - typer makes a list for each call
    ask: Ask = False,
    sandbox: Sandbox = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    verbose: Verbose = False,
    log_level: LogLevel = "info",
) -> None:
    """Play a run again with its recorded answers, and show what is different now.

    Nothing is paid and nothing is changed: no branch, no file, no roadmap. Tests run as they are
    now. With the settings of a server (DATABASE_URL, CAIRN_DATA_DIR), its runs can be played, too.
    A question that has no recorded answer stops the replay, unless you add --ask.
    """
    from app.cli.options import given_by
    from app.local.command import replay as command
    from app.local.options import LocalRun
    from app.local.replay import Replay
    from app.local.report import OutputFormat as Told
    from runner.model.budget import Budget

    wanted = Replay(run, task, from_ or "", given_by(set_), ask)
    asked = LocalRun(Path.cwd(), sandbox=sandbox or "", budget=Budget(max_cost, max_tokens))
    raise typer.Exit(command(wanted, asked, Told(json, log_level, verbose)))


def undo(
    task: Annotated[str, typer.Argument(help="The finished task: its id or key.")],
    roadmap: Annotated[
        str, typer.Option(help="Path of the roadmap (default: ROADMAP.md).", show_default=False)
    ] = "",
) -> None:
    """Take back a task that is finished or in review, as one more commit.

    This removes its change, clears its checkbox, and says whether the tests pass without it.
    """
    from app.local.options import of_project
    from app.local.undo import undo as command

    project, task = of_project(task)
    raise typer.Exit(command(Path.cwd(), task, project or roadmap))


def accept(
    task: Annotated[str, typer.Argument(help="The task in review: its id or key.")],
    roadmap: Annotated[
        str, typer.Option(help="Path of the roadmap (default: ROADMAP.md).", show_default=False)
    ] = "",
) -> None:
    """Say that a task in review is done: tick its checkbox, as one more commit.

    A task is in review when its change is committed and no test shows that it is done.
    """
    from app.local.options import of_project
    from app.local.undo import accept as command

    project, task = of_project(task)
    raise typer.Exit(command(Path.cwd(), task, project or roadmap))


def resume(
    run: Annotated[
        str, typer.Argument(help="Id of the run (default: the newest one that can continue).")
    ] = "",
    sandbox: Sandbox = None,
    max_cost: NewMaxCost = None,
    max_tokens: NewMaxTokens = None,
    allow_dirty: AllowDirty = False,
    json: Json = False,
    verbose: Verbose = False,
    log_level: LogLevel = "info",
) -> None:
    """Continue a run that stopped or waits for you.

    Use it after an interruption or a pause, or when you have decided on a proposal.
    """
    from app.local.command import resume as command
    from app.local.options import LocalRun
    from app.local.report import OutputFormat as Told
    from runner.model.budget import Budget

    budget = Budget(max_cost, max_tokens)
    place = Path.cwd()
    asked = LocalRun(place, run=run, sandbox=sandbox or "", budget=budget, dirty=allow_dirty)
    raise typer.Exit(command(asked, Told(json, log_level, verbose)))


def approve(proposal: Proposal = "", why: Why = "", resume: Resume = False) -> None:
    """Approve a proposal about a task.

    A proposal says what to do about a failed task, or shows code that needs your approval.
    """
    from app.local.decide import LocalDecision as Said

    _decide(Said("approve", proposal, why, goes_on=resume))


def reject(
    proposal: Proposal = "",
    why: Why = "",
    skip: Annotated[
        bool, typer.Option("--skip", help="Skip the task; it does not count as failed.")
    ] = False,
    resume: Resume = False,
) -> None:
    """Reject a proposal; its task stays open and counts as failed."""
    from app.local.decide import LocalDecision as Said

    _decide(Said("skip" if skip else "reject", proposal, why, goes_on=resume))


def edit(
    proposal: Proposal = "",
    why: Why = "",
    file: Annotated[
        str,
        typer.Option(
            help="Read the tasks from this file (- for standard input), not from an editor."
        ),
    ] = "",
    resume: Resume = False,
) -> None:
    """Replace a task with your own tasks.

    Your editor (VISUAL or EDITOR) opens with the tasks that are proposed.
    """
    from app.local.decide import LocalDecision as Said

    _decide(Said("edit", proposal, why, file, goes_on=resume))


def _decide(decision: LocalDecision) -> None:
    from app.local.command import resume
    from app.local.decide import decide
    from app.local.options import LocalRun
    from app.local.report import OutputFormat as Told
    from app.terminal import any_encoding

    any_encoding()
    code, run = decide(decision, Path.cwd())
    if decision.goes_on and not code:
        code = resume(LocalRun(Path.cwd(), run=run), Told())
    raise typer.Exit(code)


def init() -> None:
    """Write a .github/cairn.yml if the tests need one, or folders have plans of their own.

    Cairn checks the file by starting the tests with it.
    """
    from app.doctor.init import command

    raise typer.Exit(command(Path.cwd()))


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show all details, and where an error came from.")
    ] = False,
) -> None:
    """Check everything that a run or the server needs.

    Settings, folder, model, sandbox, database and GitHub App: each line says ok, warning, problem
    or skipped, and what to do. Nothing is changed and no secret is printed; the model is asked one
    short question, which may cost a few tokens. Checks of the App are skipped if there is none.
    """
    from app.doctor.command import command

    raise typer.Exit(command(Path.cwd(), json=json, verbose=verbose))


def _print_version(wanted: bool) -> None:
    if wanted:
        from app.version import version_of_cairn

        typer.echo(f"cairn {version_of_cairn()}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
]


class CommandList(TyperGroup):
    """Lists its commands with their whole first sentences; Click cuts them to fit one line."""

    def invoke(self, ctx: Context) -> object:
        """Do what is asked for; a value that is refused is told in plain words."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = plain_message(error.message)
            raise

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the list below the options."""
        commands = {name: self.commands[name] for name in self.list_commands(ctx)}
        rows = [
            (name, each.get_short_help_str(limit=500))
            for name, each in commands.items()
            if not each.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


roadmap_cli = typer.Typer(
    name="roadmap",
    cls=CommandList,
    help="Show how a roadmap is read, check it, or give it checkboxes.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

File = Annotated[str, typer.Argument(help="The roadmap; - reads standard input.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]


@roadmap_cli.command("show")
def show_roadmap(file: File = "ROADMAP.md", json: AsJson = False) -> None:
    """Show the tasks: order, kinds, dependencies, warnings, and what has no checkbox."""
    from app.roadmap.commands import show as command

    raise typer.Exit(command(file, json=json))


@roadmap_cli.command()
def lint(file: File = "ROADMAP.md", json: AsJson = False) -> None:
    """List what you should look at before a run; exit code 1 if there is something."""
    from app.roadmap.commands import lint as command

    raise typer.Exit(command(file, json=json))


@roadmap_cli.command()
def normalize(
    file: File = "ROADMAP.md",
    write: Annotated[bool, typer.Option("--write", help="Write the result into the file.")] = False,
    output: Annotated[str, typer.Option(help="Write the result into this new file instead.")] = "",
    model: Annotated[
        str,
        typer.Option(help="Ask this model if the structure does not show what the tasks are."),
    ] = "",
) -> None:
    """Propose checkboxes for a roadmap that has none, as a diff; --write adds them."""
    from app.roadmap.normalize import NormalizeOptions as Asked
    from app.roadmap.normalize import command

    asked = Asked(file=file, write=write, output=output, model=model)
    raise typer.Exit(command(asked))


@roadmap_cli.command()
def sync(
    file: File = "ROADMAP.md",
    todos: Annotated[
        str, typer.Option(help="The todos.json that you edited.")
    ] = ".executor/todos.json",
    write: Annotated[
        bool, typer.Option("--write", help="Change the roadmap; else the changes are only shown.")
    ] = False,
) -> None:
    """Copy statuses that you changed in todos.json to the checkboxes of the roadmap."""
    from app.roadmap.commands import sync_todos as command

    raise typer.Exit(command(file, todos=todos, write=write))


def setup(
    url: Annotated[
        str,
        typer.Option(
            help="Where GitHub will reach the server, https:// (default: CAIRN_PUBLIC_URL)."
        ),
    ] = "",
    organization: Annotated[
        str, typer.Option(help="Organisation that will own the App (default: your own account).")
    ] = "",
    name: Annotated[
        str, typer.Option(help="The App's name, at most 34 characters (default: from the address).")
    ] = "",
    file: Annotated[
        Path, typer.Option(help="File to write the secrets to; it must not exist yet.")
    ] = Path("cairn.env"),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page on this machine (0: any).")
    ] = 0,
) -> None:
    """Register the GitHub App.

    Opens a page on this machine, and writes the secrets to a file.

    For GitHub Enterprise Server, set GITHUB_SERVER_URL first.
    """
    from app.setup.command import SetupOptions as Asked
    from app.setup.command import command

    raise typer.Exit(command(Asked(url, organization, name, file, port)))


def action() -> None:
    """Run inside a GitHub workflow: action.yml calls this."""
    from app.action.command import command

    raise typer.Exit(command())
