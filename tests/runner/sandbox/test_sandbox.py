"""What every sandbox promises (the contract of the ports ``Sandbox`` and ``SandboxSession``)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from runner.errors import TaskError
from runner.ports import Sandbox, SandboxSession
from tests.runner.sandbox.sandbox_bench import SPEC, opened

ALIVE = "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; done 2>/dev/null"


async def test_a_command_s_exit_code_comes_back(box: SandboxSession) -> None:
    """The exit code of a command is told as it is."""
    result = await box.run(["sh", "-c", "exit 3"])

    assert (result.exit_code, result.timed_out, result.truncated) == (3, False, False)


async def test_bytes_go_through_unchanged(box: SandboxSession) -> None:
    """A megabyte of any bytes comes out of ``cat`` as it went in."""
    every_byte = bytes(range(256)) * 4096

    assert (await box.run(["cat"], stdin=every_byte)).stdout == every_byte


async def test_input_ends(box: SandboxSession) -> None:
    """A command that reads to the end of its input gets there, even of an empty one."""
    assert (await box.run(["wc", "-c"])).stdout.strip() == b"0"


async def test_input_that_nobody_reads_does_no_harm(box: SandboxSession) -> None:
    """A command may end without reading its input."""
    result = await box.run(["sh", "-c", "exit 4"], stdin=bytes(5 << 20), timeout=20)

    assert (result.exit_code, result.timed_out) == (4, False)


async def test_stderr_is_apart(box: SandboxSession) -> None:
    """What a command writes to stderr is not mixed with its stdout."""
    result = await box.run(["sh", "-c", "echo out; echo err >&2"])

    assert (result.stdout, result.stderr) == (b"out\n", b"err\n")


async def test_an_unknown_command_is_a_result(box: SandboxSession) -> None:
    """A command that does not exist ends with 127, as in a shell."""
    assert (await box.run(["no-such-command"])).exit_code == 127


async def test_arguments_are_not_read_by_a_shell(box: SandboxSession) -> None:
    """Arguments with spaces, quotes and dollars arrive as they are."""
    result = await box.run(["printf", "%s|", "a b", "'\"", "$HOME", ""])

    assert result.stdout == b"a b|'\"|$HOME||"


async def test_the_time_limit_ends_the_whole_tree(box: SandboxSession) -> None:
    """At the time limit every process of the command dies, even one in a session of its own."""
    result = await box.run(["sh", "-c", "setsid sleep 31556926 & sleep 31556926"], timeout=0.5)

    assert result.timed_out
    assert b"31556926" not in (await box.run(["sh", "-c", ALIVE])).stdout


async def test_nothing_outlives_its_command(box: SandboxSession) -> None:
    """A process left in the background neither holds the command up nor lives on."""
    result = await box.run(["sh", "-c", "setsid sleep 31556927 & echo done"], timeout=20)

    assert (result.exit_code, result.stdout, result.timed_out) == (0, b"done\n", False)
    assert b"31556927" not in (await box.run(["sh", "-c", ALIVE])).stdout


async def test_a_process_that_cleared_its_environment_does_not_outlive_its_command(
    box: SandboxSession,
) -> None:
    """A daemon that drops every variable is ended with its command, too."""
    await box.run(["sh", "-c", "setsid env -i sleep 31556930 & echo done"], timeout=20)

    assert b"31556930" not in (await box.run(["sh", "-c", ALIVE])).stdout


async def test_a_cancelled_command_dies(box: SandboxSession) -> None:
    """When the caller is cancelled, its command does not go on."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await box.run(["sleep", "31556928"])

    assert b"31556928" not in (await box.run(["sh", "-c", ALIVE])).stdout


async def test_output_is_bounded(sandbox: Sandbox) -> None:
    """Of too much output the beginning and the end are kept, and it is said."""
    async with opened(sandbox, replace(SPEC, output=100)) as box:
        result = await box.run(["seq", "200"])

    assert result.truncated
    assert result.stdout.startswith(b"1\n2\n")
    assert result.stdout.endswith(b"199\n200\n")
    assert len(result.stdout) < 160


async def test_nothing_of_the_host_s_environment_is_seen(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable of the worker, which may be a secret, is not in a command's environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    async with opened(sandbox) as box:
        environment = (await box.run(["env"])).stdout

    assert b"secret" not in environment
    assert b"LANG=C.UTF-8\n" in environment
    assert b"PYTHONDONTWRITEBYTECODE=1\n" in environment


async def test_home_and_tmp_can_be_written(box: SandboxSession) -> None:
    """Tools that need a home or a temporary folder have one."""
    script = 'touch "$HOME/x" && f=$(mktemp) && echo ok >"$f" && cat "$f"'

    assert (await box.run(["sh", "-c", script])).stdout == b"ok\n"


async def test_the_workspace_is_empty_at_first(box: SandboxSession) -> None:
    """A new box holds no file of anybody."""
    assert (await box.run(["ls", "-A"])).stdout == b""


async def test_files_stay_from_command_to_command(box: SandboxSession) -> None:
    """The commands of a box share its workspace, which may hold programs."""
    await box.run(["sh", "-c", "echo '#!/bin/sh\necho hello' >x; chmod +x x"])

    assert (await box.run(["./x"])).stdout == b"hello\n"


async def test_a_workspace_without_permissions_comes_back(box: SandboxSession) -> None:
    """A command that locks itself out of its workspace does not lock out the next."""
    await box.run(["chmod", "000", "."])

    assert (await box.run(["ls"])).exit_code == 0


async def test_boxes_do_not_see_each_other(sandbox: Sandbox) -> None:
    """A file written in one box is not in another."""
    async with opened(sandbox) as one, opened(sandbox) as other:
        await one.run(["touch", "mine"])

        assert (await other.run(["ls"])).stdout == b""


async def test_close_removes_the_box(sandbox: Sandbox) -> None:
    """After close nothing is left to sweep, and closing again is harmless."""
    box = await sandbox.open(SPEC)
    await box.close()
    await box.close()

    assert await sandbox.sweep() == 0


async def test_a_closed_box_runs_nothing(sandbox: Sandbox) -> None:
    """A command for a closed box is refused, not run somewhere else."""
    box = await sandbox.open(SPEC)
    await box.close()

    with pytest.raises(TaskError):
        await box.run(["true"])


async def test_a_cancelled_task_leaves_nothing(sandbox: Sandbox) -> None:
    """A task that is cancelled in the middle of a command and then closes leaves no box."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1), opened(sandbox) as box:
            await box.run(["sleep", "1000"])

    assert await sandbox.sweep() == 0


async def test_sweep_removes_what_a_killed_worker_left(sandbox: Sandbox) -> None:
    """A box that nobody closed is removed and counted at the next start."""
    box = await sandbox.open(SPEC)

    assert await sandbox.sweep() == 1

    await box.close()
