"""Tables: runs step by step, and what is reached bound by bound; as text, as data frames, in notebooks and as pictures."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

from . import _native

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]

    from ._answers import Step

#: What a bound counts, and how many: `{"contexts": 3}`, `{"rounds": 9, "delays": 2}`.
Bound = Dict[str, int]

#: What a variable holds: an integer, a truth value, a name (an enumerator, `free` or `held` of a lock), a list for an
#: array; `None` if it may hold any value yet.
Value = Union[int, bool, str, None, List["Value"]]


@dataclass(frozen=True)
class Observation:
    """What is reached at a bound. Numbers are `None` where there are infinitely many, or they are not known."""

    bound: Bound
    states: Optional[int]
    visible: Optional[int]
    #: How many of the visible states need this bound.
    new_visible: Optional[int]


class Table(List[Dict[str, Value]]):
    """Rows with the same columns. A run has one row a step, with `context`, `thread`, `line`, `step`, and a column for each shared variable.

    As a string, it has columns; `pandas.DataFrame(table)` and `to_pandas` make a data frame of it.
    """

    @classmethod
    def of(cls, steps: list[Step]) -> Table:
        """The table of a run."""
        return cls(_row(step) for step in steps)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return list(dict.fromkeys(name for row in self for name in row))

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a data frame. Needs `pandas`."""
        import pandas

        return pandas.DataFrame(list(self), columns=self.columns)

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)

    def _repr_html_(self) -> str:
        def line(tag: str, row: list[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"

        names, *rows = self._cells()
        if not names:
            return "<p>an empty table</p>"
        return "<table>" + line("th", names) + "".join(line("td", row) for row in rows) + "</table>"

    def _cells(self) -> list[list[str]]:
        """The names of the columns, then row by row what is in them."""
        columns = self.columns
        return [columns, *([_cell(row[name]) if name in row else "" for name in columns] for row in self)]


def _row(step: Step) -> Dict[str, Value]:
    """A step as a row. A variable that is called as a column of every table is in brackets."""
    row: Dict[str, Value] = {"context": step.context, "thread": step.thread, "line": step.line, "step": step.step}
    shared = {f"({name})" if name in row else name: value for name, value in step.shared.items()}
    return {**row, **shared}


def _cell(value: Value) -> str:
    if value is None:
        return "?"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ",".join(map(_cell, value)) + "]"
    return str(value)


@dataclass(frozen=True)
class Plot:
    """A picture, which shows itself in a notebook."""

    #: The picture as SVG, with colours for light and for dark surroundings.
    svg: str

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the picture to a file, whose name ends with `.svg`."""
        if Path(path).suffix != ".svg":
            raise ValueError(f"{os.fspath(path)}: the picture is an SVG: give a name that ends with .svg")
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Plot of {len(self.svg)} characters of SVG>"


@dataclass(frozen=True)
class ObservationRow(Observation):
    """What is reached at a bound, and which of it is new."""

    #: How many of the states need this bound.
    new_states: Optional[int]
    #: Whether nothing visible is new, though more may follow.
    plateau: bool
    #: The new visible states, `⟨shared|top,top⟩`; of those that differ by an exchange of like threads, one. `None` where they are too many to
    #: be listed.
    which: Optional[list[str]]


@dataclass(frozen=True, repr=False)
class ObservationTable:
    """What is new at each bound. As a string, it is what `selvedge table` prints.

    `counts()` has the rows as a `Table`, `plot()` is a picture; in a notebook, the table shows itself.
    """

    file: str
    engine: str
    observations: list[ObservationRow]
    #: The last bound at which a visible state is new, if that is known.
    collapse: Optional[Bound]
    #: Why nothing more can follow, if that is known.
    proof: Optional[str]
    #: Whether single contexts reach finitely many states, by kind of thread; `None` if that is not known.
    finite_contexts: Optional[Dict[str, bool]]
    #: What the generator test looks at, if it was asked for: the object of `selvedge table --generators --format json`.
    generators: Optional[Dict[str, Any]]
    #: Sets of stacks, if they were asked for: the object of `selvedge table --automata --format json`.
    automata: Optional[Dict[str, Any]]
    #: Why the table ends too early, if it does.
    reason: Optional[str]
    time_s: float
    peak_memory_bytes: int
    notes: list[str]
    _text: str = field(compare=False)
    _csv: str = field(compare=False)
    _json: str = field(compare=False)

    @property
    def new_visible(self) -> list[Optional[int]]:
        """How many visible states are new at each bound: the observation sequence."""
        return [row.new_visible for row in self.observations]

    def counts(self) -> Table:
        """A row for each bound, with what it counts, `states`, `new_states`, `visible`, `new_visible` and `plateau`."""
        return Table(
            {
                **row.bound,
                "states": row.states,
                "new_states": row.new_states,
                "visible": row.visible,
                "new_visible": row.new_visible,
                "plateau": row.plateau,
            }
            for row in self.observations
        )

    def to_pandas(self) -> pandas.DataFrame:
        """`counts()` as a data frame. Needs `pandas`."""
        return self.counts().to_pandas()

    def to_csv(self) -> str:
        """What `selvedge table --format csv` prints."""
        return self._csv

    def to_json(self) -> str:
        """What `selvedge table --format json` prints."""
        return self._json

    def plot(self) -> Plot:
        """How many states are reached within each bound, as a picture. Raises `ValueError` if no number is known."""
        return _plotted(self.file, self.observations)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<ObservationTable of {self.file}: {_numbers(self.new_visible)} new visible states>"

    def _repr_html_(self) -> str:
        return self.counts()._repr_html_() + _folded(self._text)


@dataclass(frozen=True)
class GridCell:
    """What round-robin schedules reach within a number of rounds of single steps and a number of delays."""

    bound: Bound
    #: How many states.
    states: Optional[int]
    #: How many abstract states.
    observed: Optional[int]
    #: How many images it takes from the initial states.
    images: int


@dataclass(frozen=True, repr=False)
class ObservationGrid:
    """What is reached within each number of rounds and delays. As a string, it is what `selvedge table --rounds R --delays D` prints."""

    file: str
    #: What is observed; visible states if it is `None`.
    observe: Optional[str]
    #: The cells that were completed, by rounds and then by delays.
    cells: list[GridCell]
    #: The way of Alg. 1 through them: `bounds`, `plateau`, and numbers of images.
    path: Dict[str, Any]
    #: Why cells are missing, if some are.
    reason: Optional[str]
    time_s: float
    peak_memory_bytes: int
    notes: list[str]
    _text: str = field(compare=False)
    _csv: str = field(compare=False)
    _json: str = field(compare=False)

    def counts(self) -> Table:
        """A row for each cell, with `rounds`, `delays`, `states`, `observed` and `images`."""
        return Table(
            {**cell.bound, "states": cell.states, "observed": cell.observed, "images": cell.images}
            for cell in self.cells
        )

    def to_pandas(self) -> pandas.DataFrame:
        """`counts()` as a data frame. Needs `pandas`; `pivot(index="rounds", columns="delays", values="observed")` makes the grid of it."""
        return self.counts().to_pandas()

    def to_csv(self) -> str:
        """What `selvedge table --rounds R --delays D --format csv` prints."""
        return self._csv

    def to_json(self) -> str:
        """What `selvedge table --rounds R --delays D --format json` prints."""
        return self._json

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<ObservationGrid of {self.file}: {len(self.cells)} cells>"

    def _repr_html_(self) -> str:
        return self.counts()._repr_html_() + _folded(self._text)


def _folded(text: str) -> str:
    """A text that a notebook shows when it is asked for."""
    return f"<details><summary>as text</summary><pre>{html.escape(text)}</pre></details>"


def _numbers(numbers: Sequence[Optional[int]]) -> str:
    return ", ".join("?" if number is None else str(number) for number in numbers)


def _plotted(file: str, observations: Sequence[Observation]) -> Plot:
    """A picture of what is reached bound by bound."""
    # Bounds with two numbers have no axis: they stand in order.
    is_one = all(len(seen.bound) == 1 for seen in observations)
    rows = [
        (next(iter(seen.bound.values())) if is_one else place, seen.states, seen.visible, seen.new_visible)
        for place, seen in enumerate(observations)
    ]
    names = list(dict.fromkeys(name for seen in observations for name in seen.bound))
    unit = ", ".join(["bound", *names]) if is_one else "bounds in order: " + ", ".join(names)
    svg = _native._plot(f"Observations: {file}", unit, rows)
    if svg is None:
        raise ValueError("nothing was seen bound by bound: `Program.table(contexts=K)` looks at each bound")
    return Plot(svg)


def _table(text: str, csv: str, notes: list[str], object: str) -> ObservationTable:
    """The table that an object in JSON stands for; called by the native module."""
    found: Dict[str, Any] = json.loads(object)
    del found["selvedge"]
    found["observations"] = [ObservationRow(**row) for row in found["observations"]]
    finite = found["finite_contexts"]
    found["finite_contexts"] = None if finite is None else {one["thread"]: one["finite"] for one in finite}
    return ObservationTable(**found, notes=notes, _text=text, _csv=csv, _json=object)


def _grid(text: str, csv: str, notes: list[str], object: str) -> ObservationGrid:
    """The grid that an object in JSON stands for; called by the native module."""
    found: Dict[str, Any] = json.loads(object)
    del found["selvedge"], found["engine"]
    found["cells"] = [GridCell(**cell) for cell in found["cells"]]
    return ObservationGrid(**found, notes=notes, _text=text, _csv=csv, _json=object)
