"""What was bet in a hand: the record of the betting, from text and back, and the score before it.

A record is written ``grande=pass,chica=2,pares=refused:us:1,juego=ordago``. *Us* is always the pair of
seats 1 and 3, *them* the pair of seats 2 and 4. For each lance one of

    pass                nobody bet (*en paso*); the same as leaving the lance out
    2                   a bet was accepted: the stake that stands in the end
    refused:us:1        a bet, a raise or an órdago was refused: who collected how many stones at once
    ordago              an órdago was accepted: the lance decides the game

This module knows what a betting record can say by itself; whether it fits four hands, the rules and the
score is decided where the hand is settled (``musodds.mus.count``).

Source: the written rules of the game, betting and scoring.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches

from musodds.errors import RecordError
from musodds.mus.lances import LANCES

PAIRS = ("us", "them")
KINDS = ("pass", "accepted", "refused", "ordago")
SMALLEST_BET = 2
SMALLEST_DEJE = 1

_PASS = ("pass", "passed", "paso", "en-paso")
_ORDAGO = ("ordago", "ordago-accepted", "ordago-quiero")
_ACCEPTED = ("accepted", "quiero", "querido")
_REFUSED = ("refused", "no-quiero", "noquiero", "no-querido", "rechazado", "deje")
_PAIR_WORDS = {"us": "us", "nosotros": "us", "them": "them", "ellos": "them"}
_NUMBER = re.compile(r"-?[0-9]{1,6}")
_SCORE = re.compile(r"\s*([0-9]{1,6})\s*[-–:]\s*([0-9]{1,6})\s*")
_HOW = "write pass, a stake such as 2, refused:us:1 (who collected how much) or ordago"


@dataclass(frozen=True)
class Bet:
    """How the betting of one lance ended.

    Attributes:
        kind: ``pass``, ``accepted``, ``refused`` or ``ordago`` (an accepted one).
        stones: the accepted stake, or the *deje* that the bettors collected at once; else 0.
        collector: the pair that bet and was refused, ``us`` or ``them``; else None.

    Raises:
        RecordError: for what no betting can produce, such as a stake of 1.
    """

    kind: str = "pass"
    stones: int = 0
    collector: str | None = None

    def __post_init__(self) -> None:
        """Refuse what no betting can produce, whatever the hands are."""
        if self.kind not in KINDS:
            raise RecordError(f"bet kind {self.kind!r}: choose one of {', '.join(KINDS)}")
        if self.kind == "refused":
            if self.collector not in PAIRS:
                raise RecordError(f"collector {self.collector!r}: a refusal pays us or them")
            if self.stones < SMALLEST_DEJE:
                raise RecordError(
                    f"{self.text!r}: a refusal pays the stake that was last accepted, at least 1 stone"
                )
            return
        if self.collector is not None:
            raise RecordError(f"collector {self.collector!r}: only a refusal is collected at once")
        if self.kind == "accepted" and self.stones < SMALLEST_BET:
            raise RecordError(f"{self.text!r}: the smallest bet is 2 stones (envido)")
        if self.kind in ("pass", "ordago") and self.stones:
            raise RecordError(f"{self.kind} of {self.stones}: a {self.kind} has no stake of its own")

    @property
    def text(self) -> str:
        """The bet as it is written in a record."""
        if self.kind == "accepted":
            return str(self.stones)
        return f"refused:{self.collector}:{self.stones}" if self.kind == "refused" else self.kind


PASSED = Bet()


@dataclass(frozen=True)
class Record:
    """The betting of one hand.

    Attributes:
        bets: the lances that were mentioned with their bets, in the order of the game; a lance that is
            not mentioned was passed (or not played).
    """

    bets: tuple[tuple[str, Bet], ...] = ()

    def bet(self, lance: str) -> Bet:
        """How the betting of a lance ended."""
        return dict(self.bets).get(lance, PASSED)

    @property
    def text(self) -> str:
        """The canonical text, which reads back as the same record; empty if nothing was mentioned."""
        return ",".join(f"{lance}={bet.text}" for lance, bet in self.bets)


ALL_PASSED = Record()


def parse_record(text: str) -> Record:
    """Read a betting record; lances may stand in any order, separated by ``,`` or ``;``.

    Spanish words (paso, quiero, no-quiero, rechazado, nosotros, ellos, órdago) and any case are read too.

    Raises:
        RecordError: saying which part cannot be read or cannot be, and what to write instead.
    """
    found: dict[str, Bet] = {}
    for part in re.split(r"[,;]", text):
        if not part.strip():
            continue
        lance, equals, value = part.partition("=")
        lance = _plain(lance)
        if not equals:
            raise RecordError(f"{part.strip()!r}: no = in it; write LANCE=BET, such as chica=2")
        if lance not in LANCES:
            close = get_close_matches(lance, LANCES, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise RecordError(f"{part.strip()!r}: {hint}the lances are {', '.join(LANCES)}")
        if lance in found:
            raise RecordError(f"{part.strip()!r}: {lance} is there twice; give each lance once")
        found[lance] = _parse_bet(_plain(value), part.strip())
    return Record(tuple((lance, found[lance]) for lance in LANCES if lance in found))


def _parse_bet(value: str, part: str) -> Bet:
    word, *rest = value.split(":")
    try:
        if word in _PASS and not rest:
            return PASSED
        if word in _ORDAGO and not rest:
            return Bet("ordago")
        if _NUMBER.fullmatch(word) and not rest:
            return Bet("accepted", int(word))
        if word in _ACCEPTED and len(rest) == 1 and _NUMBER.fullmatch(rest[0]):
            return Bet("accepted", int(rest[0]))
        if word in _REFUSED:
            if len(rest) == 2 and rest[0] in _PAIR_WORDS and _NUMBER.fullmatch(rest[1]):
                return Bet("refused", int(rest[1]), _PAIR_WORDS[rest[0]])
            raise RecordError(
                f"{part!r}: a refusal says who collected how much, such as refused:us:1 or refused:them:5"
            )
    except RecordError as error:
        if part in str(error):
            raise
        reason = str(error).partition(": ")[2]
        raise RecordError(f"{part!r}: {reason}") from None
    raise RecordError(f"{part!r}: {_HOW}")


def _plain(text: str) -> str:
    """Lower case, without accents, inner blanks and underscores as hyphens."""
    letters = unicodedata.normalize("NFKD", text.strip().lower())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[\s_]+", "-", re.sub(r"\s*:\s*", ":", bare))


def parse_score(text: str, target: int) -> tuple[int, int]:
    """Read a score such as ``36-30``: the stones of us (seats 1 and 3) and of them.

    Raises:
        RecordError: if it is not two whole numbers, or a pair has won already.
    """
    match = _SCORE.fullmatch(text)
    if match is None:
        raise RecordError(f"score {text!r}: write the stones of us and them as US-THEM, such as 36-30")
    score = (int(match[1]), int(match[2]))
    check_score(score, target)
    return score


def check_score(score: tuple[int, int], target: int) -> None:
    """Refuse a score at which no hand is played.

    Raises:
        RecordError: for negative stones, or a pair that has the game already.
    """
    us, them = score
    if us < 0 or them < 0:
        raise RecordError(f"score {us}-{them}: stones are 0 or more")
    if us >= target or them >= target:
        raise RecordError(
            f"score {us}-{them}: the game to {target} is over; both pairs must be below {target} "
            "(or set the target)"
        )
