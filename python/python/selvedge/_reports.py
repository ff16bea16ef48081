"""Reports to hand on, and single runs."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Literal, Optional, Union

from ._answers import Answer, Step, _steps
from ._tables import Table


@dataclass(frozen=True, repr=False)
class Report:
    """An answer as one file: a page that needs no network and no other file, Markdown, or SARIF for code hosts.

    `save` writes it, and the ending of the name says how; in a notebook, the page shows itself.
    """

    answer: Answer
    html: str = field(compare=False)
    markdown: str = field(compare=False)
    sarif: str = field(compare=False)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the report; a name that ends with `.html` is that of a page, `.md` that of Markdown, `.sarif` that of SARIF."""
        kinds = {".html": self.html, ".htm": self.html, ".md": self.markdown, ".sarif": self.sarif}
        text = kinds.get(Path(path).suffix)
        if text is None:
            raise ValueError(
                f"{os.fspath(path)}: the ending says how the report is written: .html for a page, .md for Markdown, .sarif for a code host"
            )
        Path(path).write_text(text, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Report {self.answer.verdict}: {self.answer.sentence}>"

    def _repr_html_(self) -> str:
        # In a frame of its own: styles and scripts of the page stay there.
        page = html.escape(self.html)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width: 100%; height: 40em; border: 1px solid gray"></iframe>'


@dataclass(frozen=True, repr=False)
class Simulation:
    """One run, step by step. As a string, it is a table of its steps, and how it ended."""

    file: str
    #: How it ended: something is `wrong`, all threads have `ended`, none can act (`deadlock`), what comes next is `unknown`, so many
    #: `steps` were taken, or the `schedule` was at its end.
    outcome: Literal["wrong", "ended", "deadlock", "idle", "unknown", "steps", "schedule", "interrupted"]
    #: How it ended, in words.
    reason: str
    #: The seed of a random run: the same seed gives the same run.
    seed: Optional[int]
    contexts: int
    trace: list[Step]
    #: The schedule that leads along the same run, for `simulate(schedule=...)` or `selvedge simulate --schedule`.
    schedule: str
    _json: str = field(compare=False)

    def table(self) -> Table:
        """The run as a table, a row for each step."""
        return Table.of(self.trace)

    def to_pandas(self) -> Any:
        """`table()` as a data frame. Needs `pandas`."""
        return self.table().to_pandas()

    def to_json(self) -> str:
        """The object that `selvedge simulate --format json` prints."""
        return self._json

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self._end()}"

    def __repr__(self) -> str:
        return f"<Simulation, {self._end()}>"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + f"<p>{html.escape(self._end())}</p>"

    def _end(self) -> str:
        steps, contexts = len(self.trace), self.contexts
        return f"{_count(steps, 'step')} in {_count(contexts, 'context')}: {self.reason}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")


def _simulation(schedule: str, object: str) -> Simulation:
    """The run that an object in JSON stands for; called by the native module."""
    found: Dict[str, Any] = json.loads(object)
    del found["selvedge"]
    found["trace"] = _steps(found["trace"])
    return Simulation(**found, schedule=schedule, _json=object)
