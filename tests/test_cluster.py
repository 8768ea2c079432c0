"""Two workers of a Dask cluster give the bytes that threads give, also when one of them is killed half way."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace

import pandas as pd
import pytest

import musodds
from musodds.analysis import workers as cluster_workers
from musodds.analysis.solve import solve
from musodds.analysis.table import hand_table
from musodds.analysis.workers import Cluster, stamp, workers_at
from musodds.batching import answers, batch
from musodds.batching.files import Job, run
from musodds.batching.questions import Settings
from musodds.batching.tables import table
from musodds.cli.app import main
from musodds.engine import whole
from musodds.engine.simulate import SENT_BLOCK
from musodds.engine.tables import table as hands_of
from musodds.errors import MusoddsError

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.cluster,
    # Dask leaves sockets and event loops to the garbage collector where workers are killed.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.skipif(os.name == "nt", reason="workers are killed with SIGKILL"),
]


def started() -> distributed.LocalCluster:
    """Two workers, each a process with one thread."""
    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")


@pytest.fixture(scope="module")
def clusters() -> Iterator[list[distributed.LocalCluster]]:
    """The cluster that the tests share, the last of the list."""
    found = [started()]
    yield found
    for each in found:
        each.close()


@pytest.fixture
def address(clusters) -> str:
    """Where a cluster is, with both workers there: a killed one is replaced, or else the whole cluster is."""
    try:
        clusters[-1].wait_for_workers(2, timeout=15)
    except TimeoutError:
        clusters.append(started())
        clusters[-1].wait_for_workers(2, timeout=60)
    return clusters[-1].scheduler_address


class Killer:
    """Kills one of the workers the first time that something has been done; used as ``progress``."""

    def __init__(self, address: str) -> None:
        with distributed.Client(address, set_as_default=False) as client:
            self._victims = sorted(client.run(os.getpid).values())
        self.killed: list[int] = []
        self.calls: list[tuple[object, ...]] = []

    def __call__(self, *done: object) -> None:
        self.calls.append(done)
        if not self.killed:
            os.kill(self._victims[0], signal.SIGKILL)
            self.killed.append(self._victims[0])

    def worked(self) -> bool:
        """Whether a worker was killed, and not at the very end."""
        return len(self.killed) == 1 and len(self.calls) > 1


QUESTIONS = "hand,seat,partner,drew\n" + "".join(
    f'{hand},{seat},{partner},"{drew}"\n'
    for hand in ("RR4A", "4567", "7777", "RCS7")
    for seat, partner, drew in ((1, "", ""), (4, "R>=1", ""), (2, "", "right=2,left=1"), (3, "R=4 & A=1", ""))
)


@pytest.mark.parametrize("killed", [False, True], ids=["undisturbed", "one killed"])
@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(advice=True, advice_deals=20_000),
        Settings(exact=False, deals=40_000, seed=7),
        Settings(exact=False, margin=0.5),
    ],
    ids=["exact", "advice", "simulated", "margin"],
)
def test_a_batch_is_the_same_bytes(address, tmp_path, settings, killed):
    (tmp_path / "in.csv").write_text(QUESTIONS)
    job = Job(source=str(tmp_path / "in.csv"), output=str(tmp_path / "here.csv"))
    here = run(job, settings)
    progress = Killer(address) if killed else None
    with workers_at(address) as workers:
        there = run(
            Job(source=job.source, output=str(tmp_path / "there.csv")),
            replace(settings, workers=workers),
            progress,
        )
    assert here == there
    assert here.rejected == 4
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert progress is None or progress.worked()


@pytest.mark.parametrize("killed", [False, True], ids=["undisturbed", "one killed"])
def test_one_large_question_is_shared_out_in_blocks(address, monkeypatch, killed):
    """The same counts whoever deals which block; a run with a margin needs the same deals."""
    from musodds.analysis.odds import simulated_odds
    from musodds.analysis.query import query

    monkeypatch.setattr(cluster_workers, "GRAIN", 1)
    for asked in (query("RR4A"), query("RR4A", 3, partner="R>=1")):
        for most in ({"deals": 6 * SENT_BLOCK + 5}, {"deals": 10**9, "margin": 0.03}):
            here = simulated_odds(asked, **most, seed=3)
            progress = Killer(address) if killed else None
            with workers_at(address) as found:
                workers = Cluster(found.client, grain=1)
                there = simulated_odds(asked, **most, seed=3, workers=workers, progress=progress)
            assert there == here
            assert progress is None or progress.worked()
            killed = False  # one is enough


def test_heavy_questions_of_a_batch_go_to_all_workers(address, monkeypatch):
    monkeypatch.setattr(answers, "HEAVY", 100_000)
    frame = pd.DataFrame({"hand": ["RR4A", "4567"], "partner": ["", "R>=1"]})
    settings = {"exact": False, "deals": 200_000}
    pd.testing.assert_frame_equal(batch(frame, **settings, cluster=address), batch(frame, **settings))


@pytest.mark.parametrize("killed", [False, True], ids=["undisturbed", "one killed"])
def test_a_table_is_the_same_bytes(address, killed):
    hands = hands_of()
    here = whole.whole_table(hands, keep=False)
    progress = Killer(address) if killed else None
    with workers_at(address) as found:
        workers = Cluster(found.client, grain=1)
        there = whole.whole_table(hands, keep=False, workers=workers, progress=progress)
    assert there.figures.tobytes() == here.figures.tobytes()
    assert progress is None or progress.worked()


@pytest.mark.parametrize("drew", [None, "right=2"])
def test_a_simulated_table_is_the_same_bytes(address, drew):
    settings = {"exact": False, "deals": 500, "seed": 5, "drew": drew}
    progress = Killer(address)
    with workers_at(address) as workers:
        there = hand_table("postre", **settings, workers=workers, progress=progress)
    here = hand_table("postre", **settings)
    assert there == here
    assert progress.worked()
    pd.testing.assert_frame_equal(table(4, **settings, cluster=address), table(4, **settings))


@pytest.mark.parametrize("killed", [False, True], ids=["undisturbed", "one killed"])
def test_a_solution_is_the_same_policy(address, killed):
    settings = {"tables": 400_000, "steps": 2, "test_tables": 200_000, "seed": 9, "cuts": None}
    here = solve(**settings)
    progress: Callable[..., None] | None = Killer(address) if killed else None
    with workers_at(address) as found:
        there = solve(**settings, workers=Cluster(found.client, grain=1), progress=progress)
    assert there.policy.mus.tobytes() == here.policy.mus.tobytes()
    assert there.policy.keep.tobytes() == here.policy.keep.tobytes()
    assert there.policy.making == here.policy.making
    assert (there.gains, there.cuts, there.through, there.value) == (
        here.gains,
        here.cuts,
        here.through,
        here.value,
    )
    assert progress is None or progress.worked()


def test_the_commands_take_a_cluster(address, tmp_path, capsys):
    (tmp_path / "in.csv").write_text(QUESTIONS)
    solving = ["solve", "--deals", "3000", "--steps", "1", "--test-deals", "2000"]
    written = []
    for more in ([], ["--cluster", address]):
        assert main(["batch", str(tmp_path / "in.csv"), "--advice", "--advice-deals", "2000", *more]) == 3
        assert main(["table", "--no-exact", "--deals", "100", "--seat", "2", "--format", "csv", *more]) == 0
        assert main([*solving, "-o", str(tmp_path / "policy.csv"), *more]) == 0
        written.append((capsys.readouterr().out, (tmp_path / "policy.csv").read_bytes()))
    assert written[0] == written[1]


def test_what_a_worker_refuses_is_said_in_its_own_words(address):
    frame = pd.DataFrame({"hand": ["RR4A"], "partner": ["R=4 & A=1"]})
    assert batch(frame, cluster=address)["error"][0] == batch(frame)["error"][0]


def test_workers_with_another_musodds_are_refused(address, monkeypatch):
    monkeypatch.setattr(musodds, "__version__", "0.0.1")
    stamp.cache_clear()
    with (
        pytest.raises(MusoddsError, match=r"the worker .* runs musodds 0\.1.*, and this is 0\.0\.1 "),
        workers_at(address),
    ):
        pass
    stamp.cache_clear()


def test_a_cluster_that_is_not_there_is_one_clear_line(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(cluster_workers, "PATIENCE", 0.5)
    (tmp_path / "in.csv").write_text("hand\nRR4A\n")
    for address in ("tcp://127.0.0.1:1", "nonsense://"):
        assert main(["batch", str(tmp_path / "in.csv"), "--cluster", address]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert f"cluster '{address}'" in said.err.splitlines()[-1]


def test_a_job_that_fails_says_why(address):
    with workers_at(address) as workers, workers.handing_out(divided) as hand_out:
        assert hand_out(6, 3).result() == 2
        with pytest.raises(MusoddsError, match="ZeroDivisionError"):
            hand_out(6, 0).result()


def divided(number: int, by: int) -> float:
    return number / by
