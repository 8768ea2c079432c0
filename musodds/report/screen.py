"""Where a text goes: how wide it may be, whether somebody watches, and which characters it can say."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_PLAIN = {"±": "+-", "·": "-", "█": "#", "–": "-", "—": "-", "≈": "~", "≥": ">=", "≤": "<="}


@dataclass(frozen=True)
class Screen:
    """What a text is drawn for.

    Attributes:
        width: columns, or None where lines may be as long as they like.
        terminal: whether a person watches it: bars are drawn only then.
        styled: whether it takes bold and colours.
        encoding: the characters that can be said; others are drawn with ASCII.
    """

    width: int | None = None
    terminal: bool = False
    styled: bool = False
    encoding: str = "utf-8"

    def can_say(self, text: str) -> bool:
        """Whether the encoding has every character of a text."""
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def draw(self, sign: str) -> str:
        """A drawing character, or its ASCII stand-in. Asked before columns are aligned."""
        return sign if self.can_say(sign) else _PLAIN.get(sign, "?")

    def spell(self, text: str) -> str:
        """A text in characters that the encoding has; accents are dropped rather than lost letters."""
        if self.can_say(text):
            return text
        return "".join(sign if self.can_say(sign) else self._stand_in(sign) for sign in text)

    def _stand_in(self, sign: str) -> str:
        if sign in _PLAIN:
            return _PLAIN[sign]
        return unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode() or "?"


PAPER = Screen()
"""A file or a pipe that takes UTF-8."""
