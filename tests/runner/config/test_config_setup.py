"""The setup commands of a repository's configuration."""

from __future__ import annotations

import pytest

from runner.config.model import parse_config
from runner.config.reading import ConfigError


def test_a_line_is_for_the_shell_and_a_list_is_words() -> None:
    """A command is a line that a shell reads, or a list of words that nobody reads."""
    content = b"sandbox:\n  setup:\n    - pip install x && true\n    - [npm, ci]\n"

    assert parse_config(content).sandbox.setup == (
        ("sh", "-c", "pip install x && true"),
        ("npm", "ci"),
    )


def test_network_is_off_by_default() -> None:
    """Who configures setup alone gets no network for it."""
    assert parse_config(b"sandbox:\n  setup: [make]\n").sandbox.network == "none"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("setup: make", "line 2: `sandbox.setup`: This is not a list; write [one, two]"),
        ("setup: [[]]", "line 2: `sandbox.setup.0`"),
        ("setup: [['']]", "line 2: `sandbox.setup.0.0`"),
        ("setup: [3]", "line 2: `sandbox.setup.0`"),
        ("network: always", "line 2: `sandbox.network`"),
        ("setup_files: ['!']", "line 2: `sandbox.setup_files.0`"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(line: str, said: str) -> None:
    """A command that is none, or an unknown word for the network, is refused where it stands."""
    with pytest.raises(ConfigError) as error:
        parse_config(f"sandbox:\n  {line}\n".encode())

    assert said in str(error.value)
