"""Numbers as they are typed on the command line, read exactly and refused clearly."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from musodds.errors import UsageError

_WHOLE = re.compile(r"[+-]?[0-9]+(_[0-9]+)*")
_SCIENTIFIC = re.compile(r"([0-9]+)(?:\.([0-9]+))?[eE]\+?([0-9]{1,2})")
_MOST_DIGITS = 40


def whole(name: str, example: str) -> Callable[[str | int], int]:
    """A reader of whole numbers, such as ``250000``, ``250_000`` or ``2.5e5``.

    It never goes through a float, so that large numbers stay what was typed. Ranges are checked where
    the number is used.

    Args:
        name: what the number is, for the message.
        example: a number that would do.
    """

    def read(typed: str | int) -> int:
        text = str(typed).strip()
        if len(text) <= _MOST_DIGITS:
            if _WHOLE.fullmatch(text):
                return int(text)
            found = _SCIENTIFIC.fullmatch(text)
            if found is not None:
                units, fraction, power = found[1], (found[2] or "").rstrip("0"), int(found[3])
                if len(fraction) <= power:
                    return int(units + fraction + "0" * (power - len(fraction)))
        raise UsageError(f"{name} {text!r}: write a whole number, such as {example}")

    return read


def decimal(name: str, example: str) -> Callable[[str | float], float]:
    """A reader of finite numbers, such as ``0.05``."""

    def read(typed: str | float) -> float:
        try:
            value = float(typed)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise UsageError(f"{name} {str(typed)!r}: write a number, such as {example}")
        return value

    return read
