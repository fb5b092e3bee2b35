"""The system calls that a sandbox refuses, as a filter that the kernel runs.

- the kernel's keyrings: they belong to a user and a login session, not to a namespace, so that a
  task could leave keys for the next one
  (https://man7.org/linux/man-pages/man7/keyrings.7.html)
- other processes' memory and descriptors: ``ptrace``, ``process_vm_*``, ``kcmp`` ...
- what has had most of the kernel's holes and no test needs: ``io_uring``, ``bpf``, ``userfaultfd``,
  ``perf_event_open``
- memory that nobody else can look into or count: ``memfd_secret``
- sockets to the hypervisor (``AF_VSOCK``), which no network namespace holds back

Docker's default profile refuses some of them, too, newer engines more than older ones
(https://docs.docker.com/engine/security/seccomp/); the filter comes on top of it. It is a classic
BPF program (https://docs.kernel.org/userspace-api/seccomp_filter.html) over ``struct
seccomp_data``: the call's number, the architecture it was made for, and its arguments.
"""

from __future__ import annotations

import errno
import struct
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Architecture:
    """``audit`` is its AUDIT_ARCH_* of linux/audit.h; the numbers are those of asm/unistd.h."""

    audit: int
    socket: int
    refused: tuple[int, ...]


# io_uring_setup, _enter, _register, pidfd_getfd, process_madvise, memfd_secret: everywhere the same
_EVERYWHERE = (425, 426, 427, 438, 440, 447)
# add_key, request_key, keyctl, ptrace, process_vm_readv, process_vm_writev, kcmp, bpf, userfaultfd,
# perf_event_open
_X86_64 = _Architecture(
    0xC000003E,
    41,
    # the last three are ptrace and process_vm_* of x32 programs
    (*_EVERYWHERE, 248, 249, 250, 101, 310, 311, 312, 321, 323, 298, 521, 539, 540),
)
_I386 = _Architecture(
    0x40000003,
    359,
    # the last is socketcall, whose arguments no filter can read
    (*_EVERYWHERE, 286, 287, 288, 26, 347, 348, 349, 357, 374, 336, 102),
)
_AARCH64 = _Architecture(
    0xC00000B7, 198, (*_EVERYWHERE, 217, 218, 219, 117, 270, 271, 272, 280, 282, 241)
)
_ARM = _Architecture(
    0x40000028, 281, (*_EVERYWHERE, 309, 310, 311, 26, 376, 377, 378, 386, 388, 364)
)
_ARCHITECTURES = (_X86_64, _I386, _AARCH64, _ARM)
MACHINES = ("x86_64", "aarch64")
"""What ``uname -m`` says of the machines that the filter knows."""
_AF_VSOCK = 40
# x32 programs run as x86-64 with this bit in the number
_NUMBER = 0xFFFFFFFF & ~0x40000000

# BPF_LD | BPF_W | BPF_ABS; of an argument its lower half, for these machines are little-endian
_LOAD_NR, _LOAD_ARCH, _LOAD_FIRST = (0x20, 0, 0, 0), (0x20, 0, 0, 4), (0x20, 0, 0, 16)
_AND = 0x54  # BPF_ALU with a constant
_JUMP_EQ = 0x15  # BPF_JMP; true, false: instructions to skip
_RETURN = 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
_Instruction = tuple[int, int, int, int]


def system_call_filter() -> bytes:
    """Return the filter, for ``MACHINES`` only: what is made for any other is killed."""
    program: list[_Instruction] = [_LOAD_ARCH]
    for architecture in _ARCHITECTURES:
        refused = architecture.refused
        # each jumps over what is left of them, the four instructions about sockets, and "allow"
        steps = [(_JUMP_EQ, len(refused) - at + 3, 0, number) for at, number in enumerate(refused)]
        block = [
            _LOAD_NR,
            (_AND, 0, 0, _NUMBER),
            *steps,
            (_JUMP_EQ, 0, 2, architecture.socket),
            _LOAD_FIRST,
            (_JUMP_EQ, 1, 0, _AF_VSOCK),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _REFUSE),
        ]
        program += [(_JUMP_EQ, 0, len(block), architecture.audit), *block]
    program.append((_RETURN, 0, 0, _KILL))
    return b"".join(struct.pack("=HBBI", *each) for each in program)


# Arguments: the filter in hexadecimal, and a command that it holds for. 38 and 22 are
# PR_SET_NO_NEW_PRIVS and PR_SET_SECCOMP, 2 is SECCOMP_MODE_FILTER (linux/prctl.h, linux/seccomp.h).
FILTERED = f"""\
import ctypes, os, sys
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]
program = bytes.fromhex(sys.argv[1])
libc = ctypes.CDLL(None)
if os.uname().machine in {MACHINES} and (
    libc.prctl(38, 1, 0, 0, 0)
    or libc.prctl(22, 2, ctypes.byref(Program(len(program) // 8, program)), 0, 0)
):
    sys.exit("The filter of system calls cannot be set.")
os.execvp(sys.argv[2], sys.argv[2:])
"""
