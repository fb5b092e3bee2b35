"""Every sentence that GitHub users read from the handlers, except about decisions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from handlers import stack_replies
from handlers.events import User
from handlers.grammar import (
    TRIGGER,
    Argument,
    CommandRow,
    Commands,
    Misunderstood,
    Need,
    Option,
)
from handlers.ports import (
    CheckpointStatus,
    InReview,
    OfferKind,
    Revising,
    RunStatus,
    StackPlace,
    TaskLine,
)
from runner.analysis.recorded import Analysis
from runner.people.analysis_sentences import Topic, tables
from runner.people.analysis_sentences import markdown as analysis_markdown
from runner.people.history_answer import HistoryAnswer, markdown
from runner.ports import MemoryNote
from runner.state.status_words import run_word, task_word
from runner.text.sanitize import sanitize

_SHOWN = 80
# so that a reply stays below the 60,000 characters GitHub takes for sure
_MOST_TASKS = 40
_MOST_RUNS = 5
_MOST_NAMES = 20


def marker(delivery: str) -> str:
    """The hidden mark by which our reply to a delivery is found again."""
    return f"<!-- cairn:reply:{re.sub(r'[^A-Za-z0-9-]', '', delivery)} -->"


def standing_marker(name: str) -> str:
    """The hidden mark of a comment that is edited when the same is asked again."""
    return f"<!-- cairn:standing:{re.sub(r'[^a-z0-9-]', '', name)} -->"


def history(answer: HistoryAnswer) -> str:
    """Show what the runs of a repository did."""
    return f"**History: {answer.topic}**\n\n{markdown(answer)}"


def no_topic(command: str, word: str, topics: Sequence[str]) -> str:
    """Say what a command can be asked for."""
    known = ", ".join(f"`{TRIGGER} {command} {topic}`" for topic in topics)
    return f"`{command}` has nothing called {quoted(word)}. Write one of these: {known}."


def analysis(topic: Topic, found: Analysis) -> str:
    """Show what the history teaches."""
    return sanitize(analysis_markdown(tables(topic, found)))


MOST_NOTES = 60
"""Notes of the memory that a comment shows."""


def memory(notes: Sequence[MemoryNote]) -> str:
    """Show what runs remember, the newest first."""
    if not notes:
        return "The project memory is empty."
    newest = list(reversed(notes))[:MOST_NOTES]
    shown = [
        f"- {note.kind}: {quoted(note.about)}: {sanitize(' '.join(note.text.split()), plain=True)}"
        + (f" ({note.count} times)" if note.count > 1 else "")
        for note in newest
    ]
    more = len(notes) - len(newest)
    tail = [f"- … {more:,} older"] if more else []
    return "\n".join(["**What runs of this repository remember**", "", *shown, *tail])


def memory_cleared(notes: int) -> str:
    """Say that the memory is empty now."""
    what = "1 note is" if notes == 1 else f"{notes:,} notes are"
    return f"The project memory is now empty: {what} forgotten."


def quoted(text: str) -> str:
    """Show a user's text as inline code on one line, cut, with nothing active in it."""
    line = " ".join(sanitize(text, plain=True).split()).replace("`", "'").replace("|", "¦")
    return f"`{line[:_SHOWN] + '…' if len(line) > _SHOWN else line or ' '}`"


def help_text(rows: Commands) -> str:
    """Explain every command of the table."""
    return "\n".join(
        [
            "Write one of these at the start of a line in a new comment:",
            "",
            "| command | who | what it does |",
            "|---|---|---|",
            *(f"| `{_in_cell(row.usage)}` | {_who(row)} | {row.description} |" for row in rows),
            "",
            *(line for row in rows for line in _explained(row)),
            "",
            "Examples: " + ", ".join(f"`{row.example}`" for row in rows) + ".",
        ]
    )


def _in_cell(text: str) -> str:
    """Keep a ``|`` from starting a cell; in a table that is true of code, too.

    (https://github.github.com/gfm/#tables-extension-)
    """
    return text.replace("|", r"\|")


def misunderstood(mistake: Misunderstood) -> str:
    """Say what was wrong with a command and what to type."""
    return (
        f"{mistake.problem} Nothing was done.\n\n"
        f"Try `{mistake.suggestion}`; `{TRIGGER} help` explains all commands."
    )


def refused(words: str, needs: Need, author: User, role: str) -> str:
    """Say that somebody may not do this, who may, and what to do."""
    has = "no permission" if role == "none" else f"the *{role}* permission"
    return (
        f"`{words}` needs the *{needs}* permission (or higher) on this repository, and "
        f"{quoted(author.login)} has {has}. Nothing was done.\n\n"
        f"Ask somebody with that permission to comment `{words}`, or ask an administrator of the "
        f"repository for access. `{TRIGGER} help` shows who may use which command."
    )


def unticked(reasons: str) -> str:
    """Say why a checkbox was ticked in vain."""
    return f"Cairn has cleared the checkbox again.\n\n{reasons}"


def no_proposal(id: str) -> str:
    """Say that there is no such proposal."""
    return f"There is no proposal {quoted(id)} here. Nothing was done."


def may_not_ask(needs: Need, author: User, role: str) -> str:
    """Say that a review starts nothing, and who may ask for changes."""
    has = "no permission" if role == "none" else f"the *{role}* permission"
    return (
        f"Cairn changes a pull request for reviewers with the *{needs}* permission (or higher) on "
        f"this repository, and {quoted(author.login)} has {has}. Nothing was done.\n\n"
        f"Somebody with that permission can comment `{TRIGGER} revise` with what to change."
    )


def retrying(run: str, superseded: Sequence[str]) -> str:
    """Say what became of the open proposals about a task that is retried; '' without any."""
    if not superseded:
        return ""
    ids = ", ".join(f"`{id}`" for id in superseded)
    closed = "Proposals {} are closed." if len(superseded) > 1 else "Proposal {} is closed."
    return f"Run `{run}` works on the task again. {closed.format(ids)}"


def skipping(task: str, title: str, *, new: bool) -> str:
    """Say that a task is skipped."""
    now = "is skipped, in this run and later ones" if new else "is already skipped"
    return (
        f"Task {quoted(task)} ({quoted(title)}) {now}, until you comment `/execute retry {task}`. "
        "If Cairn is working on it right now, it finishes that first."
    )


def no_task(name: str, roadmap: str, names: Sequence[str]) -> str:
    """Say that nothing is called so, and what there is."""
    text = f"{quoted(roadmap)} has no task {quoted(name)}. Nothing was done."
    if not names:
        return f"{text} It has no tasks at all."
    shown = ", ".join(quoted(each) for each in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{text} Its tasks: {shown}{more}."


def name_a_task(words: str) -> str:
    """Say that a command needs a task here."""
    return (
        f"Name the task to undo: `{words} ID`. Without an ID Cairn takes the task of the "
        "merged pull request that the comment is on, if it has only one. Nothing was done."
    )


def ambiguous_task(name: str, candidates: Sequence[tuple[str, int, str]]) -> str:
    """Say which tasks are called so: key, line and title of each."""
    rows = [
        f"- `{key}` (line {line}) {quoted(title)}" for key, line, title in candidates[:_MOST_NAMES]
    ]
    text = f"Several tasks are called {quoted(name)}. Nothing was done. Name one by its key:"
    return "\n".join([text, "", *rows])


def cancelling(runs: Sequence[str]) -> str:
    """Say which runs stop, or that no run is unfinished."""
    if not runs:
        return f"There is no unfinished run on this issue. `{TRIGGER}` starts one."
    return f"{_runs(runs, 'stops', 'stop')} after the current step. What is published stays."


def pausing(runs: Sequence[str]) -> str:
    """Say which runs pause, or that none is at work."""
    if not runs:
        return f"No run on this issue is running or queued. `{TRIGGER} status` lists all runs."
    return (
        f"{_runs(runs, 'pauses', 'pause')} after the current step. Comment `{TRIGGER} resume` to "
        "continue."
    )


def resuming(runs: Sequence[str]) -> str:
    """Say which runs continue, or that none is paused."""
    if not runs:
        return f"No run on this issue is paused. `{TRIGGER} status` lists all runs."
    if len(runs) > 1:
        return f"{_runs(runs, '', 'continue')} from where they stopped."
    return f"{_runs(runs, 'continues', '')} from where it stopped."


def status(
    runs: Sequence[RunStatus],
    here: CheckpointStatus | None = None,
    *,
    reviewed: Sequence[InReview] = (),
    offer: OfferKind | None = None,
) -> str:
    """Say how the runs of an issue are doing, with a table of tasks for each.

    ``reviewed`` are open pull requests of their roadmap. On a checkpoint (``here``) the runs are
    its revisions; its place in the stack comes first. ``offer`` is what a pull request of ours
    that shows no task proposes.
    """
    if offer and not runs:
        return not_worked_on(offer)
    if not (runs or here):
        return f"No run has been started on this issue yet. `{TRIGGER}` starts one."
    shown = [*([_checkpoint(here)] if here else []), *map(_run, runs[:_MOST_RUNS])]
    if len(runs) > _MOST_RUNS:
        shown.append(f"{len(runs) - _MOST_RUNS} older runs are not shown.")
    return "\n\n".join(filter(None, [*shown, stack_replies.in_review(reviewed)]))


def revising(found: Revising) -> str:
    """Say why a pull request is not revised; '' when a run does it and says so itself."""
    match found.outcome:
        case "started":
            return ""
        case "limit":
            return (
                f"This pull request has been revised {times(found.most)}, which is the limit "
                "(`pull_requests.revisions` in `.github/cairn.yml`). Nothing was done. Push to its "
                f"branch yourself, or close it and comment `{TRIGGER} retry ID` to start the task "
                "again."
            )
        case "off":
            return (
                "This repository does not let Cairn revise pull requests "
                "(`pull_requests.revisions: 0` or `github_mode: disabled` in `.github/cairn.yml`). "
                "Nothing was done."
            )
        case "closed":
            return (
                "This pull request is no longer open, so nothing was done. If it was merged, add "
                "what is to change as a new task. If it was closed, "
                f"`{TRIGGER} retry ID` starts its task again."
            )
        case "offer":
            return not_revised(found.offer or "setup")
        case "other":
            return (
                "This is not a pull request that Cairn made for a task. Nothing was done. "
                f"`{TRIGGER} revise` changes the pull requests that Cairn opens."
            )


_DECIDE = "Decide on it with `/approve`, `/reject` or `/edit`."
_OFFERS: dict[OfferKind, tuple[str, str]] = {
    "normalise": ("proposes checkboxes for a roadmap", ""),
    "setup": ("proposes what the repository lacks", ""),
    "undo": ("takes back a merged task", " Or close it and add what is to change as a new task."),
    "advice": ("proposes other settings", ""),
    "fix": (
        "proposes a repair of another pull request",
        f" Or close it and comment `{TRIGGER} fix` on that pull request for a new repair.",
    ),
}


def not_revised(offer: OfferKind) -> str:
    """Say why one of our pull requests is not revised, and what people can do instead."""
    if offer == "recovery":
        return f"This pull request is a proposal, not finished work. Nothing was done. {_DECIDE}"
    what, instead = _OFFERS[offer]
    return (
        f"Cairn revises only pull requests that show its work on a task; this one {what}. Nothing "
        f"was done. Push your changes to its branch: Cairn does not overwrite them.{instead}"
    )


def not_worked_on(offer: OfferKind) -> str:
    """Say what one of our pull requests is for; no run works on it."""
    if offer == "recovery":
        return f"This pull request is a proposal. {_DECIDE}"
    return f"This pull request {_OFFERS[offer][0]}. No run works on it; merge it, or close it."


def times(count: int) -> str:
    """Say how often: once, or so many times."""
    return "once" if count == 1 else f"{count} times"


def _checkpoint(here: CheckpointStatus) -> str:
    where = f", requested on #{here.issue}," if here.issue else ""
    made = f"Run `{here.run}`{where} made this pull request for {quoted(here.title)}."
    if not here.open:
        return f"{made} It is {'merged' if here.merged else 'closed without a merge'}."
    return f"{made} {stack_replies.place(here.place) or stack_replies.ALONE}{_why_not(here.place)}"


def _why_not(place: StackPlace) -> str:
    if place.done:
        return f" {stack_replies.DONE}"
    return f" {stack_replies.HELD}" if place.held else ""


def open_quote() -> str:
    """A quotation mark without its partner."""
    return "A quotation mark is not closed."


def long_line() -> str:
    """A command line beyond what we read."""
    return "The command is too long."


def long_comment(longest: int) -> str:
    """A comment of which the part that matters is not read: its first characters are."""
    return (
        f"This comment is longer than {longest:,} characters, and Cairn reads no further. Write "
        "the command at the beginning of a shorter comment."
    )


def unknown_word(word: str) -> str:
    """A first word that names nothing."""
    return f"{quoted(word)} is neither a command nor a Markdown file (a path ends in `.md`)."


def unknown_option(row: CommandRow, name: str) -> str:
    """An option the command does not have."""
    return f"`{row.words}` has no option {quoted(name)}."


def missing_value(option: Option) -> str:
    """An option without its value."""
    return f"The option `{option.name}` needs a value."


def flag_with_value(option: Option) -> str:
    """A value where none belongs."""
    return f"The option `{option.name}` takes no value."


def given_twice(option: Option) -> str:
    """An option given twice."""
    return f"The option `{option.name}` is given twice."


def not_a_number(option: Option, given: str) -> str:
    """Something that is not a count."""
    return f"`{option.name}` needs a whole number from 1 to {option.maximum}, not {quoted(given)}."


def too_large(option: Option, given: str) -> str:
    """A count beyond its maximum."""
    return f"`{option.name}` is at most {option.maximum}, so {quoted(given)} is too large."


def bad_text(option: Option) -> str:
    """A value that cannot be a name."""
    return (
        f"The value of `{option.name}` is longer than {option.maximum} characters or has control "
        "characters in it."
    )


def takes_no_argument(row: CommandRow, word: str) -> str:
    """A word too many."""
    return f"`{row.words}` takes no further argument, so {quoted(word)} has no meaning here."


def one_argument_only(argument: Argument, word: str) -> str:
    """A second argument."""
    return f"You can give only one `{argument.value}`, and {quoted(word)} is a second one."


def missing_argument(row: CommandRow, argument: Argument) -> str:
    """A word too few."""
    return f"`{row.words}` needs `{argument.value}`: {argument.help}."


def unreadable_id(word: str) -> str:
    """A name nothing can have."""
    return f"The id {quoted(word)} is too long or has control characters in it."


def no_choice(option: Option, given: str) -> str:
    """A word that is not one of the choices."""
    words = ", ".join(f"`{choice}`" for choice in option.choices)
    return f"`{option.name}` must be one of {words}, not {quoted(given)}."


def unreadable_path(path: str) -> str:
    """A path nobody can have meant."""
    return f"The path {quoted(path)} is too long or has control characters in it."


def path_outside(path: str) -> str:
    """A path that leads out of the repository."""
    return (
        f"The path {quoted(path)} must be inside the repository. Write it relative to the top "
        "folder, with `/` between folders and without `..`."
    )


def no_markdown_path(path: str) -> str:
    """A path of another kind of file."""
    return f"The roadmap {quoted(path)} must be a Markdown file (its name ends in `.md`)."


def _who(row: CommandRow) -> str:
    if row.configurable:
        return f"*{row.needs}* permission or higher (configurable), or whoever started the run"
    return "anyone" if row.needs == "anyone" else f"*{row.needs}* permission or higher"


def _explained(row: CommandRow) -> list[str]:
    argument = [f"- `{a.usage}` of `{row.words}`: {a.help}" for a in row.arguments]
    options = [
        f"- `{f'{option.name} {option.value}'.strip()}`: {option.help}" for option in row.options
    ]
    return argument + options


def _runs(runs: Sequence[str], one: str, many: str) -> str:
    """The runs and what they do: the verb for one of them, and for several."""
    names = ", ".join(f"`{run}`" for run in runs)
    return f"Runs {names} {many}" if len(runs) > 1 else f"Run {names} {one}"


def _run(run: RunStatus) -> str:
    name = f"[`{run.run}`]({run.url})" if run.url else f"`{run.run}`"
    head = f"Run {name}: **{run_word(run.status)}**"
    if run.detail:
        head += f" ({sanitize(' '.join(run.detail.split()), plain=True)})"
    if not run.tasks:
        return head
    rows = [_task(task) for task in run.tasks[:_MOST_TASKS]]
    if len(run.tasks) > _MOST_TASKS:
        rows.append(f"| … | {len(run.tasks) - _MOST_TASKS} more | | |")
    return "\n".join([head, "", "| task | title | status | where |", "|---|---|---|---|", *rows])


def _task(task: TaskLine) -> str:
    where = f"[{_name_of(task.url)}]({task.url})" if task.url else ""
    return f"| {quoted(task.name)} | {quoted(task.title)} | {task_word(task.status)} | {where} |"


def _name_of(url: str) -> str:
    """A pull request by its number, anything else as a link."""
    number = re.search(r"/pull/(\d+)$", url)
    return f"#{number[1]}" if number else "link"
