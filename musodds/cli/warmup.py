"""``musodds warmup``: compile everything once, so that later runs start at once."""

from __future__ import annotations

from musodds.cli.options import QuietOption
from musodds.cli.output import STDOUT, emit


def command(quiet: QuietOption = False) -> None:
    """Compile everything once, so that no later run has to."""
    from musodds.cli.working import note_if_cold
    from musodds.engine.warmup import is_warm, warmup

    warm = is_warm()
    note_if_cold(quiet=quiet)
    compiled = warmup()
    if warm:
        emit("everything was compiled already\n", STDOUT)
        return
    width = max((len(name) for name, _ in compiled), default=0)
    lines = [f"{name.ljust(width)}  {seconds:6.2f} s\n" for name, seconds in compiled]
    total = sum(seconds for _, seconds in compiled)
    emit("".join(lines) + f"{'compiled'.ljust(width)}  {total:6.2f} s\n", STDOUT)
