import os
from collections.abc import Mapping
from typing import Literal, Optional, Union, final

from ._answers import Answer, Diagnostic, Recheck

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

def engines() -> list[str]: ...
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
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
        jobs: Optional[int] = None,
        evidence: bool = False,
        solver: str = "z3",
        predicates: Literal["auto", "given"] = "auto",
        observe: Optional[str] = None,
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
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
        jobs: Optional[int] = None,
        evidence: bool = False,
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
    ) -> Answer: ...
    def recheck(
        self,
        evidence: str,
        *,
        deadlock: bool = False,
        solver: str = "z3",
        timeout: Optional[float] = None,
        memory: Optional[int] = None,
    ) -> Recheck: ...
