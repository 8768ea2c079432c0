"""The betting record, the score and the count: what is read, what is refused, what always holds."""

from __future__ import annotations

import random

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st

from musodds.errors import RecordError
from musodds.mus.bets import KINDS, PASSED, Bet, Record, check_score, parse_record, parse_score
from musodds.mus.cards import parse_hand
from musodds.mus.count import Settlement, passed_stones, settle
from musodds.mus.lances import LANCES
from musodds.mus.rules import Rules, rules
from musodds.mus.why import compare, other_pair

CLASSIC = rules("classic")
JUEGO = "R3CA 7654 SS54 RC77"  # seats 1 and 4 have juego; seats 1, 3 and 4 have pares
PUNTO = "RR54 7AAA RC64 SS5A"  # nobody has juego
ALONE = "RR54 7654 SS54 754A"  # only seats 1 and 3 have pares


def settled(hands: str, bets: str, score: str = "0-0", table: Rules = CLASSIC) -> Settlement:
    cards = [parse_hand(hand, table.deck) for hand in hands.split()]
    return settle(cards, table, parse_record(bets), parse_score(score, table.target))


# Reading a record ----------------------------------------------------------------------------------------


def test_a_record_is_read_lance_by_lance() -> None:
    record = parse_record("grande=pass,chica=2,pares=refused:us:1,juego=ordago")
    assert record.bet("grande") == Bet("pass")
    assert record.bet("chica") == Bet("accepted", 2)
    assert record.bet("pares") == Bet("refused", 1, "us")
    assert record.bet("juego") == Bet("ordago")
    assert record.bet("punto") == PASSED


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("", ""),
        (" , ; ", ""),
        ("chica=2;grande=pass", "grande=pass,chica=2"),
        ("GRANDE = Paso", "grande=pass"),
        ("grande=en paso", "grande=pass"),
        ("juego=Órdago", "juego=ordago"),
        ("punto=quiero:3", "punto=3"),
        ("pares=no-quiero:nosotros:1", "pares=refused:us:1"),
        ("pares=no quiero : ellos : 2", "pares=refused:them:2"),
        ("pares=noquiero:them:5", "pares=refused:them:5"),
        ("pares=rechazado:us:1", "pares=refused:us:1"),
    ],
)
def test_records_in_many_spellings(typed: str, text: str) -> None:
    assert parse_record(typed).text == text


@given(
    st.dictionaries(
        st.sampled_from(LANCES),
        st.one_of(
            st.sampled_from([Bet("pass"), Bet("ordago")]),
            st.builds(Bet, st.just("accepted"), st.integers(2, 99)),
            st.builds(Bet, st.just("refused"), st.integers(1, 99), st.sampled_from(["us", "them"])),
        ),
    )
)
def test_the_text_of_a_record_reads_back(bets: dict[str, Bet]) -> None:
    record = Record(tuple((lance, bets[lance]) for lance in LANCES if lance in bets))
    assert parse_record(record.text) == record


@given(st.text(alphabet="abcegrdnopu=:,;-012 óé", max_size=25))
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    try:
        record = parse_record(text)
    except RecordError as error:
        reason = str(error)
    else:
        reason = ""
        assert parse_record(record.text) == record
    assert "\n" not in reason


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("chica=1", r"'chica=1': the smallest bet is 2 stones"),
        ("chica=0", "the smallest bet is 2 stones"),
        ("chica=-2", "the smallest bet is 2 stones"),
        ("pares=refused:us:0", "at least 1 stone"),
        ("pares=refused:us", "who collected how much"),
        ("pares=refused:me:1", "who collected how much"),
        ("pares=refused:1:us", "who collected how much"),
        ("chica", "no = in it"),
        ("chica=", "write pass, a stake"),
        ("chica=two", "write pass, a stake"),
        ("chica=2.5", "write pass, a stake"),
        ("chica=99999999999", "write pass, a stake"),
        ("chicas=2", "did you mean chica"),
        ("poker=2", "the lances are grande, chica, pares, juego, punto"),
        ("chica=2,chica=pass", "chica is there twice"),
    ],
)
def test_records_that_no_betting_can_produce(typed: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        parse_record(typed)


@pytest.mark.parametrize(
    ("bet", "reason"),
    [
        (("maybe", 0, None), "bet kind 'maybe'"),
        (("accepted", 1, None), "smallest bet"),
        (("accepted", 2, "us"), "only a refusal"),
        (("refused", 1, None), "us or them"),
        (("refused", 0, "us"), "at least 1"),
        (("pass", 3, None), "no stake"),
        (("ordago", 3, None), "no stake"),
    ],
)
def test_bets_that_cannot_be(bet: tuple[str, int, str | None], reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        Bet(*bet)


# Reading a score -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["36-30", " 36 - 30 ", "36:30", "36–30"])
def test_a_score_is_read(text: str) -> None:
    assert parse_score(text, 40) == (36, 30)


@pytest.mark.parametrize("text", ["", "36", "a-b", "-1-3", "36--30", "36-30-2", "3.5-2", "٣-٤"])
def test_scores_that_cannot_be_read(text: str) -> None:
    with pytest.raises(RecordError, match="US-THEM"):
        parse_score(text, 40)


@pytest.mark.parametrize("text", ["41-20", "20-40", "40-40"])
def test_scores_of_a_game_that_is_over(text: str) -> None:
    with pytest.raises(RecordError, match="game to 40 is over"):
        parse_score(text, 40)


def test_the_target_bounds_the_score() -> None:
    assert parse_score("39-38", 40) == (39, 38)
    with pytest.raises(RecordError, match="game to 30 is over"):
        parse_score("39-38", 30)
    with pytest.raises(RecordError, match="0 or more"):
        check_score((-1, 3), 40)


# Records that the hands cannot produce -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "bets", "score", "reason"),
    [
        (ALONE, "pares=2", "0-0", "'pares=2': only seats 1 and 3 have pares"),
        (ALONE, "pares=refused:us:1", "0-0", "only seats 1 and 3 have pares"),
        (ALONE, "pares=ordago", "0-0", "only seats 1 and 3 have pares"),
        ("RC54 7654 RS54 R65A", "pares=2", "0-0", "nobody has pares"),
        (PUNTO, "juego=2", "0-0", "nobody has juego: punto is played"),
        (JUEGO, "punto=2", "0-0", "seats 1 and 4 have juego"),
        ("RCSA 7654 7654 7654", "juego=2", "0-0", "only seat 1 has juego"),
        (JUEGO, "chica=ordago,juego=2", "0-0", "'juego=2': the órdago at chica was accepted"),
        (JUEGO, "chica=ordago,pares=refused:us:1", "0-0", "the órdago at chica was accepted"),
        (JUEGO, "grande=refused:them:2,chica=2", "10-38", "'chica=2': the deje at grande"),
        (JUEGO, "grande=refused:them:2,juego=ordago", "10-38", "the deje at grande ended the game"),
    ],
)
def test_bets_that_these_hands_cannot_produce(hands: str, bets: str, score: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        settled(hands, bets, score)


def test_a_pass_may_be_written_for_any_lance() -> None:
    everywhere = ",".join(f"{lance}=pass" for lance in LANCES)
    for hands in (ALONE, JUEGO, PUNTO):
        assert settled(hands, everywhere).entries == settled(hands, "").entries


def test_the_highest_bet_of_a_table() -> None:
    table = rules("barajamos-8")
    assert settled(JUEGO, "chica=40", table=table).lance("chica").stones == 40
    with pytest.raises(RecordError, match="highest bet at this table is 40"):
        settled(JUEGO, "chica=41", table=table)
    with pytest.raises(RecordError, match="highest bet at this table is 40"):
        settled(JUEGO, "chica=refused:us:41", table=table)
    assert settled(JUEGO, "chica=41").lance("chica").stones == 41


# What always holds -----------------------------------------------------------------------------------------


def deal(seed: int, table: Rules) -> list[naive.Hand]:
    cards = random.Random(seed).sample(naive.deck(table.kings, table.deck.coins), 16)
    return [naive.in_order(cards[start : start + 4]) for start in (0, 4, 8, 12)]


def play(seed: int, table: Rules) -> tuple[list[naive.Hand], Record, tuple[int, int]]:
    """A random hand with bets that it can produce, at a score at which it can be played."""
    generator = random.Random(seed)
    hands = deal(seed, table)
    score = [generator.randrange(table.target), generator.randrange(table.target)]
    running = {"us": score[0], "them": score[1]}
    bets = []
    for lance in LANCES:
        if not compare(lance, hands, table).contested:
            continue
        kind = generator.choices(KINDS, (3, 3, 3, 1))[0]
        stones = {"accepted": generator.randint(2, 9), "refused": generator.randint(1, 6)}.get(kind, 0)
        collector = generator.choice(["us", "them"]) if kind == "refused" else None
        bets.append((lance, Bet(kind, stones, collector)))
        if collector:
            running[collector] += stones
        if kind == "ordago" or max(running.values()) >= table.target:
            break
    return hands, Record(tuple(bets)), (score[0], score[1])


@pytest.mark.parametrize(("kings", "real"), [(8, "off"), (4, "off"), (8, "ten"), (4, "jack"), (8, "coins")])
def test_passed_lances_pay_what_a_slow_twin_says(kings: int, real: str) -> None:
    table = rules("classic", kings=kings, real=real)
    for seed in range(400):
        hands = deal(seed, table)
        twin = naive.settle(hands, 1, real)
        assert passed_stones(hands, table) == (twin["stones", "us"], twin["stones", "them"]), hands
        if seed % 4 == 0:
            settlement = settle(hands, table)
            assert settlement.stones == passed_stones(hands, table)
            for result in settlement.lances:
                assert result.seat == result.best == naive.winner(result.lance, hands, real)
                assert result.played == twin[result.lance, "played"]
                assert result.contested == twin[result.lance, "contested"]


@pytest.mark.parametrize("target", [30, 40])
def test_the_scoreboard_adds_up_and_stops_at_the_target(target: int) -> None:
    table = rules("classic", target=target)
    ended = set()
    for seed in range(1500):
        hands, record, score = play(seed, table)
        settlement = settle(hands, table, record, score)
        running = {"us": score[0], "them": score[1]}
        for entry in settlement.entries:
            if entry.counted:
                assert max(running.values()) < target, "nothing is counted after the game"
                running[entry.pair] += entry.stones
                assert entry.score == (running["us"], running["them"])
        assert settlement.after == (running["us"], running["them"])
        assert sum(result.stones for result in settlement.lances) == sum(settlement.stones)
        out = [pair for pair in running if running[pair] >= target]
        if settlement.ended_by == "ordago":
            assert not out
            assert settlement.winner == settlement.lance(settlement.ended_at or "").pair
        else:
            assert out == ([settlement.winner] if settlement.winner else [])
        if settlement.winner is None:
            assert all(entry.counted for entry in settlement.entries)
        order = [LANCES.index(e.lance) for e in settlement.entries if e.kind != "deje"]
        assert order == sorted(order)
        ended.add(settlement.ended_by)
    assert ended == {None, "deje", "count", "ordago"}


def test_every_lance_is_won_by_the_better_cards_or_by_the_bettors() -> None:
    refusals = 0
    for seed in range(500):
        hands, record, score = play(seed, CLASSIC)
        for result in settle(hands, CLASSIC, record, score).lances:
            bet = record.bet(result.lance)
            best = naive.winner(result.lance, hands)
            if bet.collector:
                refusals += 1
                assert (result.pair, result.seat, result.best) == (bet.collector, None, best)
                assert result.reason.code == "refused"
            elif result.played:
                assert best is not None
                assert result.seat == best
                assert result.pair == ("us" if best in (1, 3) else "them")
    assert refusals > 200


def test_the_pairs_mirror_when_every_hand_moves_on_and_nothing_ties() -> None:
    checked = 0
    for seed in range(300):
        hands = deal(seed, CLASSIC)
        moved = hands[1:] + hands[:1]
        reasons = [compare(lance, hands, CLASSIC).reason.code for lance in LANCES]
        if "tie" in reasons:
            continue
        checked += 1
        us, them = passed_stones(hands, CLASSIC)
        assert passed_stones(moved, CLASSIC) == (them, us)
    assert checked > 100


def test_the_rivals_of_a_pair() -> None:
    assert (other_pair("us"), other_pair("them")) == ("them", "us")
