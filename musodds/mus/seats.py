"""The four seats: 1 is the mano, who speaks first and wins every tie; 4 is the postre, who deals.

Pairs sit opposite each other, {1, 3} and {2, 4}. Seen from a player, the next to speak sits on the
right, then comes the partner, then the player on the left.
"""

from __future__ import annotations

from musodds.errors import SeatError

SEATS = (1, 2, 3, 4)
ROLES = ("right", "partner", "left")
SEAT_NAMES = {1: "mano", 2: "2", 3: "3", 4: "postre"}
_TYPED = {"mano": 1, "1": 1, "2": 2, "3": 3, "4": 4, "postre": 4}


def parse_seat(seat: str | int) -> int:
    """A seat as a number from 1 (mano) to 4 (postre).

    Raises:
        SeatError: for anything but mano, 2, 3, postre and 1 to 4.
    """
    found = None if isinstance(seat, bool) else _TYPED.get(str(seat).strip().lower())
    if found is None:
        raise SeatError(f"seat {seat!r}: choose mano, 2, 3 or postre (or 1 to 4)")
    return found


def parse_seats(seats: str | int) -> tuple[int, ...]:
    """One seat, or all four for ``all``."""
    if isinstance(seats, str) and seats.strip().lower() == "all":
        return SEATS
    try:
        return (parse_seat(seats),)
    except SeatError:
        raise SeatError(f"seat {seats!r}: choose mano, 2, 3 or postre (or 1 to 4), or all") from None


def seat_of(role: str, seat: int) -> int:
    """The seat of the player who sits ``right``, ``partner`` or ``left`` of a seat."""
    return (seat + ROLES.index(role)) % 4 + 1


def role_of(other: int, seat: int) -> str:
    """What another seat is to a seat: ``right``, ``partner`` or ``left``."""
    return ROLES[(other - seat - 1) % 4]
