"""Plots an observation sequence: how many visible states there are at each bound, and how many are new.

    python plot_observations.py examples/cuba/fig1.cpds --contexts 6
    python plot_observations.py examples/cuba/fig1.cpds --contexts 6 -o fig1.svg

A chart of characters is always printed. A picture is drawn by matplotlib if that is installed; otherwise, or with
`--plain`, it is the SVG that Selvedge draws.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

import selvedge

#: One bound: its name (`3`, or `9+2` for rounds and delays), visible states, and those that are new.
Point = tuple[str, int, int]


def points(answer: selvedge.Answer) -> list[Point]:
    """What is known of each bound; a number that is infinite cannot be drawn."""
    found = []
    for seen in answer.observations:
        if seen.visible is not None and seen.new_visible is not None:
            name = "+".join(str(number) for number in seen.bound.values())
            found.append((name, seen.visible, seen.new_visible))
    return found


def chart(found: list[Point], width: int = 60) -> str:
    """A bar for what is new at each bound."""
    most = max(new for _, _, new in found) or 1
    lines = ["bound  new"]
    for name, _, new in found:
        bar = "█" * (-(-new * width // most))
        lines.append(f"{name:>5}  {new:<6} {bar}".rstrip())
    return "\n".join(lines)


def draw(title: str, found: list[Point], path: Path) -> None:
    """The same with matplotlib, in whatever format the ending of the name tells."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    names = [name for name, _, _ in found]
    axes.plot(names, [visible for _, visible, _ in found], marker="o", label="visible")
    axes.plot(names, [new for _, _, new in found], marker="o", label="new")
    axes.set(title=title, xlabel="bound", ylabel="states")
    axes.legend()
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(description="Plots an observation sequence.")
    parser.add_argument("file", help="a program or a table")
    parser.add_argument("--contexts", type=int, help="look so far; otherwise as far as a proof or a violation is")
    parser.add_argument("--timeout", type=float, default=60, help="in seconds; 60 if left out")
    parser.add_argument("-o", "--output", type=Path, help="write a picture to this file")
    parser.add_argument("--plain", action="store_true", help="without matplotlib")
    arguments = parser.parse_args()
    try:
        program = selvedge.load(arguments.file)
        if arguments.contexts is None:
            answer = program.verify(timeout=arguments.timeout)
        else:
            answer = program.check(contexts=arguments.contexts, timeout=arguments.timeout)
    except (selvedge.Error, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{answer.verdict}: {answer.sentence}")
    found = points(answer)
    if not found:
        print(f"{answer.engine} has seen nothing bound by bound: try --contexts", file=sys.stderr)
        return 1
    print(chart(found))
    if arguments.output is None:
        return 0
    if importlib.util.find_spec("matplotlib") is not None and not arguments.plain:
        draw(answer.file, found, arguments.output)
    elif arguments.output.suffix == ".svg":
        answer.plot().save(arguments.output)
    else:
        print("without matplotlib the picture is an SVG: give a name that ends with .svg", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
