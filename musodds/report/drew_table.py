"""The whole table by cards drawn, as CSV, Parquet and JSON: 84,480 rows with eight kings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from musodds.analysis.drew_table import COLUMNS
from musodds.report.csv_ import write
from musodds.report.json_ import document, rules_object
from musodds.report.whole import parquet_of

if TYPE_CHECKING:
    from musodds.analysis.drew_table import DrewTable

DREW_SCHEMA = "musodds.drew/1"
_WHOLE = ("seat", "drew_right", "drew_partner", "drew_left", "deals")


def drew_csv(found: DrewTable) -> str:
    """The table as CSV; empty figures where no deal came about."""
    return write(COLUMNS, found.rows())


def drew_parquet(found: DrewTable) -> bytes:
    """The table as Parquet; null where no deal came about."""
    return parquet_of(COLUMNS, list(found.rows()), _kind)


def drew_json(found: DrewTable) -> str:
    """The table as JSON."""
    return document(
        DREW_SCHEMA,
        rules=rules_object(found.rules),
        others=found.others,
        cuts=found.cuts,
        tables=found.tables,
        through=found.through,
        seed=found.seed,
        results=[dict(zip(COLUMNS, row, strict=True)) for row in found.rows()],
    )


def _kind(arrow: Any, name: str) -> Any:
    if name == "hand":
        return arrow.string()
    return arrow.int64() if name in _WHOLE else arrow.float64()
