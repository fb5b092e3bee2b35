"""What a pattern's file may say, and what comes of it."""

from __future__ import annotations

import time

import pytest

from runner.config.reading import ConfigError
from runner.patterns.pattern import NoFit, Pattern, built_in, read_pattern

GOOD = """\
name: handler
when:
  - Add the handler `{name}` for {method} requests
inputs:
  properties:
    name: {type: string, pattern: "^[a-z_]+$"}
    method: {enum: [GET, POST]}
checks:
  absent: ["api/{{ name }}.py"]
files:
  "api/{{ name }}.py": |
    def {{ name }}():
        return {{ method|quoted }}
  routes.txt: "{{ old }}{{ method }} /{{ name }}\\n"
"""
TASK = "Add the handler `ping` for GET requests."


def pattern(text: str = GOOD) -> Pattern:
    """The pattern of a file."""
    return read_pattern(text.encode(), ".github/cairn/patterns/handler.yml")


def faults(text: str) -> list[str]:
    """What is wrong with a file, with the lines."""
    with pytest.raises(ConfigError) as caught:
        pattern(text)
    return [str(each) for each in caught.value.problems]


def test_its_files_are_filled_with_what_the_task_says() -> None:
    """New files and those that were there; ``old`` is what a file has now."""
    found = pattern()
    inputs = found.inputs_of(TASK)

    assert inputs == {"name": "ping", "method": "GET"}
    changes = found.execute(inputs, {"routes.txt": b"POST /pong\n"})

    made = {path: write.content for path, write in changes.files.items() if write}
    assert made == {
        "api/ping.py": b'def ping():\n    return "GET"\n',
        "routes.txt": b"POST /pong\nGET /ping\n",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Add the handler `ping` for GET requests, and test it",
        "Do not add the handler `ping` for GET requests",
        "Add the handler `ping` for GET and POST requests",
        "Add the handler ping for GET requests",
        "",
        "x" * 100_000,
    ],
)
def test_other_words_are_another_task(text: str) -> None:
    """A task that says more, or less, is not the pattern's."""
    assert pattern().inputs_of(text) is None


def test_inputs_are_held_against_the_schema() -> None:
    """Each problem has the line of the rule in the pattern's file."""
    found = pattern()
    problems = found.validate_inputs({"name": "Ping!", "method": "PUT"})

    assert [(each.line, each.key) for each in problems] == [(6, "name"), (7, "method")]
    assert found.get_schema()["required"] == ["method", "name"]
    with pytest.raises(NoFit, match="line 6"):
        found.execute({"name": "Ping!", "method": "GET"}, {})


def test_checks_look_at_what_is_there() -> None:
    """A file that must not be there is no reason to overwrite it."""
    with pytest.raises(NoFit, match=r"api/ping\.py is there already"):
        pattern().execute({"name": "ping", "method": "GET"}, {"api/ping.py": b""})


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("name: handler", "name: Handler!", "line 1: `name`"),
        ("    method: {enum", "    method: {type: words, enum", "line 7: `inputs.properties.m"),
        ("{method} requests", "{method}{more} requests", "needs a space or a quotation mark"),
        ("{{ old }}", "{{ older }}", "line 14: `files.routes.txt`: There is no input older."),
        ("{{ old }}", "{% for a in old %}{{ a }}{% endfor %}", "A template has no for"),
        ("{{ old }}", "{{ old.upper() }}", "A template has no call"),
        ("{{ old }}", "{{ old.__class__ }}", "A template has no getattr"),
        ("{{ old }}", "{{ old['x'] }}", "A template has no getitem"),
        ("{{ old }}", "{% include '/etc/passwd' %}", "A template has no include"),
        ("{{ old }}", "{% import 'os' as os %}", "A template has no import"),
        ("{{ old }}", "{{ old * 99999 }}", "A template has no mul"),
        ("{{ old }}", "{{ old ~ old }}", "A template has no concat"),
        ("{{ old }}", "{% macro m() %}{{ m }}{% endmacro %}", "A template has no macro"),
        ("{{ old }}", "{{ old|attr('x') }}", "No filter named 'attr'"),
        ("{{ old }}", "{{ old", "This is no template"),
        ("checks:", "shell: rm\nchecks:", "line 8: `shell`: There is no such setting"),
        ('  absent: ["api', '  absent: ["{{ old }}', "There is no input old"),
        ("files:", "unused: &a 1\nfiles:", "Anchors and aliases"),
        ("  properties:", "  $ref: http://127.0.0.1:9/schema\n  properties:", "no JSON Schema"),
        ('"^[a-z_]+$"', '"(?<=a)b"', "no JSON Schema"),
    ],
)
def test_what_a_file_must_not_say(old: str, new: str, fault: str) -> None:
    """It is refused as a whole, with the line."""
    assert old in GOOD
    assert fault in "\n".join(faults(GOOD.replace(old, new)))


def test_hostile_expressions_and_phrases_take_no_time() -> None:
    """A schema's expression, and a phrase with many inputs, on words made for them."""
    slow = GOOD.replace('"^[a-z_]+$"', '"^(a+)+$"')
    many = "  - 'x " + " ".join(f"{{i{n}}}" for n in range(20)) + "'"
    wide = f"name: wide\nwhen:\n{many}\nfiles: {{a.txt: x}}\n"

    begun = time.process_time()
    assert pattern(slow).validate_inputs({"name": "a" * 5_000 + "!", "method": "GET"})
    assert pattern(wide).inputs_of("x " + "a " * 400 + "!") is None

    assert time.process_time() - begun < 2


def test_what_is_made_is_bounded() -> None:
    """A template that repeats a large file ends with a sentence, not with all memory."""
    much = GOOD.replace("{{ old }}", "{{ old }}" * 50)
    with pytest.raises(NoFit, match="make too much"):
        pattern(much).execute({"name": "ping", "method": "GET"}, {"routes.txt": b"x" * 200_000})
    with pytest.raises(NoFit, match="too long"):
        pattern().execute({"name": "ping", "method": "GET"}, {"routes.txt": b"x" * 300_000})
    with pytest.raises(NoFit, match="not UTF-8"):
        pattern().execute({"name": "ping", "method": "GET"}, {"routes.txt": b"\xff"})
    with pytest.raises(NoFit):
        pattern(GOOD.replace("{{ old }}", "{{ old|dotted(1, 2) }}")).execute(
            {"name": "ping", "method": "GET"}, {}
        )


def by_name(name: str) -> Pattern:
    """One that is built in."""
    return next(each for each in built_in() if each.name == name)


@pytest.mark.parametrize(
    ("name", "task", "path", "old", "new"),
    [
        (
            "config_setup",
            "Set `server.port` to `8080` in `app.toml`",
            "app.toml",
            '# Settings\n[server] # where\nhost = "a"\nport = 80\n\n[log]\nport = 1\n',
            '# Settings\n[server] # where\nhost = "a"\nport = 8080\n\n[log]\nport = 1\n',
        ),
        (
            "config_setup",
            "Set `debug` to `yes` in `app.toml`",
            "app.toml",
            "[log]\nlevel = 1\n",
            'debug = "yes"\n[log]\nlevel = 1\n',
        ),
        (
            "config_setup",
            "Set `a.b` to `true` in `x.json`",
            "x.json",
            '{\n  "a": {\n    "b": false\n  }\n}\n',
            '{\n  "a": {\n    "b": true\n  }\n}\n',
        ),
        (
            "config_setup",
            "Set `level` to `warn: all` in `x.yaml`",
            "x.yaml",
            "# Log\nlevel: info  # now\n",
            '# Log\nlevel: "warn: all"  # now\n',
        ),
        (
            "automation_enabled_status",
            "Turn the automation `nightly` off in `automation.yml`",
            "automation.yml",
            "nightly:\n  enabled: true # since May\nweekly: {enabled: true}\n",
            "nightly:\n  enabled: false # since May\nweekly: {enabled: true}\n",
        ),
        (
            "implementation_status",
            "Mark `parser` as implemented in `docs/status.md`",
            "docs/status.md",
            "| Part | Status | Owner |\n|---|---|---|\n| `parser` | planned | me |\n"
            "| lexer | planned | me |\n",
            "| Part | Status | Owner |\n|---|---|---|\n| `parser` | implemented | me |\n"
            "| lexer | planned | me |\n",
        ),
    ],
)
def test_those_that_are_built_in(name: str, task: str, path: str, old: str, new: str) -> None:
    """Everything but the one value stays as it is."""
    found = by_name(name)
    inputs = found.inputs_of(task)
    assert inputs is not None

    changes = found.execute(inputs, {path: old.encode()})

    assert {p: w.content.decode() for p, w in changes.files.items() if w} == {path: new}


@pytest.mark.parametrize(
    ("task", "path", "old"),
    [
        ("Set `a` to `1` in `x.json`", "x.json", '{"a":0}'),
        ("Set `a.b` to `1` in `x.yml`", "x.yml", "a: {}\n"),
        ("Set `a.b` to `1` in `x.yml`", "x.yml", "a: [1]\n"),
        ("Set `a` to `1` in `x.yml`", "x.yml", "b: &x [1]\na: *x\n"),
        ("Set `a.b` to `1` in `x.toml`", "x.toml", "a = {b = 0}\n"),
        ("Set `a` to `1` in `x.toml`", "x.toml", "a = [\n  1,\n]\n"),
        ("Set `a` to `1` in `x.toml`", "x.toml", "not toml"),
        ("Set `a` to `1` in `x.json`", "x.json", "[" * 100_000),
        ("Set `a` to `1` in `x.json`", "other.json", "{}"),
        ("Mark `a` as implemented in `x.md`", "x.md", "| a | b |\n| a | c |\n"),
        ("Mark `a` as tested in `x.md`", "x.md", "Words about a.\n"),
        ("Mark `a` as wonderful in `x.md`", "x.md", "| a | b |\n"),
    ],
)
def test_where_it_is_not_certain_nothing_is_done(task: str, path: str, old: str) -> None:
    """The task is then a model's."""
    found = by_name("config_setup" if task.startswith("Set") else "implementation_status")
    inputs = found.inputs_of(task)
    assert inputs is not None
    with pytest.raises(NoFit):
        found.execute(inputs, {path: old.encode()})
