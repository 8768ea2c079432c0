"""The kernels under pytest-benchmark: ``python -m pytest benchmarks -o python_files="test_*.py"``.

Each result is checked before it is timed, as in ``musodds bench``, whose pieces of work these are.
"""

from __future__ import annotations

import pytest

from musodds.analysis.bench import works
from musodds.engine.bench import Work

pytest.importorskip("pytest_benchmark")


@pytest.mark.parametrize("work", works(threads=2), ids=lambda work: work.name)
def test_speed(benchmark, work: Work) -> None:
    given = work.prepare()
    work.check(work.run(given))
    benchmark.extra_info.update(unit=work.unit, amount=work.amount, threads=work.threads)
    found = benchmark(work.run, given)
    work.check(found)
