"""Selvedge: a verifier for concurrent programs with recursion.

>>> import selvedge
>>> program = selvedge.parse("bool done; void main() { done := true; assert done; } thread main;")
>>> program.verify().verdict
'safe'

A program comes from `load` or `parse`; its methods `verify`, `check` and `livelock` return an `Answer`;
`recheck` checks what such an answer rests on.
"""

from ._answers import (
    Answer,
    Bound,
    CallStack,
    Diagnostic,
    Frame,
    Lasso,
    LassoThread,
    Observation,
    Recheck,
    Step,
    Table,
    Value,
    Verdict,
)
from ._errors import Error, InputError, InternalError, OptionError
from ._native import Program, __version__, engines, load, parse

__all__ = [
    "Answer",
    "Bound",
    "CallStack",
    "Diagnostic",
    "Error",
    "Frame",
    "InputError",
    "InternalError",
    "Lasso",
    "LassoThread",
    "Observation",
    "OptionError",
    "Program",
    "Recheck",
    "Step",
    "Table",
    "Value",
    "Verdict",
    "__version__",
    "engines",
    "load",
    "parse",
]
