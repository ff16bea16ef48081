"""Selvedge: a verifier for concurrent programs with recursion.

>>> import selvedge
>>> program = selvedge.parse("bool done; void main() { done := true; assert done; } thread main;")
>>> program.verify().verdict
'safe'

A program comes from `load` or `parse`; its methods `verify`, `check` and `livelock` return an `Answer`;
`recheck` checks what such an answer rests on. `table` and `grid` tell what is reached at each bound, `simulate` runs one schedule,
`report` makes a page of an answer.
"""

from ._answers import Answer, CallStack, Diagnostic, Frame, Lasso, LassoThread, Progress, Recheck, Step, Verdict
from ._errors import Error, InputError, InternalError, OptionError
from ._native import Program, __version__, engines, load, parse
from ._reports import Report, Simulation
from ._tables import (
    Bound,
    GridCell,
    Observation,
    ObservationGrid,
    ObservationRow,
    ObservationTable,
    Plot,
    Table,
    Value,
)

__all__ = [
    "Answer",
    "Bound",
    "CallStack",
    "Diagnostic",
    "Error",
    "Frame",
    "GridCell",
    "InputError",
    "InternalError",
    "Lasso",
    "LassoThread",
    "Observation",
    "ObservationGrid",
    "ObservationRow",
    "ObservationTable",
    "OptionError",
    "Plot",
    "Program",
    "Progress",
    "Recheck",
    "Report",
    "Simulation",
    "Step",
    "Table",
    "Value",
    "Verdict",
    "__version__",
    "engines",
    "load",
    "parse",
]
