"""The words of the tables in English and Spanish, and how each language writes numbers.

Lances, seats and hands keep the game's own names in both languages: players use no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType

LANGS = ("en", "es")

_WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "lance": ("lance", "lance"),
        "win": ("win %", "gana %"),
        "exact": ("exact", "exacto"),
        "played": ("played", "se\njuega"),
        "contested": ("contested", "se\ndisputa"),
        "win_if_contested": ("win if\ncontested", "gana si\nse disputa"),
        "mine": ("mine", "la gano\nyo"),
        "grande": ("grande", "grande"),
        "chica": ("chica", "chica"),
        "pares": ("pares", "pares"),
        "juego": ("juego", "juego"),
        "punto": ("punto", "punto"),
        "seat": ("seat", "puesto"),
        "seat 1": ("mano", "mano"),
        "seat 2": ("seat 2", "segundo"),
        "seat 3": ("seat 3", "tercero"),
        "seat 4": ("postre", "postre"),
        "all seats": ("the four seats", "los cuatro puestos"),
        "right": ("right", "derecha"),
        "partner": ("partner", "compañero"),
        "left": ("left", "izquierda"),
        "seen": ("seen", "vistas"),
        "player": ("player", "jugador"),
        "condition": ("condition", "condición"),
        "hands": ("hands", "manos"),
        "hands of": ("{hands} of {of_hands}", "{hands} de {of_hands}"),
        "possible": ("can be\ndealt", "se pueden\nrepartir"),
        "share of deals": ("% of deals", "% de repartos"),
        "together": ("together", "a la vez"),
        "leaves": (
            "{hands} of {of_hands} hands, {share} % of deals",
            "{hands} de {of_hands} manos, {share} % de repartos",
        ),
        "leaves weighted": (
            "{hands} of {of_hands} hands, {share} % of deals by weight",
            "{hands} de {of_hands} manos, {share} % de repartos por su peso",
        ),
        "of all": ("{share} % of all", "{share} % de todos"),
        "by weight": ("shares of deals are by weight", "los repartos cuentan por su peso"),
        "certain": (
            "all four hands are known: the answer is certain",
            "se conocen las cuatro manos: la respuesta es segura",
        ),
        "kings": ("{} kings", "{} reyes"),
        "real ten": ("real with any ten", "real con cualquier carta de diez"),
        "real jack": ("real with any jack", "real con cualquier sota"),
        "real coins": ("real with the jack of coins", "real con la sota de oros"),
        "simulated deals": (
            "{deals} deals simulated, seed {seed}, ± 95 %",
            "{deals} repartos simulados, semilla {seed}, ± al 95 %",
        ),
        "simulated deals each": (
            "{deals} deals simulated for each seat, seed {seed}, ± 95 %",
            "{deals} repartos simulados por puesto, semilla {seed}, ± al 95 %",
        ),
        "partial deals": (
            "partial: interrupted after {deals} deals, seed {seed}, ± 95 %",
            "parcial: interrumpido tras {deals} repartos, semilla {seed}, ± al 95 %",
        ),
        "exact deals": ("exact over {deals} deals", "exacto sobre {deals} repartos"),
        "stones line": (
            "stones if every lance is passed: us {us}, them {them}, difference {difference}",
            "piedras si todo queda en paso: nosotros {us}, ellos {them}, diferencia {difference}",
        ),
        "stones": ("stones", "piedras"),
        "exact aside": ("(exact {})", "(exacto {})"),
        "yes": ("yes", "sí"),
        "no": ("no", "no"),
        "none": ("none", "libre"),
        "not said": ("–", "–"),
        "rules preset": ("preset", "reglas"),
        "rules kings": ("kings", "reyes"),
        "rules real": ("real", "real"),
        "rules target": ("target", "tantos"),
        "rules max_mus": ("most\nmuses", "más\nmuses"),
        "rules senas": ("señas", "señas"),
        "rules games": ("games\nto win", "juegos"),
        "rules raise_minimum": ("least\nraise", "sube\nde a"),
        "rules bet_limit": ("bet\nlimit", "tope"),
        "rules answer": ("a bet is\nanswered by", "responde\nal envite"),
        "rules first_mano": ("first\nmano", "primer\nmano"),
        "off": ("off", "no"),
        "ten": ("ten", "diez"),
        "jack": ("jack", "sota"),
        "coins": ("coins", "oros"),
        "bolder": ("the bolder", "el valiente"),
        "one-accepts": ("one accepts", "basta uno"),
        "all-refuse": ("all refuse", "niegan todos"),
        "drawn": ("drawn", "sorteo"),
        "cutter": ("cutter", "corta"),
    }
)


@dataclass(frozen=True)
class Words:
    """One language.

    Attributes:
        lang: ``en`` or ``es``.
    """

    lang: str = "en"

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key of the catalogue, with its blanks filled."""
        text = self.pick(*_WORDS[key])
        return text.format(**values) if values else text

    def pick(self, english: str, spanish: str) -> str:
        """The text in this language."""
        return spanish if self.lang == "es" else english

    def number(self, value: float, decimals: int = 0, *, sign: bool = False) -> str:
        """A number with its thousands apart: 1,234.50 in English, 1.234,50 in Spanish."""
        text = f"{value:{'+' if sign else ''},.{decimals}f}"
        if float(text.replace(",", "")) == 0:  # neither "-0.00" nor "+0.00"
            text = text.lstrip("+-")
        return text.translate(str.maketrans(",.", ".,")) if self.lang == "es" else text

    def count(self, value: float) -> str:
        """A number of deals; whole unless conditions are weighted."""
        return self.number(value, 0 if float(value).is_integer() else 2)

    def percent(self, share: float, decimals: int = 2) -> str:
        """A simulated share of 1 in percent."""
        return self.number(100 * share, decimals)

    def sure_percent(self, share: float, decimals: int = 2) -> str:
        """An exact share of 1 in percent, which tells certainty from what merely rounds to it.

        Never and always are ``0`` and ``100``; a share that is neither but rounds to one of them is
        ``<0.01`` or ``>99.99``. Padded so that the units stand under each other.
        """
        step = 10.0**-decimals
        if share in (0, 1):
            return f"{round(100 * share)}" + " " * (decimals + 1)
        text = self.number(100 * share, decimals)
        if text == self.number(0, decimals):
            return "<" + self.number(step, decimals)
        if text == self.number(100, decimals):
            return ">" + self.number(100 - step, decimals)
        return text

    def up(self, value: float, decimals: int) -> str:
        """A margin, rounded up so that it never claims too much."""
        unit = 10.0**decimals
        return self.number(ceil(round(value * unit, 6)) / unit, decimals)
