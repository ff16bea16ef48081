"""Tables and grids of what is reached, pictures of them, data frames."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import pickle
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import selvedge

FIG1 = "examples/cuba/fig1.cpds"
SVG = "{http://www.w3.org/2000/svg}"


def fig1(**options: Any) -> selvedge.ObservationTable:
    return selvedge.load(FIG1).table(**options)


def test_a_table_tells_what_is_new_at_each_bound() -> None:
    table = fig1(contexts=6)
    assert table.new_visible == [1, 2, 3, 0, 1, 1]
    assert table.observations[3].plateau and not table.observations[4].plateau
    assert table.observations[3].which == []
    assert table.observations[0].which is not None and len(table.observations[0].which) == 1
    assert [row["contexts"] for row in table.counts()] == list(range(6))
    assert "contexts" in str(table) and "finite contexts" in str(table)
    assert table.finite_contexts is not None and table.finite_contexts == {"T1": True, "T2": True}
    assert "1, 2, 3, 0, 1, 1 new" in repr(table)
    assert pickle.loads(pickle.dumps(table)) == table


def test_a_table_is_that_of_the_command_line() -> None:
    """Its object and its lines have the same numbers."""
    table = fig1(contexts=6)
    found = json.loads(table.to_json())
    assert [row["new_visible"] for row in found["observations"]] == table.new_visible
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [int(row["new_visible"]) for row in rows] == table.new_visible


def test_a_table_without_a_bound_ends_where_it_has_collapsed() -> None:
    table = selvedge.load("examples/start/mutex.weave").table()
    assert table.collapse is not None and table.proof is not None and table.reason is None
    assert sum(number or 0 for number in table.new_visible) == table.observations[-1].visible


def test_generators_and_automata_are_there_if_they_are_asked_for() -> None:
    plain = fig1(contexts=2)
    assert plain.generators is None and plain.automata is None
    more = fig1(contexts=2, generators=True, automata=True)
    assert more.generators is not None and more.automata is not None


def test_rounds_are_counted_if_they_are_asked_for() -> None:
    table = fig1(rounds=2)
    assert [row.bound for row in table.observations] == [{"rounds": k} for k in range(3)]


def test_a_limit_is_the_reason_why_a_table_ends() -> None:
    table = fig1(timeout=0)
    assert table.reason is not None and "time" in table.reason


@pytest.mark.parametrize(
    "options",
    [{"contexts": 1, "rounds": 1}, {"contexts": -1}, {"rounds": 1, "generators": True}, {"engine": "lazy"}],
)
def test_options_that_make_no_table(options: Any) -> None:
    with pytest.raises(selvedge.OptionError):
        fig1(**options)


def test_a_grid_has_a_cell_for_rounds_and_delays() -> None:
    grid = selvedge.load("examples/delays/ex8.cpds").grid(rounds=2, delays=1)
    assert [(cell.bound["rounds"], cell.bound["delays"]) for cell in grid.cells] == [
        (rounds, delays) for rounds in range(3) for delays in range(2)
    ]
    assert list(grid.counts()[0]) == ["rounds", "delays", "states", "observed", "images"]
    assert "d = 1" in str(grid) and grid.to_csv().startswith("rounds,delays,")
    assert "<th>observed</th>" in grid._repr_html_()
    assert len(json.loads(grid.to_json())["cells"]) == len(grid.cells)
    assert pickle.loads(pickle.dumps(grid)) == grid


def test_a_notebook_shows_tables() -> None:
    shown = fig1(contexts=6)._repr_html_()
    assert "<th>new_visible</th>" in shown and "<details>" in shown
    ElementTree.fromstring(f"<div>{shown}</div>")


def test_pictures(tmp_path: Path) -> None:
    picture = fig1(contexts=6).plot()
    assert selvedge.load(FIG1).check(contexts=5).plot().svg == picture.svg
    tree = ElementTree.fromstring(picture._repr_svg_())
    texts = [text.text for text in tree.iter(f"{SVG}text")]
    assert f"Observations: {FIG1}" in texts and "bound, contexts" in texts
    # Six bounds and a line of the legend, for states, visible ones and new ones.
    points = [mark for mark in tree.iter(f"{SVG}path") if mark.get("class", "").startswith("point")]
    assert len(points) == 3 * 7
    picture.save(tmp_path / "fig1.svg")
    assert (tmp_path / "fig1.svg").read_text(encoding="utf-8") == picture.svg
    with pytest.raises(ValueError, match=r"\.svg"):
        picture.save(tmp_path / "fig1.png")


def test_what_was_not_seen_has_no_picture() -> None:
    answer = selvedge.load("examples/livelock/fig1b.weave").livelock()
    with pytest.raises(ValueError, match="Program.table"):
        answer.plot()


def test_data_frames() -> None:
    if importlib.util.find_spec("pandas") is None:
        pytest.skip("there is no pandas")
    frame: Any = fig1(contexts=6).to_pandas()
    assert list(frame["new_visible"]) == [1, 2, 3, 0, 1, 1]
    assert int(frame["visible"].iloc[-1]) == int(frame["new_visible"].sum())
    run: Any = selvedge.load("examples/start/race.weave").verify().table().to_pandas()
    changes: Any = run[run["count"].diff() == 1]
    assert list(changes["thread"]) == ["worker#2"] and list(changes["line"]) == [15]
    walk: Any = selvedge.load("examples/start/race.weave").simulate(seed=1).to_pandas()
    assert list(walk.columns[:4]) == ["context", "thread", "line", "step"]
    grid: Any = selvedge.load("examples/delays/ex8.cpds").grid(rounds=2, delays=1).to_pandas()
    assert grid.pivot(index="rounds", columns="delays", values="observed").shape == (3, 2)
