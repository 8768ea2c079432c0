"""From the text of a condition to its tree: words, comparisons and how they are joined.

The grammar stands in ``condition.lark``. The tree knows nothing of a deck; what the words mean is for
``knowledge``. The parser library is imported only when a condition is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from musodds.errors import ConditionError

if TYPE_CHECKING:
    from lark import Lark, Token, Tree
    from lark.exceptions import UnexpectedInput

MAX_LENGTH = 2_000
MAX_DEPTH = 50
MAX_NUMBER = 40_000
DECIMALS = 4
_SHOWN = 60

_OPERATORS = {"==": "=", "≤": "<=", "≥": ">=", "≠": "!="}
_TOPS = {"mejor": "top", "peor": "bottom"}


@dataclass(frozen=True)
class Operand:
    """A word, a number, a hand or a pattern as typed; ``column`` counts from 1, as everywhere here."""

    text: str
    column: int


@dataclass(frozen=True)
class Compared:
    """``left operator right``; the operator is one of ``= != < <= > >=``."""

    left: Operand
    operator: str
    right: Operand
    column: int


@dataclass(frozen=True)
class Share:
    """``top 20% grande``; ``end`` is ``top`` or ``bottom``, ``percent`` above 0 and at most 100."""

    end: str
    percent: Fraction
    lance: Operand
    column: int


@dataclass(frozen=True)
class Not:
    """What does not fit ``part`` (which is no ``Not``)."""

    part: Node
    column: int


@dataclass(frozen=True)
class All:
    """What fits every one of two or more parts (none of them an ``All``)."""

    parts: tuple[Node, ...]
    column: int


@dataclass(frozen=True)
class Either:
    """What fits at least one of two or more parts (none of them an ``Either``)."""

    parts: tuple[Node, ...]
    column: int


@dataclass(frozen=True)
class Sum:
    """A weighted sum; a part of weight 1 is no ``Sum``, and one part alone has another weight than 1."""

    terms: tuple[tuple[Fraction, Node], ...]
    column: int


Node = Operand | Compared | Share | Not | All | Either | Sum


def fail(text: str, column: int, message: str) -> ConditionError:
    """The error for a place in a condition: the text around it, the column, what is wrong, in one line."""
    start = max(0, column - 1 - _SHOWN // 2) if len(text) > _SHOWN else 0
    part = text[start : start + _SHOWN]
    shown = ("…" if start else "") + part + ("…" if start + _SHOWN < len(text) else "")
    return ConditionError(f"condition {shown!r}, at column {column}: {message}")


def parse(text: str) -> Node:
    """Read a condition's text into its tree.

    Raises:
        ConditionError: for text that is too long, too deep or does not follow the grammar; it points
            at the place.
    """
    check_length(text)
    if not text.strip():
        raise ConditionError(f"condition {text!r}: nothing is said; write for example pares & !juego")
    from lark.exceptions import UnexpectedInput

    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise _misplaced(text, error) from None
    return _sum(text, tree.children[0], 0)


def check_length(text: str) -> None:
    """Refuse a condition that is too long to be meant.

    Raises:
        ConditionError: above ``MAX_LENGTH`` characters.
    """
    if len(text) > MAX_LENGTH:
        raise ConditionError(
            f"condition {text[:_SHOWN] + '…'!r}: {len(text)} characters, "
            f"and a condition has at most {MAX_LENGTH}"
        )


@cache
def _parser() -> Lark:
    from importlib.resources import files

    from lark import Lark

    grammar = files("musodds.analysis").joinpath("condition.lark").read_text(encoding="utf-8")
    # The basic lexer reads a word the same way wherever it stands, so an error names what was typed.
    return Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=True, propagate_positions=True)


def _misplaced(text: str, error: UnexpectedInput) -> ConditionError:
    """What does not follow the grammar, said in the language of the table."""
    from lark.exceptions import UnexpectedToken

    if not isinstance(error, UnexpectedToken):
        column = (error.pos_in_stream or 0) + 1
        return fail(text, column, f"{text[column - 1]!r} means nothing in a condition")
    expected = error.accepts or error.expected
    at_end = error.token.type == "$END"
    column = (len(text.rstrip()) if at_end else error.token.start_pos or 0) + 1
    found = "the condition ends" if at_end else f"{str(error.token)!r} stands"
    if "WORD" in expected and "OPERATOR" not in expected:
        return fail(text, column, f"{found} where a condition such as pares, 31 or R>=2 should")
    if at_end and "RPAR" in expected:
        return fail(text, column, f"{found} and a ) is missing")
    if error.token.type == "RPAR" and "$END" in expected:
        return fail(text, column, "this ) closes nothing")
    if error.token.type == "STAR":
        return fail(text, column, "* is for weights: a number before a condition, as in 0.3*ciego")
    if error.token.type == "OPERATOR":
        return fail(
            text, column, f"{found} after something that cannot be compared; join two comparisons by &"
        )
    if "PERCENT" in expected:
        return fail(text, column, f"{found} where % should, as in top 20% grande")
    if expected == {"NUMBER"}:
        return fail(text, column, f"{found} where a number should, as in top 20% grande")
    return fail(text, column, f"{found} where & | + or the end should")


def number(text: str, typed: str, column: int, what: str) -> Fraction:
    """A typed decimal number from 0 to 40,000 with at most four decimals.

    Raises:
        ConditionError: for a number outside of that; ``what`` names it.
    """
    if len(typed.partition(".")[2].rstrip("0")) > DECIMALS:
        raise fail(text, column, f"{typed}: {what} may have up to four decimals")
    if len(typed.partition(".")[0].lstrip("0")) > len(str(MAX_NUMBER)) or Fraction(typed) > MAX_NUMBER:
        raise fail(text, column, f"{typed}: {what} may be at most {MAX_NUMBER:,}")
    return Fraction(typed)


def decimal(value: Fraction) -> str:
    """A number with at most four decimals as it is printed: no more digits than needed."""
    whole, rest = divmod(int(value * 10**DECIMALS), 10**DECIMALS)
    return f"{whole}.{rest:0{DECIMALS}d}".rstrip("0").rstrip(".")


def _column(part: Tree[Token] | Token) -> int:
    from lark import Token

    start = part.start_pos if isinstance(part, Token) else part.meta.start_pos
    return (start or 0) + 1


def _sum(text: str, tree: Any, depth: int) -> Node:
    terms: list[tuple[Fraction, Node]] = []
    for term in tree.children:
        typed, part = term.children
        weight = Fraction(1)
        if typed is not None:
            weight = number(text, str(typed), _column(typed), "weights")
        node = _either(text, part, depth)
        terms += node.terms if isinstance(node, Sum) and weight == 1 else [(weight, node)]
    if len(terms) == 1 and terms[0][0] == 1:
        return terms[0][1]
    return Sum(tuple(terms), _column(tree))


def _either(text: str, tree: Any, depth: int) -> Node:
    parts: list[Node] = []
    for part in tree.children:
        node = _both(text, part, depth)
        parts += node.parts if isinstance(node, Either) else [node]
    return parts[0] if len(parts) == 1 else Either(tuple(parts), _column(tree))


def _both(text: str, tree: Any, depth: int) -> Node:
    parts: list[Node] = []
    for part in tree.children:
        node = _one(text, part, depth)
        parts += node.parts if isinstance(node, All) else [node]
    return parts[0] if len(parts) == 1 else All(tuple(parts), _column(tree))


def _one(text: str, tree: Any, depth: int) -> Node:
    column = _column(tree)
    if depth > MAX_DEPTH:
        raise fail(text, column, f"parentheses and ! may be nested {MAX_DEPTH} deep at most")
    if tree.data == "negated":
        node = _one(text, tree.children[1], depth + 1)
        return node.part if isinstance(node, Not) else Not(node, column)
    if tree.data == "sum":
        return _sum(text, tree, depth + 1)
    if tree.data == "compared":
        left, operator, right = tree.children
        return Compared(
            _operand(text, left), _OPERATORS.get(operator, str(operator)), _operand(text, right), column
        )
    if tree.data == "share":
        end, typed, lance = tree.children
        percent = number(text, str(typed), _column(typed), "a percentage")
        if not 0 < percent <= 100:
            raise fail(text, _column(typed), f"{typed}%: a share is above 0 and at most 100%")
        word = str(end).lower()
        return Share(_TOPS.get(word, word), percent, Operand(str(lance), _column(lance)), column)
    return _operand(text, tree)


def _operand(text: str, tree: Any) -> Operand:
    return Operand(text[tree.meta.start_pos : tree.meta.end_pos], _column(tree))
