"""Answers as plain values: the objects of `selvedge --format json`, with names in the place of keys."""

from __future__ import annotations

import builtins
import html
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, Union

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]

#: What is known. Only `safe` is a proof; of `bounded` and `unknown` the program may still go wrong.
Verdict = Literal["safe", "bounded", "unsafe", "nonterminating", "unknown"]

#: What a bound counts, and how many: `{"contexts": 3}`, `{"rounds": 9, "delays": 2}`.
Bound = Dict[str, int]

#: What a variable holds: an integer, a truth value, a name (an enumerator, `free` or `held` of a lock), a list for an
#: array; `None` if it may hold any value yet.
Value = Union[int, bool, str, None, List["Value"]]


@dataclass(frozen=True)
class Diagnostic:
    """A mistake or a warning, and where it is."""

    file: str
    #: Counted from 1.
    line: int
    #: In characters, counted from 1.
    column: int
    severity: Literal["error", "warning"]
    message: str
    #: What to do about it.
    hint: Optional[str]


@dataclass(frozen=True)
class Observation:
    """What is reached at a bound. Numbers are `None` where there are infinitely many, or they are not known."""

    bound: Bound
    states: Optional[int]
    visible: Optional[int]
    #: How many of the visible states need this bound.
    new_visible: Optional[int]


@dataclass(frozen=True)
class Frame:
    """A frame of a stack: a call that has not returned."""

    #: A procedure with a line, or a symbol of a table.
    place: str
    line: Optional[int]
    #: The local variables that are still needed.
    values: Dict[str, Value]


@dataclass(frozen=True)
class CallStack:
    """The stack of a thread."""

    #: How many frames it has; 0 if the thread has ended.
    depth: int
    #: Top first: all of them, or the first 40.
    frames: list[Frame]


@dataclass(frozen=True)
class Step:
    """One step of a run, and what is there after it."""

    thread: str
    #: Counted from 1.
    context: int
    #: The statement; several, separated by `; `, for an atomic block.
    step: str
    line: Optional[int]
    #: The shared variables.
    shared: Dict[str, Value]
    #: The stack of each thread.
    stacks: list[CallStack]


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


#: Readable on light and on dark paper.
_COLOURS: Dict[Verdict, str] = {
    "safe": "#2e8540",
    "bounded": "#b07d12",
    "unsafe": "#d0342c",
    "nonterminating": "#d0342c",
    "unknown": "#b07d12",
}


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
class LassoThread:
    """What a thread does in the periods of a run that never ends."""

    thread: str
    part: Literal["acts", "waits", "hindered", "starved", "ended"]
    #: By how many frames its stack grows in each period.
    grows: int


@dataclass(frozen=True)
class Lasso:
    """A run that never ends: a stem, and a period that is repeated for ever."""

    fairness: Literal["strong", "weak", "none"]
    #: Whether threads were allowed to have ended.
    ended: bool
    stem: list[Step]
    period: list[Step]
    threads: list[LassoThread]


@dataclass(frozen=True, repr=False)
class Answer:
    """The answer to a question about a program. As a string, it is what the command `selvedge` prints.

    An answer is neither true nor false: `if answer:` is a `TypeError`, for what is unknown is not safe. Compare
    `answer.verdict`.
    """

    file: str
    verdict: Verdict
    #: What was found or proved, or why neither, in a sentence.
    sentence: str
    #: What was asked, or decided of it: `assertions`, targets, `deadlock`, `wait-deadlock`, `fair-termination`; several are separated by
    #: `; `.
    property: str
    engine: Optional[str]
    #: safe: where the visible states collapsed; unsafe: the smallest that shows it; bounded: what was asked for;
    #: unknown: the largest that was completed.
    bound: Optional[Bound]
    observations: list[Observation]
    #: How many states the engine stored, if it stores any: fewer than there are if threads are interchangeable.
    stored_states: Optional[int]
    #: How states were left out: `local-steps`, `movers`, `stubborn-sets`. Observations then count what is left.
    reductions: list[str]
    #: Under which the answer was found, beside the bound: `at most 2 of the started threads act`.
    assumption: Optional[str]
    #: Why it is not known whether there are deadlocks, where the verdict is about the rest of what was asked.
    undecided: Optional[str]
    #: unknown: why; unsafe: why there is no trace, if there is none.
    reason: Optional[str]
    #: unsafe: which of the properties is broken.
    broken: Optional[str]
    #: unsafe: what goes wrong, or which target is reached.
    violation: Optional[str]
    #: unsafe: where the values come from that the failing condition reads, if that is known.
    why: list[str]
    #: safe: why, in a sentence.
    proof: Optional[str]
    #: safe, bounded: what some schedule reaches: `schedules`, `assertions`, `reached`, `unreached_lines`, `unexecuted_lines`.
    coverage: Optional[Dict[str, Any]]
    #: safe: the bound after which no visible state is new, if that is known.
    collapse: Optional[Bound]
    time_s: Optional[float]
    peak_memory_bytes: Optional[int]
    #: unsafe: the violation, step by step.
    trace: Optional[list[Step]]
    #: nonterminating: the run.
    lasso: Optional[Lasso]
    #: `livelock`: which runs were looked for, their `fairness` and whether threads may have `ended`.
    asked: Optional[Dict[str, Any]]
    #: What the answer rests on, for `selvedge recheck`: a text in JSON, if it was asked for and there is some.
    evidence: Optional[str]
    #: What the person who asked should know: that there is nothing to violate, for example.
    notes: list[str]
    _text: str = field(compare=False)
    _json: str = field(compare=False)

    @builtins.property
    def new_visible(self) -> list[Optional[int]]:
        """How many visible states are new at each bound: the observation sequence."""
        return [seen.new_visible for seen in self.observations]

    def table(self) -> Table:
        """The violation as a table; of a run that never ends, its stem and its period once. Without a run, it is empty."""
        steps = self.trace if self.lasso is None else self.lasso.stem + self.lasso.period
        return Table.of(steps or [])

    def to_json(self) -> str:
        """The object that `selvedge --format json` prints; its `evidence`, the name of a file there, is null."""
        return self._json

    def counts(self) -> Table:
        """The observations as a table: a row for each bound, with what it counts, `states`, `visible` and `new_visible`."""
        return Table(
            {**seen.bound, "states": seen.states, "visible": seen.visible, "new_visible": seen.new_visible}
            for seen in self.observations
        )

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, the run if there is one, and all that the command line says, folded."""
        run = self.table()
        return (
            f'<p><b style="color: {_COLOURS[self.verdict]}">{self.verdict}</b>: {html.escape(self.sentence)}</p>'
            + (run._repr_html_() if run else "")
            + f"<details><summary>the whole answer</summary><pre>{html.escape(self._text)}</pre></details>"
        )

    def __repr__(self) -> str:
        return f"<Answer {self.verdict}: {self.sentence}>"

    def __bool__(self) -> bool:
        raise TypeError("an answer is neither true nor false: compare `answer.verdict`, for example with 'safe'")


@dataclass(frozen=True)
class Recheck:
    """What came of checking evidence. Neither true nor false either: see `accepted`."""

    accepted: bool
    #: The verdict that the evidence shows.
    verdict: Optional[Verdict]
    #: What was checked, in a sentence.
    checked: Optional[str]
    #: Why it is refused.
    reason: Optional[str]

    def __bool__(self) -> bool:
        raise TypeError("this is neither true nor false: see `accepted`, and `verdict` for what is shown")


def _answer(text: str, sentence: str, evidence: Optional[str], notes: list[str], object: str) -> Answer:
    """The answer that an object in JSON stands for; called by the native module."""
    found: Dict[str, Any] = json.loads(object)
    del found["selvedge"]
    lasso = found.pop("lasso", None)
    asked = found.pop("asked", None)
    # No command line asked.
    found.pop("command", None)
    found["evidence"] = evidence
    found["observations"] = [Observation(**seen) for seen in found["observations"]]
    found["trace"] = None if found["trace"] is None else _steps(found["trace"])
    return Answer(**found, lasso=_lasso(lasso), asked=asked, sentence=sentence, notes=notes, _text=text, _json=object)


def _lasso(found: Optional[Dict[str, Any]]) -> Optional[Lasso]:
    if found is None:
        return None
    return Lasso(
        fairness=found["fairness"],
        ended=found["ended"],
        stem=_steps(found["stem"]),
        period=_steps(found["period"]),
        threads=[LassoThread(**thread) for thread in found["threads"]],
    )


def _steps(found: list[Dict[str, Any]]) -> list[Step]:
    return [Step(**{**step, "stacks": [_stack(stack) for stack in step["stacks"]]}) for step in found]


def _stack(found: Dict[str, Any]) -> CallStack:
    return CallStack(depth=found["depth"], frames=[Frame(**frame) for frame in found["frames"]])
