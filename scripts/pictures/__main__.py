"""Draw the pictures of the readme and of the site into docs/pictures.

    python -m scripts.pictures [NAME ...]

Run it from the root of the repository, after a benchmark has written new results. Each picture is drawn for
light and for dark pages.
"""

import argparse

from . import board, charts, diagrams, results
from .page import save

PICTURES = {
    "growth": lambda page: charts.growth(page, results.growth()),
    "streams": lambda page: charts.streams(page, *results.streams()),
    "peers": lambda page: charts.peers(page, {name: results.peers(name) for name in charts.SETS}),
    "cost": lambda page: charts.cost(page, results.cost()),
    "checkerboard": board.draw,
    "online-kernel": diagrams.online_kernel,
    "choosing": diagrams.choosing,
    "service": diagrams.service,
}


def main() -> None:
    """Draw the named pictures, or all."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.pictures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)} (all)")
    names = parser.parse_args().names
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        parser.error(f"expected one of {', '.join(PICTURES)}, got {unknown[0]!r}")
    for name in names or PICTURES:
        save(name, PICTURES[name], suffix="png" if name == "checkerboard" else "svg")


if __name__ == "__main__":
    main()
