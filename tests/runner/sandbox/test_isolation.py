"""What every sandbox but the plain process promises: its locks and its limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from runner.errors import TaskError
from runner.ports import Sandbox, SandboxSession
from tests.runner.sandbox.sandbox_bench import ISOLATED, SPEC, opened, working_sandbox

HUNGRY = "x = bytearray(1 << 30)"
# the shell that loops forks once, before the bomb: one that cannot fork would end by itself
FORKS = "f() { f | f & }; f & while :; do :; done"


@pytest.fixture(params=ISOLATED)
async def sandbox(request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    """Each isolating sandbox in turn; at the end nothing of it may be left."""
    sandbox = await working_sandbox(request.param)
    yield sandbox

    assert await sandbox.sweep() == 0


@pytest.fixture
async def box(sandbox: Sandbox) -> AsyncIterator[SandboxSession]:
    """An open box."""
    async with opened(sandbox) as box:
        yield box


async def test_commands_are_not_root(box: SandboxSession) -> None:
    """A command runs as an ordinary user in an ordinary group."""
    assert (await box.run(["sh", "-c", "id -u; id -g"])).stdout == b"1000\n1000\n"


async def test_there_is_no_network(box: SandboxSession) -> None:
    """A command sees no network device but its own loopback."""
    devices = (await box.run(["cat", "/proc/net/dev"])).stdout.splitlines()[2:]

    assert [line.split(b":")[0].strip() for line in devices] == [b"lo"]


async def test_the_root_is_read_only(box: SandboxSession) -> None:
    """Outside of workspace and tmp nothing can be written."""
    result = await box.run(["sh", "-c", "touch /x /etc/x /usr/x /var/tmp/x"])

    assert result.stderr.count(b"Read-only file system") == 4


async def test_there_are_no_capabilities(box: SandboxSession) -> None:
    """No set of capabilities holds any, and no program can gain some."""
    status = (await box.run(["grep", "-E", "^(Cap|NoNewPrivs)", "/proc/self/status"])).stdout
    values = dict(line.split(b":\t") for line in status.splitlines())

    assert values.pop(b"NoNewPrivs") == b"1"
    assert {int(value, 16) for value in values.values()} == {0}


KEYRING = """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
first = {"x86_64": 248, "aarch64": 217}[platform.machine()]
add_key = (first, b"user", b"cairn-test", b"secret", 6, -3)  # into the session's keyring
request_key = (first + 1, b"user", b"cairn-test", None, 0)
keyctl = (first + 2, 0, -3, 0)  # the id of the session's keyring
for call in (add_key, request_key, keyctl):
    assert libc.syscall(*call) == -1 and ctypes.get_errno() == 1, (call, ctypes.get_errno())
print("refused")
"""


async def test_keyrings_are_out_of_reach(box: SandboxSession) -> None:
    """The kernel's keyrings are shared by tasks and the operator's login: every call is refused."""
    result = await box.run(["python3", "-c", KEYRING])

    assert (result.stdout, result.stderr) == (b"refused\n", b"")


CALLS = """
import ctypes, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
ptrace, process_vm_readv = {"x86_64": (101, 310), "aarch64": (117, 270)}[platform.machine()]
for call in ((ptrace, 0, 0, 0, 0), (process_vm_readv, 1, 0, 0, 0, 0, 0), (425, 1, 0), (447, 0)):
    assert libc.syscall(*call) == -1 and ctypes.get_errno() == 1, (call, ctypes.get_errno())
try:
    socket.socket(40, socket.SOCK_STREAM)  # AF_VSOCK
except PermissionError:
    print("refused")
"""


async def test_no_call_reaches_out_of_a_sandbox(box: SandboxSession) -> None:
    """Neither other processes, nor io_uring, nor the hypervisor."""
    result = await box.run(["python3", "-c", CALLS])

    assert (result.stdout, result.stderr) == (b"refused\n", b"")


async def test_memory_is_limited(box: SandboxSession) -> None:
    """A command that takes more memory than it may is killed; the box goes on."""
    assert (await box.run(["python3", "-c", HUNGRY])).exit_code == 137
    assert (await box.run(["true"])).exit_code == 0


async def test_the_disk_is_limited(box: SandboxSession) -> None:
    """The workspace takes no more than its size, even where the memory would do."""
    result = await box.run(["sh", "-c", "head -c 17M /dev/zero >x; stat -c %s x"])

    assert b"No space left" in result.stderr
    assert int(result.stdout) <= SPEC.disk


async def test_processes_are_limited(box: SandboxSession) -> None:
    """A fork bomb is stopped by the limit and ended in time; the box goes on."""
    result = await box.run(["sh", "-c", FORKS], timeout=1)

    assert result.timed_out
    assert (await box.run(["true"])).exit_code == 0


async def test_a_flood_of_output_is_ended(box: SandboxSession) -> None:
    """A command that writes without end is killed long before its time limit."""
    result = await box.run(["yes"], timeout=50)

    assert (result.exit_code, result.truncated, result.timed_out) == (137, True, False)


async def test_a_command_cannot_end_its_box(box: SandboxSession) -> None:
    """Killing everything it may kill ends the command, not the box."""
    await box.run(["sh", "-c", "kill -9 -1; kill -9 1; kill 1"])

    assert (await box.run(["echo", "alive"])).stdout == b"alive\n"


async def test_git_works_in_the_workspace(box: SandboxSession) -> None:
    """The workspace belongs to the user of the commands, as git wants it."""
    assert (await box.run(["sh", "-c", "git init -q && git status -s"])).exit_code == 0


# ends all that could end it, its command's own shell among them, and leaves its process group; the
# second argument says whether it goes on ending what starts
ESCAPES = """
import os, signal, sys, time
if os.fork():
    time.sleep(60)
os.setsid()
os.closerange(0, 3)
os.kill(-1, signal.SIGKILL)
while True:
    with open("/workspace/alive", "a") as canary:
        canary.write("x")
    if sys.argv[1] == "again":
        try:
            os.kill(-1, signal.SIGKILL)
        except OSError:
            pass
"""


@pytest.mark.parametrize("how", ["once", "again"])
async def test_what_ended_its_guard_is_gone_before_the_next_command(
    box: SandboxSession, how: str
) -> None:
    """Code cannot stay behind to change what the next command finds."""
    await box.run(["python3", "-c", ESCAPES, how], timeout=5)

    with suppress(TaskError):  # where it could not be ended, the sandbox itself was
        seen = await box.run(["sh", "-c", "rm -f alive; sleep 0.2; echo *"])
        assert seen.stdout == b"*\n"
