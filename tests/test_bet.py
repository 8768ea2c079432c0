"""What a bet is worth: certain cases, what stones alone say, and every answer played out hand by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from math import sqrt

import naive
import pytest

import musodds
from musodds.analysis.bet import Answer, Bet
from musodds.errors import ConditionError, RecordError, UsageError
from musodds.mus.bets import parse_record
from musodds.mus.cards import parse_hand
from musodds.mus.count import Settlement, settle
from musodds.mus.rules import PRESETS, Rules, rules

HANDS = {"grande": "RRS7", "chica": "R6AA", "pares": "RR4A", "juego": "RCSA", "punto": "R764"}
Fits = Callable[[list[naive.Hand]], bool]


def answers(found: Bet) -> dict[tuple[str, int | str | None], Answer]:
    return {(answer.action, answer.to): answer for answer in found.answers}


def wins(found: Bet) -> dict[str, float]:
    return {answer.action: answer.win for answer in found.answers}


# --- what must come out ---


@pytest.mark.parametrize("hand", ["RRS7", "7654", "RCAA"])
def test_at_39_39_a_bet_at_grande_is_an_ordago(hand: str) -> None:
    small = musodds.bet(hand, 2, lance="grande", offer=2, score="39-39", deals=20_000)
    all_in = musodds.bet(hand, 2, lance="grande", offer="ordago", score="39-39", deals=20_000)
    assert wins(small)["accept"] == wins(all_in)["accept"]
    assert wins(small)["accept"] == pytest.approx(small.lance_win, abs=4.5 * 0.5 / sqrt(20_000))


@pytest.mark.parametrize("lance", ["chica", "pares", "juego"])
def test_at_39_39_later_lances_wait_for_the_count(lance: str) -> None:
    small = musodds.bet("RRCA", 2, lance=lance, offer=2, score="39-39", deals=20_000)
    all_in = musodds.bet("RRCA", 2, lance=lance, offer="ordago", score="39-39", deals=20_000)
    assert wins(all_in)["accept"] == pytest.approx(small.lance_win, abs=4.5 * 0.5 / sqrt(small.deals))
    # grande is counted first, so the chance to win the game is that of grande, whatever is bet later
    grande = musodds.bet("RRCA", 2, lance="grande", score="39-39", deals=20_000).lance_win
    assert abs(wins(small)["accept"] - wins(all_in)["accept"]) > 0.02
    if lance == "chica":
        assert wins(small)["accept"] == pytest.approx(grande, abs=4.5 * 0.5 / sqrt(small.deals))


@pytest.mark.parametrize("lance", list(HANDS))
@pytest.mark.parametrize(
    ("score", "offer", "standing"), [("3-39", 2, 0), ("20-35", 9, 5), ("39-36", "ordago", 4)]
)
def test_where_the_deje_takes_them_out_any_hand_accepts(
    lance: str, score: str, offer: int | str, standing: int
) -> None:
    for hand in (HANDS[lance], "4AA4" if lance == "pares" else HANDS[lance]):
        found = musodds.bet(
            hand, "postre", lance=lance, offer=offer, standing=standing, score=score, deals=5_000
        )
        assert found.deje == max(1, standing)
        assert found.verdict == "accept"
        assert wins(found)["refuse"] == 0
        assert found.break_even == 0
        assert wins(found)["accept"] > 0


@pytest.mark.parametrize("offer", [2, 5, 10, 40, "ordago"])
@pytest.mark.parametrize("score", ["0-0", "30-36", "36-30", "39-39", "10-38"])
def test_four_kings_as_mano_accept_everything_at_grande(offer: int | str, score: str) -> None:
    found = musodds.bet("RRRR", "mano", lance="grande", offer=offer, score=score, deals=5_000)
    assert found.lance_win == 1
    assert found.verdict == "accept"
    assert not found.close
    assert found.break_even is not None
    assert 0 <= found.break_even < 1
    if offer in (40, "ordago"):
        assert wins(found)["accept"] == 1


def test_a_hand_that_cannot_win_the_lance_refuses() -> None:
    found = musodds.bet("7654", "postre", lance="grande", offer="ordago", right="RRRR", deals=5_000)
    assert found.lance_win == 0
    assert (found.verdict, found.close) == ("refuse", False)
    assert found.break_even == pytest.approx(wins(found)["refuse"])  # an órdago is worth its chance
    assert wins(found)["accept"] == 0


@pytest.mark.parametrize("lance", ["grande", "chica"])
@pytest.mark.parametrize(("offer", "standing"), [(2, 0), (4, 2), (5, 0), (10, 5)])
def test_far_from_the_end_only_stones_count(lance: str, offer: int, standing: int) -> None:
    found = far(lance, offer, standing)
    # accepting gains N + d where the lance is won, and loses N - d where it is lost
    assert found.break_even == pytest.approx((offer - found.deje) / (2 * offer), abs=0.015)


@pytest.mark.parametrize(("offer", "standing"), [(2, 0), (5, 2)])
def test_far_from_the_end_punto_pays_one_more_either_way(offer: int, standing: int) -> None:
    found = far("punto", offer, standing)
    assert found.break_even == pytest.approx((offer - found.deje) / (2 * offer + 2), abs=0.015)


@pytest.mark.parametrize("lance", ["pares", "juego"])
@pytest.mark.parametrize(("offer", "standing"), [(2, 0), (5, 2)])
def test_far_from_the_end_hands_pay_whoever_takes_the_lance(lance: str, offer: int, standing: int) -> None:
    found = far(lance, offer, standing)
    # where the lance is won accepting also turns their hands' stones into ours; where lost it does not matter
    both, number = 0, 0
    for table in contested(HANDS[lance], 2, lance, rules(), seed=5, deals=800):
        result = settled(table, rules(), {})
        if pair_of(result, lance) == "them":
            both += sum(naive.stones(lance, hand) for hand in table)
            number += 1
    mean = both / number
    assert found.break_even == pytest.approx((offer - found.deje) / (2 * offer + mean), abs=0.015)


def far(lance: str, offer: int, standing: int) -> Bet:
    return musodds.bet(
        HANDS[lance], 2, lance=lance, offer=offer, standing=standing, score="0-0", target=120, deals=60_000
    )


def test_at_the_break_even_the_two_are_worth_the_same() -> None:
    """The verdict follows from the chance of the lance and the break-even alone."""
    for hand in ("RRS7", "RS76", "7654", "RRRA"):
        for offer in (2, 8, "ordago"):
            found = musodds.bet(hand, 2, lance="grande", offer=offer, score="31-28", deals=50_000)
            assert found.break_even is not None
            if not found.close:
                assert (found.lance_win > found.break_even) == (found.verdict == "accept")


# --- played out hand by hand ---


def contested(
    hand: str, seat: int, lance: str, chosen: Rules, *, seed: int, deals: int, fits: Fits | None = None
) -> Iterator[list[naive.Hand]]:
    """Tables of four hands dealt by plain shuffling, in which both pairs hold the lance."""
    dice = random.Random(seed)
    mine = naive.cards_of(hand)
    unseen = naive.without(naive.deck(chosen.kings), mine)
    found = 0
    while found < deals:
        cards = dice.sample(unseen, 12)
        table = naive.seated(mine, tuple(cards[:4]), tuple(cards[4:8]), tuple(cards[8:]), seat)
        if fits is not None and not fits(table):
            continue
        if lance in ("pares", "juego"):
            holds = [naive.takes_part(lance, each) for each in table]
            if not ((holds[0] or holds[2]) and (holds[1] or holds[3])):
                continue
        if lance == "punto" and any(naive.takes_part("juego", each) for each in table):
            continue
        found += 1
        yield table


def settled(
    table: list[naive.Hand], chosen: Rules, bets: dict[str, str], score: tuple[int, int] = (0, 0)
) -> Settlement:
    cards = [parse_hand("".join(hand), chosen.deck) for hand in table]
    return settle(cards, chosen, parse_record(",".join(f"{k}={v}" for k, v in bets.items())), score)


def pair_of(result: Settlement, lance: str) -> str | None:
    return result.lance(lance).pair


def played_out(
    found: Bet, lance: str, *, deals: int, seed: int, fits: Fits | None = None
) -> dict[str, list[float]]:
    """Our chance to win the game after each answer, deal by deal: settled one by one, then the board."""
    chosen, seat = found.query.rules, found.query.seat
    swapped = seat in (2, 4)
    us, them = ("them", "us") if swapped else ("us", "them")
    score = (found.them, found.us) if swapped else (found.us, found.them)
    ways = {"accept": str(found.offer), "refuse": f"refused:{them}:{found.deje}"}
    for answer in found.answers:
        if answer.action == "raise":
            ways[f"raise {answer.to}, accepted"] = str(answer.to)
            ways["raise, folded"] = f"refused:{us}:{found.offer}"
    out: dict[str, list[float]] = {way: [] for way in ways}
    tables = contested(found.query.hand_text, seat, lance, chosen, seed=seed, deals=deals, fits=fits)
    for table in tables:
        for way, bet in ways.items():
            result = settled(table, chosen, {lance: bet}, score)
            if result.winner is not None:
                out[way].append(float(result.winner == us))
            else:
                after = result.after[::-1] if swapped else result.after
                out[way].append(found.board.chance(*after, "us" if swapped else "them"))
    return out


def check(found: Bet, lance: str, *, deals: int, seed: int, fits: Fits | None = None) -> None:
    out = played_out(found, lance, deals=deals, seed=seed, fits=fits)
    told = answers(found)
    agree(told["accept", None].win, out["accept"], found, "accept")
    agree(told["refuse", None].win, out["refuse"], found, "refuse")
    difference = [a - b for a, b in zip(out["accept"], out["refuse"], strict=True)]
    agree(told["accept", None].win - told["refuse", None].win, difference, found, "difference")
    for (action, to), answer in told.items():
        if action == "raise":
            assert answer.if_accepted is not None
            assert answer.if_folded is not None
            agree(answer.if_accepted, out[f"raise {to}, accepted"], found, f"raise {to}")
            agree(answer.if_folded, out["raise, folded"], found, "folded")
            mixed = found.fold * answer.if_folded + (1 - found.fold) * answer.if_accepted
            assert answer.win == pytest.approx(mixed, abs=1e-12)


def agree(told: float, values: list[float], found: Bet, what: str) -> None:
    mean = sum(values) / len(values)
    square = sum((value - mean) ** 2 for value in values) / len(values)
    if not 0.02 < told < 0.98:  # too rare for the values to show how they spread
        square = max(square, abs(told) * (1 - abs(told)))
    error = sqrt(square / len(values) + square / found.deals)
    assert abs(told - mean) <= 4.5 * error + 1e-9, (what, told, mean, error)


@pytest.mark.parametrize("preset", list(PRESETS))
@pytest.mark.parametrize("lance", list(HANDS))
def test_answers_agree_with_hands_settled_one_by_one(preset: str, lance: str) -> None:
    number = list(PRESETS).index(preset) + 10 * list(HANDS).index(lance)
    target = rules(preset).target
    scores = [(0, 0), (4, 8), (8, 4), (1, 1), (2, 6), (7, 9), (12, 3), (5, 5)]
    us, them = (target - each for each in (1, 1)) if number % 8 == 3 else (0, 0)
    if number % 8 != 3:
        short = scores[number % 8]
        us, them = max(0, target - 1 - short[0]), max(0, target - 1 - short[1])
    raised = [9] if number % 2 else [7, "ordago"]
    found = musodds.bet(
        HANDS[lance],
        1 + number % 4,
        lance=lance,
        offer=4 + number % 2,
        standing=2 * (number % 2),
        score=f"{us}-{them}",
        raises=raised,
        fold=0.3,
        rules=preset,
        deals=200_000,
        seed=number,
    )
    check(found, lance, deals=200, seed=number)


@pytest.mark.parametrize("target", [30, 35, 40])
@pytest.mark.parametrize("play", ["passed", "envido"])
def test_answers_agree_at_every_target_and_way_of_playing_on(target: int, play: str) -> None:
    found = musodds.bet(
        *("RR4A", "postre"),
        lance="pares",
        offer=2,
        score=f"{target - 12}-{target - 9}",
        play=play,
        target=target,
        deals=200_000,
    )
    assert found.board.play == play
    check(found, "pares", deals=800, seed=target)


def test_answers_agree_under_conditions() -> None:
    found = musodds.bet(
        *("RRCA", 3),
        lance="juego",
        offer="ordago",
        score="32-36",
        partner="R=0",
        declared="juego: 2,3",
        deals=400_000,
    )

    def fits(table: list[naive.Hand]) -> bool:
        holds = [naive.takes_part("juego", hand) for hand in table]
        return holds == [False, True, True, False] and "R" not in table[0]

    check(found, "juego", deals=150, seed=1, fits=fits)


@pytest.mark.exhaustive
@pytest.mark.parametrize("lance", list(HANDS))
@pytest.mark.parametrize("score", ["36-32", "39-38", "12-20"])
def test_answers_agree_with_many_hands_settled_one_by_one(lance: str, score: str) -> None:
    for seat in (1, 2, 3, 4):
        found = musodds.bet(
            HANDS[lance], seat, lance=lance, offer=2, score=score, raises=[5, "ordago"], fold=0.5
        )
        check(found, lance, deals=4_000, seed=seat)


# --- raising, ranking, when it turns round ---


def test_answers_come_best_first_and_say_how_far_behind() -> None:
    found = musodds.bet("RRRA", 2, lance="grande", offer=2, raises=[5, 10, "ordago"], fold=0.5, score="20-20")
    best = found.answers[0]
    assert (best.behind, best.behind_margin) == (0, 0)
    assert found.verdict == best.action
    assert [answer.win for answer in found.answers] == sorted((a.win for a in found.answers), reverse=True)
    for answer in found.answers:
        assert answer.behind == pytest.approx(best.win - answer.win, abs=1e-9)
        assert (answer.if_folded is None) == (answer.action != "raise")
    assert {answer.to for answer in found.answers} == {None, 5, 10, "ordago"}


def test_the_more_they_fold_the_better_a_raise() -> None:
    wins_of_raise = [
        answers(musodds.bet("7654", 2, lance="grande", raises=[5], fold=fold, deals=20_000))["raise", 5].win
        for fold in (0, 0.25, 0.5, 1)
    ]
    assert wins_of_raise == sorted(wins_of_raise)
    assert wins_of_raise[0] < wins_of_raise[-1]


def test_too_close_to_call_is_said() -> None:
    few, many = (
        [musodds.bet("CCS7", 2, lance="grande", offer=n, score="10-10", deals=deals) for n in range(2, 10)]
        for deals in (100, 200_000)
    )
    assert sum(found.close for found in few) > sum(found.close for found in many)
    for found in (*few, *many):
        first, second = found.answers
        assert found.close == (second.behind <= second.behind_margin)
        assert first.behind == 0


@pytest.mark.parametrize(("hand", "lance", "offer"), [("RRS7", "grande", 2), ("RCSA", "juego", "ordago")])
def test_the_bettors_range_at_which_the_verdict_turns(hand: str, lance: str, offer: int | str) -> None:
    options = {"lance": lance, "offer": offer, "score": "30-32", "deals": 400_000}
    found = musodds.bet(hand, "postre", when="better", **options)
    assert (found.verdict, found.bettor) == ("accept", "right")
    assert found.flips_at is not None
    strong = musodds.bet(hand, "postre", right=f"top {found.flips_at:g}% {lance}", **options)
    assert strong.verdict == "refuse"
    weaker = musodds.bet(hand, "postre", right=f"top {found.flips_at + 3:g}% {lance}", **options)
    assert weaker.verdict == "accept" or weaker.close


def test_a_verdict_that_nothing_turns() -> None:
    for hand, seat in (("RRRR", "mano"), ("7654", "postre")):
        found = musodds.bet(hand, seat, lance="grande", offer=10, when="better", bettor="left", deals=20_000)
        assert (found.bettor, found.flips_at) == ("left", None)
    assert musodds.bet("RRRR", lance="grande", deals=1_000).bettor is None


def test_who_speaks_first_is_taken_for_the_bettor() -> None:
    for seat, bettor in ((1, "right"), (2, "left"), (3, "left"), (4, "right")):
        assert musodds.bet("RRRR", seat, lance="grande", when="better", deals=1_000).bettor == bettor


def test_the_same_question_gives_the_same_answer_on_any_threads() -> None:
    one, three = (
        musodds.bet("RR4A", 3, lance="pares", offer=5, score="30-31", deals=300_000, seed=9, threads=threads)
        for threads in (1, 3)
    )
    assert one.answers == three.answers
    assert one.break_even == three.break_even


# --- what cannot be ---


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"lance": "poker"}, "the lances are"),
        ({"lance": "juego"}, "has no juego"),
        ({"hand": "7654", "lance": "pares"}, "has no pares"),
        ({"hand": "RCSA", "lance": "punto"}, "no punto is played"),
        ({"offer": 1}, "offer 1: the smallest is 2"),
        ({"offer": 2.5}, "whole number"),
        ({"offer": "all"}, "a number of stones, or ordago"),
        ({"offer": 3, "standing": 2}, "offer 3 over 2: the smallest is 4"),
        ({"offer": 2, "standing": 2, "rules": "barajamos-8"}, "offer 2 over 2: the smallest is 3"),
        ({"offer": 41, "rules": "barajamos-8"}, "bets up to 40"),
        ({"offer": "ordago", "standing": 41, "rules": "barajamos-8"}, "bets up to 40"),
        ({"standing": 1}, "an accepted bet is 2 stones or more"),
        ({"standing": -2}, "an accepted bet is 2 stones or more"),
        ({"raises": [3]}, "the smallest raise over 2 is to 4"),
        ({"raises": ["much"]}, "the smallest raise over 2 is to 4"),
        ({"raises": [41], "rules": "barajamos-8"}, "bets up to 40"),
        ({"offer": "ordago", "raises": [5]}, "cannot be raised"),
        ({"score": "41-20"}, "the game to 40 is over"),
        ({"score": "40-40"}, "the game to 40 is over"),
        ({"score": "a-b"}, "US-THEM"),
        ({"score": "-1-3"}, "US-THEM"),
        ({"fold": 1.5}, "between 0 and 1"),
        ({"when": "worse"}, "only better is asked"),
        ({"bettor": "partner", "when": "better"}, "on the right or on the left"),
        ({"deals": 0}, "at least 1 deal"),
        ({"others": "nobody"}, "nobody"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, object], reason: str) -> None:
    asked: dict[str, object] = {"hand": "RR4A", "lance": "grande"} | options
    with pytest.raises(UsageError, match=reason):
        musodds.bet(**asked)  # type: ignore[arg-type]


def test_what_is_known_must_leave_a_bet() -> None:
    with pytest.raises(ConditionError, match="no betting on pares"):
        musodds.bet("RR4A", lance="pares", declared="pares: 1,3")
    with pytest.raises(ConditionError, match="no hand"):
        musodds.bet("RR4A", lance="grande", partner="R=0 & R>=3")
    with pytest.raises(RecordError, match="an órdago cannot be raised"):
        musodds.bet("RR4A", lance="grande", offer="órdago", raises=["ordago"])
