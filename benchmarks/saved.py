"""Saved runs: one JSON file each, with what was measured, on what and when."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RUNS = Path(__file__).resolve().parent / "runs"


def save(path: Path, schema: str, **parts: object) -> None:
    """Write a run."""
    whole = {"schema": schema, "day": datetime.now(UTC).strftime("%Y-%m-%d"), **parts}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    print(f"\nsaved in {path}")


def read(name: str) -> dict[str, Any]:
    """A run of this repository by its name, such as ``peers``."""
    found: dict[str, Any] = json.loads((RUNS / f"{name}.json").read_text(encoding="utf-8"))
    return found
