"""Policies as files: one row for each action of a hand, with a chance, and how the policy came about.

Columns ``round,seat,hand,action,probability``: round from 1, seat 1 to 4, the hand as printed, the action ``cut``
or the cards kept (``RR``, ``-`` for none). The rows of a round, seat and hand add to 1. In CSV (plain or
``.csv.gz``) lines of ``# name: value`` above the header tell the making; in Parquet they are the file's metadata.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from musodds.analysis.policy import Policy, stand
from musodds.engine import mus
from musodds.engine.mus_play import KEEP_ALL
from musodds.engine.tables import Table, table
from musodds.errors import CardError, MusoddsError, PolicyError
from musodds.mus.cards import parse_cards
from musodds.mus.seats import SEATS

COLUMNS = ("round", "seat", "hand", "action", "probability")
SHIPPED = ("players", "solved")
CUT = "cut"
NONE = "-"
MOST_ROUNDS = 20
TOLERANCE = 1e-6

Row = tuple[int, int, str, str, float]


def rows_of(policy: Policy) -> Iterator[Row]:
    """The rows of a policy: cuts first, then the cards kept, likeliest first."""
    hands = policy.table
    for round_ in range(policy.rounds):
        for seat in SEATS:
            for row, hand in enumerate(hands.hands):
                said = float(policy.mus[round_, seat - 1, row])
                cut = round(1 - said, 8)
                if cut > 0:
                    yield round_ + 1, seat, hand, CUT, cut
                keep = policy.keep[round_, seat - 1, row]
                if said > 0:
                    for subset in np.argsort(-keep, kind="stable"):
                        if keep[subset] > 0:
                            kept = mus.kept_cards(hands, row, int(subset)) or NONE
                            yield round_ + 1, seat, hand, kept, round(said * float(keep[subset]), 8)


def write_policy(policy: Policy, path: Path) -> None:
    """Write a policy to ``.csv``, ``.csv.gz`` or ``.parquet``, whole or not at all.

    Raises:
        MusoddsError: if the place cannot be written.
        PolicyError: for another kind of file.
    """
    kind = _kind(path)
    making = {"name": policy.name, "kings": str(policy.kings), **policy.making}
    beside = path.with_name(path.name + ".writing")
    try:
        if kind == "parquet":
            _write_parquet(policy, making, beside)
        else:
            text = io.StringIO()
            text.writelines(f"# {name}: {value}\n" for name, value in making.items())
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows((*row[:4], _decimals(row[4])) for row in rows_of(policy))
            data = text.getvalue().encode()
            # no time stamp: the same policy is the same file
            beside.write_bytes(gzip.compress(data, mtime=0) if kind == "csv.gz" else data)
        beside.replace(path)
    except OSError as error:
        raise MusoddsError(f"{path}: cannot be written ({error.strerror or error})") from error


def _decimals(chance: float) -> str:
    """A chance with all of its at most eight decimals (two of four multiplied), so that rows still add to 1."""
    return f"{chance:.8f}".rstrip("0").rstrip(".")


def read_policy(path: Path) -> Policy:
    """Read a policy file.

    Raises:
        PolicyError: saying which row is wrong and why: a hand that the deck does not hold, cards kept that the
            hand does not have, rows that do not add to 1, a round, seat or hand that is missing.
    """
    kind = _kind(path)
    try:
        if kind == "parquet":
            making, rows = _read_parquet(path)
        else:
            data = path.read_bytes()
            text = (gzip.decompress(data) if kind == "csv.gz" else data).decode("utf-8-sig")
            making, rows = _read_csv(text, str(path))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise PolicyError(f"{path}: cannot be read ({error})") from error
    return _policy(making, rows, str(path))


@cache
def shipped_policy(name: str, kings: int) -> Policy:
    """A policy by name: ``players``, ``solved`` (both come with the package) or ``stand``.

    Raises:
        PolicyError: for another name.
    """
    if name == "stand":
        return stand(kings)
    if name not in SHIPPED:
        raise PolicyError(f"policy {name!r}: choose players, solved, stand or a policy file")
    file = resources.files("musodds.analysis") / "policies" / f"{name}-{kings}.csv.gz"
    making, rows = _read_csv(gzip.decompress(file.read_bytes()).decode(), name)
    return _policy(making, rows, name)


def named_policy(name: str, kings: int) -> Policy:
    """A policy by name, or from a file.

    Raises:
        PolicyError: if there is neither, or the file is for another deck.
    """
    if name in (*SHIPPED, "stand"):
        return shipped_policy(name, kings)
    path = Path(name)
    if not path.suffix and not path.exists():
        return shipped_policy(name, kings)
    policy = read_policy(path)
    if policy.kings != kings:
        raise PolicyError(f"{name}: a policy for {policy.kings} kings, and the rules play with {kings}")
    return policy


def check_policy_name(path: Path) -> None:
    """Refuse a file name that tells no kind of policy file, before a policy is made for it.

    Raises:
        PolicyError: naming the kinds.
    """
    _kind(path)


def _kind(path: Path) -> str:
    name = path.name.lower()
    for kind in ("csv.gz", "csv", "parquet"):
        if name.endswith("." + kind):
            return kind
    raise PolicyError(f"{path}: a policy is a .csv, .csv.gz or .parquet file")


def _read_csv(text: str, where: str) -> tuple[dict[str, str], list[Row]]:
    making: dict[str, str] = {}
    lines = text.splitlines()
    start = 0
    for line in lines:
        if not line.startswith("#"):
            break
        name, _, value = line[1:].partition(":")
        making[name.strip()] = value.strip()
        start += 1
    reader = csv.reader(lines[start:])
    header = tuple(cell.strip() for cell in next(reader, []))
    if header != COLUMNS:
        raise PolicyError(
            f"{where}: the columns must be {','.join(COLUMNS)}, not {','.join(header) or 'none'}"
        )
    rows: list[Row] = []
    for number, cells in enumerate(reader, start=start + 2):
        if not cells:
            continue
        try:
            round_, seat, hand, action, chance = cells
            rows.append((int(round_), int(seat), hand.strip(), action.strip(), float(chance)))
        except ValueError:
            raise PolicyError(
                f"{where}, line {number}: {','.join(cells)!r} is not a round, seat, hand, action and probability"
            ) from None
    return making, rows


def _policy(making: dict[str, str], rows: list[Row], where: str) -> Policy:
    """Put the rows together, refusing whatever is missing or wrong."""
    if not rows:
        raise PolicyError(f"{where}: no rows")
    kings = int(making["kings"]) if making.get("kings", "") in ("4", "8") else _guess_kings(rows)
    hands = table(kings)
    rounds = max(row[0] for row in rows)
    if not 1 <= rounds <= MOST_ROUNDS or min(row[0] for row in rows) < 1:
        raise PolicyError(f"{where}: rounds go from 1 to at most {MOST_ROUNDS}")
    cut = np.zeros((rounds, 4, len(hands)))
    keep = np.zeros((rounds, 4, len(hands), 16))
    find = cache(lambda hand, action: _subset(hands, hand, action, where))
    for round_, seat, hand, action, chance in rows:
        if seat not in SEATS:
            raise PolicyError(f"{where}: seat {seat}; seats are 1 to 4")
        if not 0 <= chance <= 1:
            raise PolicyError(
                f"{where}: {hand} in seat {seat}: probability {chance:g} is not between 0 and 1"
            )
        row, subset = find(hand, action)
        if subset is None:
            cut[round_ - 1, seat - 1, row] += chance
        else:
            keep[round_ - 1, seat - 1, row, subset] += chance
    kept = keep.sum(axis=-1)
    total = cut + kept
    wrong = np.argwhere(np.abs(total - 1) > TOLERANCE)
    if len(wrong):
        round_, seat, row = (int(i) for i in wrong[0])
        found = total[round_, seat, row]
        state = f"round {round_ + 1}, seat {seat + 1}, {hands.hands[row]}"
        if found == 0:
            raise PolicyError(f"{where}: nothing is said of {state} (and {len(wrong) - 1} more)")
        raise PolicyError(f"{where}: the rows of {state} add to {found:g}, not to 1")
    if (cut >= 1).all(axis=-1).any():
        raise PolicyError(f"{where}: a seat cuts with every hand, so no mus would ever go through")
    never = kept == 0
    keep[never, 0] = 1.0
    keep[~never] /= kept[~never][:, None]
    said = np.where(cut == 0, 1.0, kept / total)
    name = making.get("name", where)
    return Policy(name if where in SHIPPED else where, kings, said, keep, making)


def _subset(hands: Table, hand: str, action: str, where: str) -> tuple[int, int | None]:
    """The row of a hand and the subset that an action keeps; None for a cut."""
    row = hands.index.get(hand)
    if row is None:
        raise PolicyError(
            f"{where}: {hand!r} is not a hand of the deck with {hands.deck.kings} kings as it is printed"
        )
    if action == CUT:
        return row, None
    try:
        kept = () if action == NONE else parse_cards(action, hands.deck)
    except CardError as error:
        raise PolicyError(f"{where}: action {action!r} of {hand}: {error}") from error
    if len(kept) > 3:
        raise PolicyError(f"{where}: {hand} keeps {action}: a player who says mus discards one to four cards")
    subset = mus.subset_of(hands, row, kept)
    if subset is None or subset == KEEP_ALL:
        raise PolicyError(f"{where}: {hand} cannot keep {action}, which it does not hold")
    return row, subset


def _guess_kings(rows: Iterable[Row]) -> int:
    return 4 if any(card in row[2] for row in rows for card in "23") else 8


def _write_parquet(policy: Policy, making: dict[str, str], path: Path) -> None:
    pa, pq = _pyarrow()
    columns = dict(zip(COLUMNS, zip(*rows_of(policy), strict=True), strict=True))
    written = pa.table({name: pa.array(list(values)) for name, values in columns.items()})
    pq.write_table(written.replace_schema_metadata(making), path)


def _read_parquet(path: Path) -> tuple[dict[str, str], list[Row]]:
    pa, pq = _pyarrow()
    try:
        read = pq.read_table(path)
    except pa.ArrowInvalid as error:
        raise PolicyError(f"{path}: not a Parquet file ({error})") from error
    if tuple(read.column_names) != COLUMNS:
        raise PolicyError(
            f"{path}: the columns must be {','.join(COLUMNS)}, not {','.join(read.column_names)}"
        )
    making = {
        name.decode(): value.decode()
        for name, value in (read.schema.metadata or {}).items()
        if name not in (b"pandas", b"ARROW:schema")
    }
    columns = [column.to_pylist() for column in read.columns]
    try:
        return making, [
            (int(round_), int(seat), str(hand), str(action), float(chance))
            for round_, seat, hand, action, chance in zip(*columns, strict=True)
        ]
    except (TypeError, ValueError) as error:
        raise PolicyError(f"{path}: a cell is missing or of the wrong kind ({error})") from error


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MusoddsError("Parquet files need pyarrow: pip install 'musodds[parquet]'") from None
    return pyarrow, pyarrow.parquet
