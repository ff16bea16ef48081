"""What is written about the package, executed: the page of the book, docstrings, the example; and its types."""

from __future__ import annotations

import doctest
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import selvedge
from conftest import ROOT

PLOT = ROOT / "python/examples/plot_observations.py"
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_snippets(name: str, text: str) -> int:
    """Runs what stands between ```pycon and ```, all in one session; how many examples there are."""
    fences = re.findall(r"^```pycon\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    session = doctest.DocTestParser().get_doctest("\n".join(fences), {}, name, name, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(session, out=said.append)
    assert result.failed == 0, "".join(said)
    return result.attempted


@pytest.mark.parametrize("page, least", [("docs/python.md", 15), ("README.md", 2), ("python/README.md", 2)])
def test_the_snippets_of(page: str, least: int) -> None:
    assert run_snippets(page, (ROOT / page).read_text(encoding="utf-8")) >= least


def test_snippets_that_are_wrong_are_found() -> None:
    with pytest.raises(AssertionError):
        run_snippets("wrong", "```pycon\n>>> 1 + 1\n3\n```\n")


def test_docstrings() -> None:
    result = doctest.testmod(selvedge, optionflags=OPTIONS)
    assert result.attempted >= 3 and result.failed == 0
    for what in [selvedge.load, selvedge.parse, selvedge.Program]:
        assert what.__doc__ and len(what.__doc__) > 40
    for name in ["verify", "check", "livelock", "table", "grid", "simulate", "report", "recheck", "file", "warnings"]:
        assert getattr(selvedge.Program, name).__doc__, name


def test_every_name_is_there() -> None:
    assert all(hasattr(selvedge, name) for name in selvedge.__all__)
    assert selvedge.__version__.count(".") == 2


def plot(*arguments: str) -> str:
    result = subprocess.run([sys.executable, PLOT, *arguments], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_example_draws_a_chart_of_characters() -> None:
    said = plot("examples/cuba/fig1.cpds", "--contexts", "6")
    rows = [line.split() for line in said.splitlines() if re.match(r" *\d+ ", line)]
    assert [(row[0], row[1]) for row in rows] == [(str(k), str(n)) for k, n in enumerate([1, 2, 3, 0, 1, 1, 0])]
    assert [len("".join(row[2:])) for row in rows][2] == max(len("".join(row[2:])) for row in rows)


def test_the_example_draws_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "fig1.svg"
    plot("examples/cuba/fig1.cpds", "--contexts", "6", "--plain", "-o", str(picture))
    tree = ElementTree.parse(picture)
    classes = [element.get("class", "") for element in tree.iter()]
    assert len([name for name in classes if name.startswith("line")]) >= 2


def test_the_example_draws_with_matplotlib(tmp_path: Path) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("there is no matplotlib")
    picture = tmp_path / "fig1.png"
    plot("examples/cuba/fig1.cpds", "--contexts", "6", "-o", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_example_says_what_is_wrong(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, PLOT, str(tmp_path / "nothing.weave")], capture_output=True, text=True, timeout=120
    )
    assert result.returncode != 0 and "nothing.weave" in result.stderr and "Traceback" not in result.stderr


def mypy(module: str, *arguments: str) -> None:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("there is no mypy")
    command = [sys.executable, "-m", module, *arguments]
    result = subprocess.run(command, cwd=ROOT / "python", capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr


def test_stubs_are_true() -> None:
    """The compiled module has the names, the parameters and the defaults that the stubs tell."""
    mypy("mypy.stubtest", "selvedge._native", "--allowlist", "tests/stubtest.txt", "--ignore-unused-allowlist")


def test_types_are_strict() -> None:
    mypy("mypy", "-p", "selvedge")
    mypy("mypy", "examples", "tests")
