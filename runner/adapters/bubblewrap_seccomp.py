"""The system calls a bubblewrap box refuses: those of the kernel's keyrings.

Keyrings belong to a user and a login session, not to a namespace. Without a filter a task could
leave keys for the next one, and read those of the session that started the server
(https://man7.org/linux/man-pages/man7/keyrings.7.html). Docker's default profile refuses the same
calls (https://docs.docker.com/engine/security/seccomp/).

The filter is a classic BPF program (https://docs.kernel.org/userspace-api/seccomp_filter.html)
over ``struct seccomp_data``: the call's number, then the architecture it was made for.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Sequence

# The three calls add_key, request_key and keyctl have neighbouring numbers everywhere.
# AUDIT_ARCH_* of linux/audit.h → the number of add_key in asm/unistd.h
_X86_64, _I386 = (0xC000003E, 248), (0x40000003, 286)
_AARCH64, _ARM = (0xC00000B7, 217), (0x40000028, 309)
_MACHINES = {"x86_64": (_X86_64, _I386), "aarch64": (_AARCH64, _ARM)}
_CALLS = 3
# x32 programs run as x86-64 with this bit in the number
_NUMBER = 0xFFFFFFFF & ~0x40000000

_LOAD_NR, _LOAD_ARCH = (0x20, 0, 0, 0), (0x20, 0, 0, 4)  # BPF_LD | BPF_W | BPF_ABS
_AND, _SUB = 0x54, 0x14  # BPF_ALU with a constant
_JUMP_EQ, _JUMP_GE = 0x15, 0x35  # BPF_JMP; true, false: instructions to skip
_RETURN = 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
_Instruction = tuple[int, int, int, int]


def keyring_filter(machine: str | None = None) -> bytes:
    """Return the program for bwrap's ``--seccomp``; empty for a machine that is not known here.

    ``machine`` is what ``uname -m`` says (None: of this one).
    """
    known = _MACHINES.get(platform.machine() if machine is None else machine)
    return b"".join(struct.pack("=HBBI", *each) for each in _program(known)) if known else b""


def _program(architectures: Sequence[tuple[int, int]]) -> list[_Instruction]:
    program = [_LOAD_ARCH]
    for architecture, add_key in architectures:
        refused = [
            _LOAD_NR,
            (_AND, 0, 0, _NUMBER),
            (_SUB, 0, 0, add_key),  # unsigned: smaller numbers become huge
            (_JUMP_GE, 0, 1, _CALLS),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _REFUSE),
        ]
        program += [(_JUMP_EQ, 0, len(refused), architecture), *refused]
    return [*program, (_RETURN, 0, 0, _KILL)]
