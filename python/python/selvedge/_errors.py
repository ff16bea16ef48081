"""What can go wrong. A file that cannot be read is an `OSError`, as everywhere in Python."""

from __future__ import annotations

from ._answers import Diagnostic


class Error(Exception):
    """Selvedge cannot do what it was asked."""


class InputError(Error):
    """The program or the table is wrong; as a string, with the lines that are wrong below each other."""

    #: All mistakes and warnings that have a place; empty if what is wrong has none.
    diagnostics: list[Diagnostic]

    def __init__(self, message: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(message, diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return str(self.args[0])


class OptionError(Error, ValueError):
    """An option is wrong, or does not go with the others or with the program."""


class InternalError(Error):
    """A bug in Selvedge. Please report it, with the program and the message."""
