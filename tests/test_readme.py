"""The README tells the truth: its commands print what it shows, its Python gives what it says."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")

_spec = importlib.util.spec_from_file_location("readme_examples", ROOT / "benchmarks" / "readme.py")
assert _spec is not None
assert _spec.loader is not None
readme = importlib.util.module_from_spec(_spec)
sys.modules["readme_examples"] = readme
_spec.loader.exec_module(readme)

EXAMPLES = readme.shown(TEXT)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.command)
def test_every_command_prints_what_the_readme_shows(example):
    assert readme.run(example.command) == example.output


def test_the_readme_shows_every_command_of_the_program():
    from musodds.cli.app import app

    named = {command.name for command in app.registered_commands}
    assert named == set(re.findall(r"^\| `musodds (\w+)", TEXT, re.MULTILINE))


def test_the_python_examples_give_what_they_say():
    blocks = re.findall(r"^```pycon\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    said: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert results.attempted > 0
    assert not results.failed, "".join(said)


def test_outputs_can_be_renewed_and_come_out_the_same():
    block = "```console\n$ musodds --version\nold\n$ musodds rules | head -n 2\n```\n"
    once = readme.renewed(block)
    assert once.startswith("```console\n$ musodds --version\nmusodds ")
    assert len(once.splitlines()) == 7
    assert readme.renewed(once) == once


def test_a_command_may_be_given_a_file_on_stdin():
    shown = readme.run("printf 'hand;x\\nRR4A;ñ\\nRR8A;\\n' | musodds batch - --figures mine")
    assert [line.split(";")[:2] for line in shown.splitlines()] == [
        ["hand", "x"],
        ["RR4A", "ñ"],
        ["RR8A", ""],
    ]


@pytest.mark.parametrize("command", ["cat README.md", "musodds odds RR8A"])
def test_what_is_not_a_working_musodds_command_is_refused(command, capsys):
    with pytest.raises(ValueError, match="musodds"):
        readme.run(command)
    assert "Traceback" not in capsys.readouterr().err
