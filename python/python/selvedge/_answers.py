"""Answers as plain values: the objects of `selvedge --format json`, with names in the place of keys."""

from __future__ import annotations

import builtins
import html
import json
from dataclasses import dataclass, field
from typing import Any, Dict, Literal, Optional

from ._tables import Bound, Observation, Plot, Table, Value, _plotted

#: What is known. Only `safe` is a proof; of `bounded` and `unknown` the program may still go wrong.
Verdict = Literal["safe", "bounded", "unsafe", "nonterminating", "unknown"]

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


#: Readable on light and on dark paper.
_COLOURS: Dict[Verdict, str] = {
    "safe": "#2e8540",
    "bounded": "#b07d12",
    "unsafe": "#d0342c",
    "nonterminating": "#d0342c",
    "unknown": "#b07d12",
}


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
    #: The command line that asks again, if the program came from a file.
    command: Optional[str]
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

    def plot(self) -> Plot:
        """The observations as a picture. Raises `ValueError` if the engine has seen nothing bound by bound: ask `Program.table`."""
        return _plotted(self.file, self.observations)

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
class Progress:
    """How far a run is: what the function is told that is given as `progress`."""

    #: Since the question was asked.
    time_s: float
    #: What Selvedge has in this process.
    memory_bytes: int
    #: How many moves the engines have made, all together.
    moves: int
    #: What was completed, or is tried, in words.
    doing: str
    #: What is reached at a bound, if that was completed just now.
    observation: Optional[Observation]


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
    # Left out where the program came from no file.
    command = found.pop("command", None)
    found["evidence"] = evidence
    found["observations"] = [Observation(**seen) for seen in found["observations"]]
    found["trace"] = None if found["trace"] is None else _steps(found["trace"])
    return Answer(
        **found,
        lasso=_lasso(lasso),
        asked=asked,
        sentence=sentence,
        notes=notes,
        command=command,
        _text=text,
        _json=object,
    )


def _progress(time_s: float, memory_bytes: int, moves: int, doing: str, seen: Optional[str]) -> Progress:
    """How far a run is; called by the native module."""
    observation = None if seen is None else Observation(**json.loads(seen))
    return Progress(time_s, memory_bytes, moves, doing, observation)


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
