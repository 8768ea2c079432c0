"""The players' policy for another cut rule: their discards solved on the spot and kept for the next time."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import lru_cache

import musodds
from musodds.analysis.policy import Policy, cut_rule
from musodds.analysis.policy_file import read_policy, write_policy
from musodds.analysis.solve import self_play
from musodds.engine.jit import cache_folder, source_stamp
from musodds.engine.tables import table
from musodds.errors import MusoddsError
from musodds.mus.rules import rules as rules_of

TABLES = 600_000
STEPS = 6
SEED = 1


@lru_cache(maxsize=8)
def quick_players(cuts: str, kings: int, threads: int | None = None) -> Policy:
    """Discards against a cut rule, good to about a hundredth of a stone a hand, in some seconds.

    Raises:
        ConditionError: for a rule that cannot be read, or one that always cuts.
    """
    rule = cut_rule(cuts, table(kings))
    stamp = hashlib.sha256(
        b"\0".join((source_stamp().encode(), musodds.__version__.encode(), rule.tobytes(), bytes([kings])))
    ).hexdigest()[:16]
    folder = cache_folder()
    path = None if folder is None else folder.parent / f"players-{kings}-{stamp}.csv.gz"
    if path is not None and path.exists():
        with suppress(MusoddsError):
            return read_policy(path)
    policy = self_play(
        rules_of("classic" if kings == 8 else "classic-4"),
        cuts=cuts,
        tables=TABLES,
        steps=STEPS,
        seed=SEED,
        threads=threads,
    )
    if path is not None:
        with suppress(MusoddsError):
            write_policy(policy, path)
    return policy
