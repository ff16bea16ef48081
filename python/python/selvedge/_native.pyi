import os
from collections.abc import Callable, Mapping
from typing import Literal, Optional, Union, final

from ._answers import Answer, Diagnostic, Progress, Recheck
from ._reports import Report, Simulation
from ._tables import ObservationGrid, ObservationTable

__version__: str

_Path = Union[str, os.PathLike[str]]
_Engine = Literal[
    "auto",
    "contexts",
    "explicit",
    "symbolic",
    "pds",
    "pds-backward",
    "lazy",
    "near",
    "eager",
    "predicates",
    "coverability",
    "delays",
    "generators",
    "cuts",
]

_Hear = Callable[[Progress], object]

def engines() -> list[str]: ...
def _plot(
    title: str, bound: str, rows: list[tuple[int, Optional[int], Optional[int], Optional[int]]]
) -> Optional[str]: ...
def load(
    path: _Path,
    *,
    threads: Optional[Mapping[str, int]] = None,
    consts: Optional[Mapping[str, int]] = None,
    init: Optional[str] = None,
    target: Optional[str] = None,
    property: Optional[str] = None,
) -> Program: ...
def parse(
    text: str,
    name: str = "program.weave",
    *,
    threads: Optional[Mapping[str, int]] = None,
    consts: Optional[Mapping[str, int]] = None,
    init: Optional[str] = None,
    target: Optional[str] = None,
    property: Optional[str] = None,
) -> Program: ...
@final
class Program:
    @property
    def file(self) -> str: ...
    @property
    def warnings(self) -> list[Diagnostic]: ...
    def verify(
        self,
        *,
        engine: _Engine = "auto",
        deadlock: Optional[bool] = None,
        symmetry: bool = True,
        reduction: bool = True,
        require_reached: bool = False,
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
        jobs: Optional[int] = None,
        evidence: bool = False,
        solver: str = "z3",
        predicates: Literal["auto", "given"] = "auto",
        observe: Optional[str] = None,
        progress: Optional[_Hear] = None,
    ) -> Answer: ...
    def check(
        self,
        *,
        contexts: Optional[int] = None,
        rounds: Optional[int] = None,
        delays: Optional[int] = None,
        started: Optional[int] = None,
        engine: _Engine = "auto",
        deadlock: bool = False,
        symmetry: bool = True,
        reduction: bool = True,
        require_reached: bool = False,
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
        jobs: Optional[int] = None,
        evidence: bool = False,
        progress: Optional[_Hear] = None,
    ) -> Answer: ...
    def livelock(
        self,
        *,
        fairness: Literal["strong", "weak", "none"] = "strong",
        none_ended: bool = False,
        stem: Optional[int] = None,
        lasso: Optional[int] = None,
        engine: Literal["auto", "exact", "rounds"] = "auto",
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
        evidence: bool = False,
        progress: Optional[_Hear] = None,
    ) -> Answer: ...
    def table(
        self,
        *,
        contexts: Optional[int] = None,
        rounds: Optional[int] = None,
        generators: bool = False,
        automata: bool = False,
        full: bool = False,
        engine: _Engine = "auto",
        symmetry: bool = True,
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
        progress: Optional[_Hear] = None,
    ) -> ObservationTable: ...
    def grid(
        self,
        *,
        rounds: int,
        delays: int,
        observe: Optional[str] = None,
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
        progress: Optional[_Hear] = None,
    ) -> ObservationGrid: ...
    def simulate(
        self,
        *,
        seed: Optional[int] = None,
        steps: Optional[int] = None,
        schedule: Optional[str] = None,
    ) -> Simulation: ...
    def report(
        self,
        *,
        contexts: Optional[int] = None,
        rounds: Optional[int] = None,
        delays: Optional[int] = None,
        livelock: bool = False,
        engine: _Engine = "auto",
        deadlock: Optional[bool] = None,
        symmetry: bool = True,
        reduction: bool = True,
        require_reached: bool = False,
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
        jobs: Optional[int] = None,
        solver: str = "z3",
        progress: Optional[_Hear] = None,
    ) -> Report: ...
    def recheck(
        self,
        evidence: str,
        *,
        deadlock: bool = False,
        solver: str = "z3",
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
    ) -> Recheck: ...
