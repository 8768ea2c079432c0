"""Answers as JSON. Each document says its schema, the version that wrote it and the rules.

The same question gives the same bytes: nothing here knows the time, the machine or the threads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from musodds import __version__
from musodds.mus.lances import LANCES
from musodds.mus.seats import ROLES
from musodds.report.columns import LANCE_COUNTS, LANCE_FIGURES, STONES

if TYPE_CHECKING:
    from musodds.analysis.figures import Figures, LanceOdds, Stones
    from musodds.analysis.odds import AfterMus, Odds
    from musodds.mus.rules import Rules

ODDS_SCHEMA = "musodds.odds/1"
RULES_SCHEMA = "musodds.rules/1"


def document(schema: str, **parts: object) -> str:
    """A JSON document: the schema, the version, then the parts; ASCII, and never NaN."""
    whole = {"schema": schema, "version": __version__, **parts}
    return json.dumps(whole, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def rules_object(rules: Rules) -> dict[str, Any]:
    """Every field of the rules by name."""
    return asdict(rules)


def odds_json(answers: Sequence[Odds]) -> str:
    """Answers to questions under one set of rules."""
    return document(
        ODDS_SCHEMA,
        rules=rules_object(answers[0].query.rules),
        results=[odds_object(answer) for answer in answers],
    )


def odds_object(answer: Odds) -> dict[str, Any]:
    """One answer."""
    query = answer.query
    return {
        "hand": query.hand_text,
        "seat": query.seat,
        "known": query.known_text,
        "seen": query.seen_text,
        **({} if answer.mus is None else {"mus": mus_object(answer.mus)}),
        "simulated": None if answer.simulated is None else _simulated(answer.simulated),
        "exact": None if answer.exact is None else _figures(answer.exact, {}),
    }


def mus_object(mus: AfterMus) -> dict[str, Any]:
    """What is known of the mus before; only odds after a mus have it."""
    return {"others": mus.others, "cuts": mus.cuts, "drew": {role: mus.drew.get(role) for role in ROLES}}


def odds_figures(figures: Figures) -> dict[str, Any]:
    """The figures of one engine; those of a simulation with its seed."""
    return _figures(figures, {}) if figures.seed is None else _simulated(figures)


def rules_json(presets: Mapping[str, Rules]) -> str:
    """The presets."""
    return document(RULES_SCHEMA, presets=[rules_object(rules) for rules in presets.values()])


def _simulated(figures: Figures) -> dict[str, Any]:
    return _figures(figures, {"seed": figures.seed, "partial": figures.partial})


def _figures(figures: Figures, run: Mapping[str, object]) -> dict[str, Any]:
    return {
        "deals": figures.deals,
        **run,
        "lances": {name: _lance(figures.lances[name]) for name in LANCES},
        "stones": _stones(figures.stones),
    }


def _lance(lance: LanceOdds) -> dict[str, Any]:
    return {
        **{name: getattr(lance, name) for name in LANCE_FIGURES},
        "counts": {name: getattr(lance.counts, name) for name in LANCE_COUNTS},
    }


def _stones(stones: Stones) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(stones, name) for name in STONES}
    if stones.distribution is not None:
        found["distribution"] = {str(number): share for number, share in stones.distribution.items()}
    return found
