"""What bubblewrap promises besides the contract: nothing of the host, and leftovers removed."""

from __future__ import annotations

import asyncio
import re
import shutil
import struct
import subprocess
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.ports import Sandbox, SandboxSession
from runner.sandbox.bubblewrap import BubblewrapSandbox
from runner.sandbox.bubblewrap_session import BubblewrapSession, SessionPlan
from runner.sandbox.system_calls import system_call_filter
from tests.runner.sandbox.sandbox_bench import SPEC, opened, working_sandbox

SECRET = "CAIRN-TEST-SECRET"


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    """Bubblewrap's; at the end no box of it may be left."""
    sandbox = await working_sandbox("bubblewrap", prepared=tmp_path / "prepared")
    yield sandbox

    assert await sandbox.sweep() == 0


@pytest.fixture
async def box(sandbox: Sandbox) -> AsyncIterator[SandboxSession]:
    """An open box."""
    async with opened(sandbox) as box:
        yield box


async def test_the_host_s_files_are_not_there(box: SandboxSession, tmp_path: Path) -> None:
    """Neither a file of the worker nor any home, run-time or data folder can be seen."""
    (tmp_path / "token").write_text(SECRET)
    paths = [str(tmp_path / "token"), "/home", "/root", "/run", "/sys"]

    result = await box.run(["ls", "-d", *paths, str(Path.cwd()), str(Path.home())])

    assert result.stdout == b""


async def test_processes_of_the_host_cannot_be_seen(box: SandboxSession) -> None:
    """A command sees itself and what it started, and nothing of how its sandbox was made."""
    seen = (await box.run(["sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"])).stdout
    environments = (await box.run(["sh", "-c", "cat /proc/[0-9]*/environ"])).stdout

    assert b"bwrap" not in seen
    assert b"CAIRN_BOX" not in environments


async def test_no_socket_of_the_host_can_be_reached(box: SandboxSession) -> None:
    """There is no network device but a loopback of its own, and no host's abstract socket."""
    devices = (await box.run(["cat", "/proc/net/dev"])).stdout.splitlines()[2:]
    sockets = (await box.run(["cat", "/proc/net/unix"])).stdout.splitlines()[1:]

    assert [line.split(b":")[0].strip() for line in devices] == [b"lo"]
    assert sockets == []


async def test_no_new_user_namespace_can_be_made(box: SandboxSession) -> None:
    """A command cannot become root in a namespace of its own."""
    assert (await box.run(["unshare", "--user", "--map-root-user", "true"])).exit_code != 0


_ALLOWED, _EPERM, _KILLED = 0x7FFF0000, 0x00050001, 0x80000000
_X86_64, _I386, _AARCH64, _ARM = 0xC000003E, 0x40000003, 0xC00000B7, 0x40000028
_RISCV64 = 0xC00000F3


@pytest.mark.parametrize(
    ("architecture", "refused", "allowed"),
    [
        (_X86_64, (101, 248, 249, 250, 310, 425, 447, 0x40000000 | 250), (0, 247, 450)),
        (_I386, (26, 102, 286, 287, 288, 447), (1, 248, 285, 289)),
        (_AARCH64, (117, 217, 218, 219, 425, 447), (216, 220, 250)),
        (_ARM, (26, 309, 310, 311), (41, 217)),
    ],
)
def test_the_filter_refuses_what_reaches_out_of_a_sandbox(
    architecture: int, refused: tuple[int, ...], allowed: tuple[int, ...]
) -> None:
    """On each architecture: keyrings, other processes, io_uring, sockets to the hypervisor."""
    filtered = system_call_filter()
    assert {run_bpf(filtered, call, architecture) for call in refused} == {_EPERM}
    assert {run_bpf(filtered, call, architecture) for call in allowed} == {_ALLOWED}
    socket = {_X86_64: 41, _I386: 359, _AARCH64: 198, _ARM: 281}[architecture]
    assert run_bpf(filtered, socket, architecture, family=40) == _EPERM
    assert run_bpf(filtered, socket, architecture, family=1) == _ALLOWED
    assert run_bpf(filtered, 1, architecture, family=40) == _ALLOWED


def test_a_program_of_another_architecture_is_killed() -> None:
    """Its calls have other numbers."""
    assert run_bpf(system_call_filter(), 1, _RISCV64) == _KILLED


def run_bpf(program: bytes, call: int, architecture: int, *, family: int = 0) -> int:
    """Run the few instructions that the filter uses, as the kernel would."""
    code, value, at = list(struct.iter_unpack("=HBBI", program)), 0, 0
    while True:
        (operation, true, false, constant), at = code[at], at + 1
        match operation:
            case 0x20:
                value = {0: call, 4: architecture, 16: family}[constant]
            case 0x54:
                value &= constant
            case 0x15:
                at += true if value == constant else false
            case 0x06:
                return constant
            case _:
                raise AssertionError(operation)


async def test_memory_of_all_processes_together_is_limited(box: SandboxSession) -> None:
    """Several processes, each below the limit, are ended when together they are above it."""
    hungry = "x = bytearray(60 << 20); import time; time.sleep(50)"
    script = 'for i in 1 2 3 4; do python3 -c "$0" & done; wait'

    assert (await box.run(["sh", "-c", script, hungry], timeout=50)).exit_code == 137


async def test_shared_memory_counts_once(box: SandboxSession) -> None:
    """Processes that share their memory after a fork are not ended for it."""
    forks = "import os, time; x = bytearray(60 << 20); [os.fork() for _ in '12']"
    told = "print(len(x), flush=True)"  # at once: whoever ends first ends the others

    result = await box.run(["python3", "-c", f"{forks}; {told}; time.sleep(0.5)"])

    assert (result.exit_code, result.stdout.count(b"62914560")) == (0, 4)


async def test_the_number_of_files_is_limited(box: SandboxSession) -> None:
    """A file takes memory even when it is empty, so no command makes files without end."""
    inodes = (await box.run(["stat", "-f", "-c", "%c", "/workspace", "/tmp"])).stdout.split()

    assert all(int(count) <= 500_000 for count in inodes)


async def test_a_holder_that_was_killed_is_an_outage(sandbox: Sandbox) -> None:
    """When somebody ends the process that holds a box, no task is blamed."""
    async with opened(sandbox) as box:
        await sandbox.sweep()

        with pytest.raises(Outage):
            await box.run(["true"])


async def test_a_holder_that_nobody_finds_ends_too(tmp_path: Path) -> None:
    """A process has no environment for a moment while it becomes another program."""
    holder = await asyncio.create_subprocess_exec("cat", stdin=PIPE, stdout=PIPE, stderr=PIPE)
    plan = SessionPlan(folder=tmp_path, binds={}, view=(), environment={}, spec=SPEC)

    await BubblewrapSession(plan, holder).close()

    assert holder.returncode is not None


async def test_a_sweep_leaves_others_alone(sandbox: Sandbox) -> None:
    """A sweep removes boxes of its own owner only."""
    other = await working_sandbox("bubblewrap")
    async with opened(other) as box:
        await sandbox.sweep()

        assert (await box.run(["true"])).exit_code == 0


async def test_an_image_that_is_no_folder_is_refused(sandbox: Sandbox) -> None:
    """A container image cannot be used: it is said how to make a folder instead."""
    with pytest.raises(Outage, match="scripts/sandbox-root"):
        await sandbox.open(replace(SPEC, image="python:3.12"))


async def test_a_root_that_is_missing_is_told_at_the_start(tmp_path: Path) -> None:
    """A prepared root that is configured and not there stops the check with its path."""
    sandbox = BubblewrapSandbox(owner="o", image=str(tmp_path / "no"), prepared=tmp_path)

    with pytest.raises(Outage, match="no is not a folder"):
        await sandbox.check()


async def test_a_root_of_one_s_own_is_used(tmp_path: Path) -> None:
    """Of a prepared root its programs are seen and the machine's are not."""
    await working_sandbox("bubblewrap")
    root = small_root(tmp_path / "root")
    sandbox = BubblewrapSandbox(owner=str(tmp_path), image=str(root), prepared=tmp_path / "kept")
    async with opened(sandbox) as box:
        seen = (await box.run(["sh", "-c", "cd /usr/bin; echo *; cd /etc; echo *"])).stdout

    assert seen == b"sh true\nhosts mine\n"


def small_root(root: Path, *programs: str) -> Path:
    """Copy a shell, programs and the libraries they need into a root; return it."""
    paths = [f"/usr/bin/{name}" for name in ("sh", "true", *programs)]
    listed = subprocess.run(["ldd", *paths], capture_output=True, text=True)
    libraries = re.findall(r"(/lib\S+) \(", listed.stdout)
    for path in (*paths, *libraries):
        (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path[1:])
    (root / "bin").symlink_to("usr/bin")
    (root / "etc").mkdir()
    (root / "etc/mine").touch()
    return root
