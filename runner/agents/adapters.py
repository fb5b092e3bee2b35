"""How each agent is started, and what it needs; ``ADAPTERS`` is the table.

An agent works in the sandbox of its task, on a copy of the tree. It gets no key and no network but
the way to Cairn's model server; what it does to git has no effect outside.
https://aider.chat/docs/config/options.html
https://mini-swe-agent.com/latest/usage/mini/
https://developers.openai.com/codex/noninteractive
https://code.claude.com/docs/en/headless
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from runner.ports import CommandResult, SandboxSession
from runner.state.options import AgentName, AgentOptions
from runner.verify.commands import program_of

TASK_FILE = "/tmp/cairn-task.md"  # noqa: S108 - in the sandbox
_LONGEST_ARGUMENT = 100_000
"""Bytes; Linux takes 128 KiB (https://man7.org/linux/man-pages/man2/execve.2.html)."""


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """What an agent is to do: ``text`` is for a program to read, ``files`` are likely to change.

    ``model`` is what the model is called at ``address``; ``seconds`` is what it may take.
    """

    text: str
    model: str
    address: str
    seconds: float
    files: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ToolAdapter:
    """One agent. ``program`` is looked for in the sandbox ('': it is a file of the tree).

    ``command`` makes its command line, ``variables`` are set for it besides those of the model.
    """

    name: AgentName
    program: str
    command: Callable[[AgentRequest], Sequence[str]]
    variables: Mapping[str, str] = field(default_factory=dict)
    install: str = ""

    async def missing(self, session: SandboxSession) -> str:
        """Say what to do if the sandbox does not have the agent; '' if it does."""
        looked = ["sh", "-c", 'command -v "$1"', "sh", self.program]
        if not self.program or (await session.run(looked)).exit_code == 0:
            return ""
        return (
            f"The agent {self.name} is not in the sandbox: there is no {self.program} on its PATH. "
            f"Add it to the image, or to sandbox.setup{f' ({self.install})' * bool(self.install)}"
        )

    async def execute(self, request: AgentRequest, session: SandboxSession) -> CommandResult:
        """Let the agent work in the session, which holds the tree."""
        host = f"http://{request.address}/v1"
        variables = {
            "OPENAI_API_BASE": host,
            "OPENAI_BASE_URL": host,
            "OPENAI_API_KEY": "none",
            "ANTHROPIC_BASE_URL": f"http://{request.address}",
            "ANTHROPIC_API_KEY": "none",
            "CAIRN_MODEL": request.model,
            "CAIRN_TASK_FILE": TASK_FILE,
            "NO_PROXY": "127.0.0.1",
            **self.variables,
        }
        await session.run(["sh", "-c", f"cat > {TASK_FILE}"], stdin=request.text.encode())
        started = ["sh", "-c", _START, "sh", *self.command(request)]
        settings = [f"{name}={value}" for name, value in variables.items()]
        return await session.run(["env", *settings, *started], timeout=request.seconds)


# Agents look for files by what git knows; some tell the model the commit, the same each time.
_START = """\
if command -v git >/dev/null; then
    git init -q . && git add -A &&
        export GIT_AUTHOR_DATE=@0 GIT_COMMITTER_DATE=@0 &&
        git -c user.name=cairn -c user.email=cairn@localhost commit -q --no-verify -m base
        unset GIT_AUTHOR_DATE GIT_COMMITTER_DATE
fi >/dev/null 2>&1
exec "$@" </dev/null
"""


_OWN_MODULES = ("env", "-u", "PYTHONPATH")
"""In front of a program in Python, which must not import modules of the project it works on."""


def _aider(request: AgentRequest) -> list[str]:
    return [
        *_OWN_MODULES,
        *("aider", "--model", f"openai/{request.model}", "--message-file", TASK_FILE),
        *("--weak-model", f"openai/{request.model}"),
        *("--yes-always", "--no-pretty", "--no-stream", "--no-auto-commits", "--no-dirty-commits"),
        *("--no-check-update", "--no-show-release-notes", "--no-show-model-warnings"),
        *("--no-gitignore", "--no-suggest-shell-commands", "--no-detect-urls", "--no-analytics"),
        *("--chat-history-file", "/tmp/aider.md", "--input-history-file", "/tmp/aider.txt"),  # noqa: S108
        *request.files,
    ]


def _mini(request: AgentRequest) -> list[str]:
    fits = len(request.text.encode()) < _LONGEST_ARGUMENT
    task = request.text if fits else f"Do what {TASK_FILE} says: read all of it first."
    return [
        *_OWN_MODULES,
        *("mini", "-c", "mini_textbased.yaml", "-m", f"openai/{request.model}"),
        *("--model-class", "litellm_textbased", "--yolo", "--exit-immediately"),
        *("-o", "/tmp/trajectory.json", "-t", task),  # noqa: S108 - in the sandbox
    ]


_WITH_TASK = ("sh", "-c", f'exec "$@" <{TASK_FILE}', "sh")
"""In front of a program that reads what to do from its input."""


def _codex(request: AgentRequest) -> list[str]:
    # how long it waits for an answer is Cairn's to say, and so is whether one is asked for again
    server = (
        f'{{name="Cairn", base_url="http://{request.address}/v1", wire_api="responses", '
        'env_key="OPENAI_API_KEY", stream_idle_timeout_ms=3600000, request_max_retries=0, '
        "stream_max_retries=0}"
    )
    return [
        *(*_WITH_TASK, "codex", "exec", "--model", request.model, "--ephemeral"),
        *("--ignore-user-config", "--skip-git-repo-check"),
        "--dangerously-bypass-approvals-and-sandbox",  # it is in Cairn's
        *("-c", f"model_providers.cairn={server}", "-c", 'model_provider="cairn"'),
        *("-c", 'web_search="disabled"', "-"),
    ]


def _claude(request: AgentRequest) -> list[str]:
    return [
        *(*_WITH_TASK, "claude", "--print", "--bare", "--model", request.model),
        *("--dangerously-skip-permissions", "--no-session-persistence"),
    ]


_CLAUDES = {
    "IS_SANDBOX": "1",  # else it refuses to work as root
    "API_TIMEOUT_MS": "3600000",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": "1",
}
_QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
ADAPTERS: Final[Mapping[str, ToolAdapter]] = {
    each.name: each
    for each in (
        ToolAdapter("aider", "aider", _aider, _QUIET, install="pip install aider-chat"),
        ToolAdapter(
            "mini-swe-agent",
            "mini",
            _mini,
            _QUIET | {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors"},
            install="pip install mini-swe-agent",
        ),
        ToolAdapter("codex", "codex", _codex, install="npm install -g @openai/codex"),
        ToolAdapter(
            "claude",
            "claude",
            _claude,
            _CLAUDES,
            install="npm install -g @anthropic-ai/claude-code",
        ),
    )
}


def adapter_of(options: AgentOptions) -> ToolAdapter:
    """Return the adapter of the agent that a run has chosen; it is another than Cairn."""
    if options.agent != "command":
        return ADAPTERS[options.agent]
    program = program_of(options.agent_command)
    return ToolAdapter("command", program * ("/" not in program), lambda _: options.agent_command)
