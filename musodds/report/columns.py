"""The names of the figures, once: JSON keys, CSV headers and table columns all follow these lists.

Each is the name of an attribute of the answer, and means what that attribute's docstring says.
"""

from __future__ import annotations

LANCE_FIGURES = ("win", "lose", "played", "contested", "win_if_contested", "mine", "win_low", "win_high")
"""Attributes of ``LanceOdds``: probabilities from 0 to 1, None where there is none."""

LANCE_COUNTS = ("win", "lose", "played", "contested", "win_contested", "mine")
"""Attributes of ``LanceCounts``: whole numbers of deals."""

STONES = ("us", "them", "difference", "margin")
"""Attributes of ``Stones``."""

TABLE_FIGURES = ("played", "contested", "win_if_contested", "mine")
"""The figures of a lance that tables show after how often it is won."""
