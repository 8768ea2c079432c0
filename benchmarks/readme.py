"""Run the commands shown in README.md and write their output below them.

    python -m benchmarks.readme          rewrite the outputs in place
    python -m benchmarks.readme --check  only say which have changed; exit code 1 if any have

Blocks marked ``console`` hold commands (``$ musodds ...``, optionally with ``printf 'TEXT' |`` before it and
``| head -n N`` after it), each followed by what it prints on stdout. The test of the README reads the file with
the same functions.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_HEAD = re.compile(r" \| head -n (\d+)$")
_STDIN = re.compile(r"^printf '([^'%]*)' \| ")
_PROMPT = "$ "


@dataclass(frozen=True)
class Shown:
    """A command of the README and the output shown below it.

    Attributes:
        command: the whole command line, without the prompt.
        output: what the README says it prints.
    """

    command: str
    output: str


def shown(readme: str) -> list[Shown]:
    """Every command of the README's console blocks, in order."""
    return [example for block in _BLOCK.findall(readme) for example in _examples(block)]


def run(command: str) -> str:
    """What a command prints on stdout, as into a pipe; a batch may have rejected rows.

    Raises:
        ValueError: for a line that is not a musodds command, or that fails.
    """
    from musodds.cli.app import main
    from musodds.errors import EXIT_DONE, EXIT_REJECTED_ROWS

    kept = _HEAD.search(command)
    typed = _STDIN.match(command)
    name, *arguments = shlex.split(_HEAD.sub("", _STDIN.sub("", command)))
    if name != "musodds":
        raise ValueError(f"{command!r} is not a musodds command")
    columns = os.environ.pop("COLUMNS", None)
    stdin = sys.stdin
    if typed:
        content = typed[1].replace("\\n", "\n").encode()
        sys.stdin = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    try:
        with contextlib.redirect_stdout(pipe):
            code = main(arguments)
    finally:
        sys.stdin = stdin
        if columns is not None:
            os.environ["COLUMNS"] = columns
    if code not in (EXIT_DONE, EXIT_REJECTED_ROWS):
        raise ValueError(f"{command!r} ends with exit code {code}")
    pipe.flush()
    pipe.seek(0)
    lines = pipe.read().splitlines(keepends=True)
    return "".join(lines[: int(kept[1])] if kept else lines)


def renewed(readme: str) -> str:
    """The README with the output of every command as it is now."""

    def block(found: re.Match[str]) -> str:
        examples = list(_examples(found[0]))
        return "".join(f"{_PROMPT}{example.command}\n{run(example.command)}" for example in examples)

    return _BLOCK.sub(block, readme)


def _examples(block: str) -> Iterator[Shown]:
    command, output = "", ""
    for line in block.splitlines(keepends=True):
        if line.startswith(_PROMPT):
            if command:
                yield Shown(command, output)
            command, output = line.removeprefix(_PROMPT).rstrip("\n"), ""
        else:
            output += line
    if command:
        yield Shown(command, output)


def main() -> int:
    """Renew the README, or check it."""
    old = README.read_text(encoding="utf-8")
    if sys.argv[1:] == ["--check"]:
        changed = [example.command for example in shown(old) if run(example.command) != example.output]
        print("\n".join(changed) or "README.md is up to date")
        return 1 if changed else 0
    new = renewed(old)
    README.write_text(new, encoding="utf-8")
    print("README.md was up to date" if new == old else "README.md renewed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
