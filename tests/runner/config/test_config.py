"""The repository's configuration: what is right is read, what is wrong is told with its line."""

from __future__ import annotations

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.config.model import RETIRED, RepositoryConfig, config_schema, parse_config
from runner.config.options import options_of
from runner.config.reading import ConfigError
from runner.retries.policy import RetryOptions, RetryPolicy

FULL = b"""\
# everything there is
roadmap:
  path: docs/ROADMAP.md
model: gpt-5
limits:
  tasks: 3
  iterations: 50
  tokens_per_task: 100000
  files: 20
  patch_size: 512k
  minutes: 30
sandbox:
  image: ghcr.io/octocat/image@sha256:0123
  memory: 2g
  cpus: 1.5
  pids: 100
  timeout: 60
verify:
  mode: tests
  commands: [make check, [python3, -m, pytest]]
  report: build/*.xml
  reruns: 2
protect: [/docs/, "!/docs/ROADMAP.md", "*.lock"]
loop: repair
retry:
  model: {attempts: 6, first: 2, longest: 60, jitter: 5}
  github: {attempts: 2}
  never: [rate_limit]
"""


def problems(content):
    with pytest.raises(ConfigError) as raised:
        parse_config(content)
    return [(problem.line, problem.key, problem.message) for problem in raised.value.problems]


def test_every_setting_is_read():
    """A file with every key gives every value, sizes in bytes."""
    config = parse_config(FULL)

    assert config.roadmap.path == "docs/ROADMAP.md"
    assert config.model.name == "gpt-5"
    assert (config.limits.tasks, config.limits.patch_size) == (3, 512 * 1024)
    assert (config.sandbox.memory, config.sandbox.cpus) == (2 << 30, 1.5)
    assert config.sandbox.image == "ghcr.io/octocat/image@sha256:0123"
    assert config.verify.mode == "tests"
    assert config.verify.commands == (("sh", "-c", "make check"), ("python3", "-m", "pytest"))
    assert (config.verify.report, config.verify.reruns) == ("build/*.xml", 2)
    assert config.protect == ("/docs/", "!/docs/ROADMAP.md", "*.lock")
    assert config.loop == "repair"
    tries = options_of(config).retry
    assert tries.of_model == RetryPolicy(6, 2, 60, 5, ("rate_limit",))
    assert tries.of_github == RetryPolicy(attempts=2, never=("rate_limit",))
    assert tries.of_sandbox == RetryPolicy(attempts=2, never=("rate_limit",))
    assert (tries.never, options_of(RepositoryConfig()).retry) == (("rate_limit",), RetryOptions())


@pytest.mark.parametrize(
    "content", [b"", b"# only this\n", b"~", b"\xef\xbb\xbf", b"limits:\nprotect:\nmodel: null\n"]
)
def test_nothing_said_means_the_defaults(content):
    """An absent, empty or commented-out file, group or value is the default."""
    assert parse_config(content) == RepositoryConfig()


def test_the_defaults_are_those_of_the_design():
    """A hundred steps an attempt, tests where they are known, the hybrid loop."""
    config = RepositoryConfig()

    assert config.limits.iterations == 100
    assert (config.roadmap.path, config.verify.mode, config.loop) == (
        "ROADMAP.md",
        "auto",
        "hybrid",
    )


def test_off_is_a_word():
    """YAML's old habit of reading off as false does not break a mode called off."""
    assert parse_config(b"verify: {mode: off}").verify.mode == "off"


def test_windows_line_ends_are_read_and_counted():
    """A file with CRLF has the same values and lines."""
    assert parse_config(FULL.replace(b"\n", b"\r\n")) == parse_config(FULL)
    assert problems(b"loop: fixed\r\n\r\nx: 1\r\n")[0][0] == 3


def test_all_problems_are_told_at_once_with_their_lines():
    """Unknown keys and wrong values are all in one error, in the order of the file."""
    found = problems(
        b"limits:\n  taks: 3\n  minutes: soon\nsandbox: 5\nimage: x\n\n"
        b"verify:\n  mode: of\nprotect:\n  - /docs/\n  - 3\n"
    )

    assert [(line, key) for line, key, _ in found] == [
        (2, "limits.taks"),
        (3, "limits.minutes"),
        (4, "sandbox"),
        (5, "image"),
        (8, "verify.mode"),
        (11, "protect.1"),
    ]


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (b"limits: {taks: 3}", "Did you mean `limits.tasks`?"),
        (b"image: x", "Did you mean `sandbox.image`?"),
        (b"verify: {q: 1}", "Possible are: mode, commands, report, reruns, tick, require, ask."),
    ],
)
def test_an_unknown_key_says_what_was_meant(content, hint):
    """A near name, the same name elsewhere, or the names there are."""
    assert hint in problems(content)[0][2]


@pytest.mark.parametrize(
    ("content", "key", "said"),
    [
        (b"limits: {tasks: 0}", "limits.tasks", "This should be at least 1."),
        (b"limits: {tasks: ten}", "limits.tasks", "This should be a whole number."),
        (b"limits: {tasks: true}", "limits.tasks", "This should be a whole number."),
        (b"limits: {looks: 9}", "limits.looks", "This should be 'auto' or at most 3."),
        (b"limits: {looks: x}", "limits.looks", "This should be 'auto' or a whole number."),
        (b"sandbox: {memory: 1}", "sandbox.memory", "This should be at least 64m."),
        (b"sandbox: {cpus: lots}", "sandbox.cpus", "This should be a number."),
        (b'sandbox: {setup: [""]}', "sandbox.setup.0", "This must not be empty."),
        (b"retry: {never: [weather]}", "retry.never.0", "This should be 'syntax', 'missing_path',"),
        (b"retry: {never: rate_limit}", "retry.never", "This is not a list;"),
        (b"retry: {github: {attempts: 0}}", "retry.github.attempts", "This should be at least 1."),
        (b"retry: {model: {longest: 999}}", "retry.model.longest", "This should be at most 120."),
        (
            b"retry: {model: {first: 5, longest: 2}}",
            "retry.model",
            "This waits 5 s first and 2 s at most; lower `first` or raise `longest`.",
        ),
        (b"dashboard: yes", "dashboard", "This should be true or false."),
        (b"verify: {report: 5}", "verify.report", "This should be text; put it in quotes."),
        (b"verify: {commands: [[]]}", "verify.commands.0", "This should be a list that is not e"),
        (b"verify: {commands: 5}", "verify.commands", "This should be a list."),
        (b"model: {seed: 9999999999}", "model.seed", "This should be at most 2147483647."),
        (b"roadmap:\n\tpath: x", "", "This is not YAML: lines are indented with spaces, not tabs."),
        (b"roadmap: a: b", "", 'This is not YAML: a value with ": " in it must be in quotes.'),
    ],
)
def test_a_wrong_value_says_what_it_should_be(content, key, said):
    """In words that nobody has to know pydantic or PyYAML for; one problem for one value."""
    ((_, where, message),) = problems(content)

    assert where == key
    assert message.startswith(said)


def test_a_command_that_yaml_reads_as_a_setting_is_shown_quoted():
    """A plain line with ``: `` in it is a mapping to YAML; the message has what to write."""
    line = b"verify:\n  commands:\n    - grep -q 'ok: yes' log\n"

    ((number, key, said),) = problems(line)

    assert (number, key) == (3, "verify.commands.0")
    assert "quote it: - 'grep -q ''ok: yes'' log'" in said


def test_the_error_reads_as_a_list():
    """The text of the error is one line a problem."""
    with pytest.raises(ConfigError) as raised:
        parse_config(b"loop: 3\nsandbx: 1\n")

    assert str(raised.value) == (
        "line 1: `loop`: This should be 'hybrid', 'repair', 'fixed' or 'ralph'.\n"
        "line 2: `sandbx`: There is no such setting. Did you mean `sandbox`?"
    )


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"limits: {tasks: 0}", "limits.tasks"),
        (b"limits: {tasks: '3'}", "limits.tasks"),
        (b"limits: {tasks: 010}", "limits.tasks"),
        (b"limits: {tasks: true}", "limits.tasks"),
        (b"limits: {tasks: 99999999999999999999999}", "limits.tasks"),
        (b"limits: {patch_size: 1t}", "limits.patch_size"),
        (b"sandbox: {memory: 1k}", "sandbox.memory"),
        (b"sandbox: {memory: -1g}", "sandbox.memory"),
        (b"sandbox: {cpus: .inf}", "sandbox.cpus"),
        (b"sandbox: {image: --privileged}", "sandbox.image"),
        (b"sandbox: {image: 'a b'}", "sandbox.image"),
        (b"sandbox: {network: true}", "sandbox.network"),
        (b"verify: {mode: true}", "verify.mode"),
        (b"verify: {commands: make}", "verify.commands"),
        (b"verify: {report: /etc/passwd}", "verify.report"),
        (b"verify: {report: a/../../b}", "verify.report"),
        (b"verify: {reruns: 3}", "verify.reruns"),
        (b"protect: docs", "protect"),
        (b"roadmap: {path: ../ROADMAP.md}", "roadmap.path"),
        (b"roadmap: {path: /etc/passwd}", "roadmap.path"),
        (b"roadmap: {path: .git/config}", "roadmap.path"),
        (b"roadmap: {path: 'docs\\\\R.md'}", "roadmap.path"),
        (b"protect: ['!']", "protect.0"),
        (b"protect: ['']", "protect.0"),
        (b"protect: ['[z-a]']", "protect.0"),
        (b"protect: ['!/.github/workflows/release.yml']", "protect.0"),
        (b"protect: [docs, '!.github/']", "protect.1"),
        (b"protect: ['!*.yml']", "protect.0"),
        (b"model: ''", "model"),
        (b"model: 5", "model"),
        (b"model: {effort: much}", "model.effort"),
        (b"model: {extra_body: {max_tokens: 9}}", "model.extra_body"),
        (b"model: {extra_body: {service_tier: priority}}", "model.extra_body"),
    ],
)
def test_a_wrong_value_names_its_key(content, key):
    """Values out of range, of another kind or dangerous are refused."""
    assert [found for _, found, _ in problems(content)] == [key]


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b"a: 1\nb: [\n", 3, "not YAML"),
        (b"\n\tx: 1\n", 2, "not YAML"),
        (b"x: 'open\n", 2, "not YAML"),
        (b"loop: fixed\nlimits: {}\nloop: ralph\n", 3, "first in line 1"),
        (b"a: &x 1\n", 1, "Anchors"),
        (b"\na: *x\n", 2, "Anchors"),
        (b"a: !!python/object:os.system x\n", 1, "Tags"),
        (b"- a\n", 1, "not a mapping"),
        (b"loop: fixed\n---\nloop: ralph\n", 2, "not YAML"),
        (b"? [a]\n: b\n", 1, "must be a word"),
        (b"ok: 1\n\xff\n", 2, "UTF-8"),
        (b"ok: 1\nx: \x01\n", 2, "control character"),
        (b"[" * 60_000, 1, "nested too deeply"),
        (b"{a: " * 10_000, 1, "nested too deeply"),
        (b"#" * 70_000, 0, "70000 bytes"),
    ],
)
def test_what_is_no_configuration_is_told_with_its_line(content, line, says):
    """Wrong YAML, or YAML beyond plain values, is one problem with its line (0: the whole file)."""
    ((found, _, message),) = problems(content)

    assert found == line
    assert says in message


def test_aliases_cannot_make_a_small_file_large():
    """The billion-laughs file is refused at its first anchor."""
    lines = ["a: &a [x, x]"] + [f"b{n}: &b{n} [*a, *a]" for n in range(30)]

    assert problems("\n".join(lines).encode())[0][0] == 1


def test_an_odd_key_can_be_printed():
    """A key with control characters or half a surrogate can be written into a comment."""
    ((_, key, message),) = problems(b'"a\\ud800\\n@b": 1')

    assert (key + message).encode()
    assert "\n" not in key


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_read_or_refused(content):
    """Whatever the file holds gives a whole configuration or a ConfigError with problems."""
    try:
        read = parse_config(content)
    except ConfigError as refused:
        read = refused

    assert isinstance(read, RepositoryConfig) or read.problems


def test_the_schema_takes_what_is_right_and_refuses_what_is_not():
    """An editor that checks by the published schema agrees with the parser."""
    validator = jsonschema_rs.validator_for(config_schema())

    assert validator.is_valid({"sandbox": {"memory": "2g"}, "protect": ["*.lock"]})
    assert validator.is_valid({"limits": {"patch_size": 4096}})
    assert not validator.is_valid({"limits": {"taks": 3}})
    assert not validator.is_valid({"sandbox": {"memory": "2 g"}})


PROJECTS = b"""\
model: gpt-5
sandbox: {setup: [make base]}
verify: {commands: [make check], reruns: 2}
projects:
  - {name: api, path: services/api, verify: [pytest], setup: [pip install -e .]}
  - {name: web, path: web, plan: docs/web.md, model: gpt-6, budget: {cost_per_run: 2}}
  - {name: inner, path: services/api/inner}
"""


def test_a_project_has_settings_of_its_own():
    """What it does not set is the repository's; its commands work in its folder, after others."""
    config = parse_config(PROJECTS)
    api = options_of(config.of_plan("services/api/ROADMAP.md"))
    web = options_of(config.of_plan("docs/web.md"))
    whole = options_of(config.of_plan("ROADMAP.md"))

    assert (api.verify.verify_commands, api.verify.verify_folder) == (
        (("sh", "-c", "pytest"),),
        "services/api",
    )
    assert api.verify.verify_reruns == 2
    assert [line for *_, line in api.sandbox.setup] == [
        "make base",
        "cd services/api && pip install -e .",
    ]
    assert (api.projects.name, api.projects.folder) == ("api", "services/api")
    assert api.projects.plans["inner"] == "services/api/inner/ROADMAP.md"
    assert (web.models.model, api.models.model, web.verify.verify_folder) == ("gpt-6", "gpt-5", "")
    assert config.of_plan("docs/web.md").limits.cost_per_run == 2
    assert whole.projects.name == "" == whole.verify.verify_folder
    inner = config.project_of("services/api/inner/tasks.md")
    assert inner
    assert inner.name == "inner"


@pytest.mark.parametrize(
    ("project", "problem"),
    [
        ("{name: api}", "This needs a `path`."),
        ("{name: api, path: api, pth: x}", "Did you mean `projects.path`?"),
        ("{name: 1.2, path: api}", "This should be text; put it in quotes."),
        ("{name: a b, path: api}", "This must begin with a letter, then letters, digits"),
        ("{name: 1x, path: api}", "This must begin with a letter, then letters, digits"),
        ("{name: all, path: .}", "This is the repository itself, whose plan is `roadmap.path`"),
        ("{name: a, path: x}, {name: b, path: x/}", "two projects with the plan x/ROADMAP.md"),
        ("{name: api, path: ../api}", "is not a path inside the repository"),
        ("{name: api, path: a}, {name: API, path: b}", "has two projects called api"),
    ],
)
def test_what_is_wrong_with_a_project(project, problem):
    """The line of the list is named, and what to do."""
    ((line, _, message),) = problems(f"\nprojects: [{project}]\n".encode())

    assert line == 2
    assert problem in message


@pytest.mark.parametrize("key", RETIRED)
def test_a_setting_of_an_earlier_version(key: str, caplog: pytest.LogCaptureFixture) -> None:
    """It changes nothing, and what to do is said with its line; the others count as they stand."""
    group, _, name = key.partition(".")
    content = f"dashboard: false\n{group}:\n  {name}: true\n  seed: 7\n".encode()

    assert parse_config(content).model.seed == 7
    assert f".github/cairn.yml line 3: `{key}` does nothing any more. Remove" in caplog.text
