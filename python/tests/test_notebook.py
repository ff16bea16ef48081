"""The notebook among the examples, executed cell by cell, as a notebook does: the value of the last expression is shown."""

from __future__ import annotations

import ast
import importlib.util
import json
from typing import Any, Dict, List

import pytest
from conftest import ROOT


def executed(source: str, names: Dict[str, Any]) -> Any:
    """The value of the last statement of a cell, if it is an expression."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "cell", "exec"), names)
        return None
    tree.body.pop()
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def shown(name: str) -> List[Any]:
    """What the cells of a notebook show."""
    notebook = json.loads((ROOT / "python" / "examples" / name).read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names: Dict[str, Any] = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] for cell in cells), "outputs are not kept"
    return [executed("".join(cell["source"]), names) for cell in cells]


def test_the_first_notebook_shows_an_answer() -> None:
    answer, counts, table, picture = shown("first.ipynb")
    page = answer._repr_html_()
    assert "unsafe</b>: " in page and "<td>count := seen + 1</td>" in page and "<details>" in page
    assert counts == [("worker#2", 1), ("worker#1", 1)]
    assert [row["new_visible"] for row in table.counts()] == [1, 2, 3, 0, 1, 1]
    assert "<th>contexts</th>" in table._repr_html_()
    assert picture._repr_svg_().startswith("<svg")


def test_a_kernel_shows_an_answer() -> None:
    """As Jupyter executes it: a kernel in a process of its own says what each cell shows."""
    if importlib.util.find_spec("nbclient") is None or importlib.util.find_spec("ipykernel") is None:
        pytest.skip("there is no nbclient with ipykernel")
    import nbclient
    import nbformat

    read: Any = nbformat.read
    notebook: Any = read(ROOT / "python" / "examples" / "first.ipynb", as_version=4)
    # The kernel of this Python, whatever kernels the machine knows.
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    client: Any = nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(ROOT)}})
    client.execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    answer, _, table, picture = ([out.data for out in cell.outputs if "data" in out] for cell in cells)
    assert "unsafe</b>: " in answer[-1]["text/html"] and "<td>count := seen + 1</td>" in answer[-1]["text/html"]
    assert "<th>new_visible</th>" in table[-1]["text/html"]
    assert picture[-1]["image/svg+xml"].startswith("<svg")
