"""Why a lance is won, in words: the comparison that decides it.

Every reason has a code (for programs) and a text in English and in Spanish. Cards keep their letters
(A 2..7 S C R); lances and kinds of pares keep the game's own names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from musodds.mus.cards import COIN_JACK, Deck, high_to_low
from musodds.mus.lances import JUEGO_FROM, Cards, is_real, key_of, pares_kind, points, winner
from musodds.mus.rules import Rules
from musodds.mus.seats import SEATS

SEATS_OF = {"us": (1, 3), "them": (2, 4)}

_ORDINALS_EN = ("first", "second", "third", "fourth")
_ORDINALS_ES = ("primera", "segunda", "tercera", "cuarta")
_NUMBERS_EN = {2: "two", 3: "three"}
_NUMBERS_ES = {2: "dos", 3: "tres"}
_PLURALS_EN = dict(
    zip(
        "A234567SCR",
        ("aces", "twos", "threes", "fours", "fives", "sixes", "sevens", "jacks", "knights", "kings"),
        strict=True,
    )
)
_PLURALS_ES = dict(
    zip(
        "A234567SCR",
        ("ases", "doses", "treses", "cuatros", "cincos", "seises", "sietes", "sotas", "caballos", "reyes"),
        strict=True,
    )
)


@dataclass(frozen=True)
class Reason:
    """Why a lance goes to a pair, or is not played.

    Attributes:
        code: ``card`` (grande, chica: a card decides), ``pares``, ``points`` (juego, punto), ``real``,
            ``tie`` (equal hands, speaking order decides), ``alone`` (only one pair holds it),
            ``nobody`` (nobody holds it), ``has-juego`` (so no punto), ``refused`` (the other pair
            refused a bet), ``game-over`` (the game ended before).
        en: the text in English.
        es: the text in Spanish.
    """

    code: str
    en: str
    es: str


@dataclass(frozen=True)
class Comparison:
    """What the cards alone say about a lance.

    Attributes:
        seat: the seat with the best hand, 1 (mano) to 4 (postre); None if the lance is not played.
        holders: the seats that take part.
        contested: both pairs take part, so there is betting.
        reason: why that seat is best, against the better hand of the other pair.
    """

    seat: int | None
    holders: tuple[int, ...]
    contested: bool
    reason: Reason

    @property
    def pair(self) -> str | None:
        """The pair with the best hand; None if the lance is not played."""
        return None if self.seat is None else pair_of(self.seat)


def pair_of(seat: int) -> str:
    """The pair of a seat: ``us`` for 1 and 3, ``them`` for 2 and 4."""
    return "us" if seat % 2 else "them"


def other_pair(pair: str) -> str:
    """The rivals of a pair."""
    return "them" if pair == "us" else "us"


def compare(lance: str, hands: Sequence[Cards], rules: Rules) -> Comparison:
    """Compare four hands, in speaking order, in one lance.

    Source: the written rules of the game: the four lances, and ties go to the player nearest the mano.
    """
    deck, real = rules.deck, rules.real
    holding = [seat for seat in SEATS if points(hands[seat - 1], deck) >= JUEGO_FROM]
    if lance == "punto" and holding:
        return Comparison(None, (), False, _has_juego(holding))
    key = key_of(lance, real)
    keys = {seat: key(hands[seat - 1], deck) for seat in SEATS}
    holders = tuple(seat for seat in SEATS if keys[seat] is not None)
    best = winner(lance, hands, deck, real)
    if best is None:
        return Comparison(None, (), False, _nobody(lance))
    # A hand that does not take part is below every key; holders' keys are never empty.
    rivals = [seat for seat in holders if pair_of(seat) != pair_of(best)]
    if not rivals:
        return Comparison(best, holders, False, _alone(lance, holders))
    rival = max(rivals, key=lambda seat: (keys[seat] or (), -seat))
    mine, theirs = hands[best - 1], hands[rival - 1]
    if keys[best] == keys[rival]:
        reason = _tie(lance, mine, best, rules)
    elif lance == "grande":
        reason = _grande(mine, theirs, deck)
    elif lance == "chica":
        reason = _chica(mine, theirs, deck)
    elif lance == "pares":
        reason = _pares(mine, theirs, deck)
    elif lance == "juego" and is_real(mine, deck, real):
        reason = Reason("real", "the real beats every juego", "la real gana a todo juego")
    else:
        reason = _points(mine, theirs, deck)
    return Comparison(best, holders, True, reason)


def refused(collector: str) -> Reason:
    """The other pair refused the bet of ``collector``."""
    losers = SEATS_OF[other_pair(collector)]
    return Reason(
        "refused", f"{seats_en(losers)} refused the bet", f"{seats_es(losers)} no quisieron el envite"
    )


def game_over(lance: str, how: str) -> Reason:
    """The game ended at an earlier lance, by a ``deje`` or an accepted ``ordago``."""
    if how == "deje":
        return Reason(
            "game-over",
            f"not played: the deje at {lance} ended the game",
            f"no se juega: el deje a {lance} acabó el juego",
        )
    return Reason(
        "game-over",
        f"not played: the órdago at {lance} was accepted",
        f"no se juega: se quiso el órdago a {lance}",
    )


def seats_en(seats: Sequence[int]) -> str:
    """``seat 1`` or ``seats 1 and 3``."""
    return _seats(seats, "seat", "seats", "and")


def seats_es(seats: Sequence[int]) -> str:
    """``el puesto 1`` or ``los puestos 1 y 3``."""
    return _seats(seats, "el puesto", "los puestos", "y")


def _seats(seats: Sequence[int], one: str, many: str, conjunction: str) -> str:
    *head, last = [str(seat) for seat in seats]
    return f"{many} {', '.join(head)} {conjunction} {last}" if head else f"{one} {last}"


def _has_juego(seats: Sequence[int]) -> Reason:
    several = len(seats) > 1
    return Reason(
        "has-juego",
        f"{seats_en(seats)} {'have' if several else 'has'} juego: not played",
        f"{seats_es(seats)} {'tienen' if several else 'tiene'} juego: no se juega",
    )


def _nobody(lance: str) -> Reason:
    if lance == "juego":
        return Reason("nobody", "nobody has juego: punto is played", "nadie tiene juego: se juega el punto")
    return Reason("nobody", f"nobody has {lance}: not played", f"nadie tiene {lance}: no se juega")


def _alone(lance: str, seats: Sequence[int]) -> Reason:
    several = len(seats) > 1
    return Reason(
        "alone",
        f"only {seats_en(seats)} {'have' if several else 'has'} {lance}",
        f"solo {seats_es(seats)} {'tienen' if several else 'tiene'} {lance}",
    )


def _tie(lance: str, hand: Cards, seat: int, rules: Rules) -> Reason:
    deck = rules.deck
    both_en = both_es = ""
    if lance == "pares":
        both_en, both_es = f"{_kind_en(hand, deck)} twice: ", f"{_kind_es(hand, deck)} dos veces: "
    elif lance == "juego" and is_real(hand, deck, rules.real):
        both_en, both_es = "two reals: ", "dos reales: "
    elif lance in ("juego", "punto"):
        both_en = f"{points(hand, deck)} twice: "
        both_es = f"{points(hand, deck)} dos veces: "
    return Reason(
        "tie",
        f"{both_en}tied, seat {seat} speaks first",
        f"{both_es}empate, el puesto {seat} habla antes",
    )


def _grande(mine: Cards, theirs: Cards, deck: Deck) -> Reason:
    ours, others = _high_first(mine, deck), _high_first(theirs, deck)
    place = _first_difference(ours, others)
    before_en, before_es = _equal_before(ours, place, "first {}", "{} primeras")
    return Reason(
        "card",
        f"{before_en}{_ORDINALS_EN[place]} card {ours[place]} over {others[place]}",
        f"{before_es}{_ORDINALS_ES[place]} carta, {ours[place]} sobre {others[place]}",
    )


def _chica(mine: Cards, theirs: Cards, deck: Deck) -> Reason:
    ours, others = _high_first(mine, deck)[::-1], _high_first(theirs, deck)[::-1]
    place = _first_difference(ours, others)
    before_en, before_es = _equal_before(ours, place, "{} lowest", "{} más bajas")
    ordinal_en = "" if place == 0 else f"{_ORDINALS_EN[place]} "
    ordinal_es = "" if place == 0 else f"{_ORDINALS_ES[place]} "
    return Reason(
        "card",
        f"{before_en}{ordinal_en}lowest card {ours[place]} under {others[place]}",
        f"{before_es}{ordinal_es}carta más baja, {ours[place]} bajo {others[place]}",
    )


def _high_first(hand: Cards, deck: Deck) -> list[str]:
    """The cards from high to low; the jack of coins is a jack like any other here."""
    return ["S" if card == COIN_JACK else card for card in high_to_low(hand, deck)]


def _first_difference(ours: Sequence[str], others: Sequence[str]) -> int:
    return next(i for i, (a, b) in enumerate(zip(ours, others, strict=True)) if a != b)


def _equal_before(cards: Sequence[str], place: int, some_en: str, some_es: str) -> tuple[str, str]:
    """What ties before the card that decides: a single card by its name, more by their number."""
    if place == 0:
        return "", ""
    if place == 1:
        article = "las" if cards[0] == "S" else "los"
        return f"{_PLURALS_EN[cards[0]]} tie; ", f"empatan {article} {_PLURALS_ES[cards[0]]}; "
    en, es = some_en.format(_NUMBERS_EN[place]), some_es.format(_NUMBERS_ES[place])
    return f"the {en} cards tie; ", f"empatan las {es}; "


def _pares(mine: Cards, theirs: Cards, deck: Deck) -> Reason:
    return Reason(
        "pares",
        f"{_kind_en(mine, deck)} over {_kind_en(theirs, deck)}",
        f"{_kind_es(mine, deck)} sobre {_kind_es(theirs, deck)}",
    )


def _paired(hand: Cards, deck: Deck) -> list[str]:
    """The ranks that the hand holds twice or more, high to low."""
    cards = _high_first(hand, deck)
    return [card for card in dict.fromkeys(cards) if cards.count(card) >= 2]


def _kind_en(hand: Cards, deck: Deck) -> str:
    kind, ranks = pares_kind(hand, deck), _paired(hand, deck)
    if kind == "duples" and len(ranks) == 1:
        return f"duples of four {ranks[0]}"
    return f"{kind} of {' and '.join(ranks)}"


def _kind_es(hand: Cards, deck: Deck) -> str:
    kind, ranks = pares_kind(hand, deck), _paired(hand, deck)
    if kind == "duples" and len(ranks) == 1:
        return f"duples de cuatro {ranks[0]}"
    return f"{kind} de {' y '.join(ranks)}"


def _points(mine: Cards, theirs: Cards, deck: Deck) -> Reason:
    ours, others = points(mine, deck), points(theirs, deck)
    return Reason("points", f"{ours} over {others}", f"{ours} sobre {others}")
