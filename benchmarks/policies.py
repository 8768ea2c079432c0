"""Make the policies that come with the package again, from nothing: the same files, byte for byte.

python -m benchmarks.policies          rewrite them in place; minutes each
python -m benchmarks.policies --check  only say which would change; exit code 1 if any would
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import musodds.analysis
from musodds.analysis.policy import PLAYERS_CUT
from musodds.analysis.policy_file import write_policy
from musodds.analysis.solve import solve

FOLDER = Path(musodds.analysis.__file__).parent / "policies"
RULES = {8: "classic", 4: "classic-4"}
CUTS = {"players": PLAYERS_CUT, "solved": None}


def main() -> int:
    """Solve all four, one after the other."""
    check = sys.argv[1:] == ["--check"]
    changed = 0
    for kings, rules in RULES.items():
        for name, cuts in CUTS.items():
            start = time.perf_counter()
            solution = solve(rules, cuts=cuts)
            path = FOLDER / f"{name}-{kings}.csv.gz"
            with tempfile.TemporaryDirectory() as folder:
                made = Path(folder) / path.name
                write_policy(solution.policy, made)
                content = made.read_bytes()
            same = path.exists() and path.read_bytes() == content
            changed += not same
            if not check:
                path.write_bytes(content)
            seconds = time.perf_counter() - start
            print(f"{path.name}: {'as it was' if same else 'changed'}, {seconds:.0f} s", flush=True)
            print("  gains", solution.policy.making["gains"], flush=True)
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
