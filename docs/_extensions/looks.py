"""The look of the pictures in the gallery, and thumbnails without text, which nobody could read."""

from io import BytesIO
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import matplotlib_scraper

from budgetrs._style import COLOURS, SETTINGS

SIDES = ("labelbottom", "labelleft", "labelright", "labeltop")
THUMBNAILS: dict[Path, bytes] = {}  # of the examples that have run


def reset(_conf: Any, _name: str) -> None:
    """Set the styles of matplotlib before each example."""
    import matplotlib as mpl

    mpl.rcParams.update(
        {
            **SETTINGS,
            "axes.prop_cycle": mpl.cycler(color=COLOURS),
            "figure.dpi": 100,
            "savefig.dpi": 100,
            "figure.constrained_layout.use": True,
        }
    )


def scrape(block: Any, variables: dict[str, Any], conf: dict[str, Any], **options: Any) -> str:
    """Save the figures of a block as sphinx-gallery does, and draw the thumbnail from the first one."""
    import matplotlib.pyplot as plt

    figures = [plt.figure(number) for number in plt.get_fignums()]
    images = matplotlib_scraper(block, variables, conf, **options)
    example = Path(variables["src_file"])
    if figures and example not in THUMBNAILS:
        THUMBNAILS[example] = thumbnail(figures[0])
    return images


def thumbnail(figure: Any) -> bytes:
    """Draw a figure in the size of a thumbnail, without text and legends."""
    from matplotlib.legend import Legend
    from matplotlib.text import Text

    for axes in figure.axes:
        axes.tick_params(which="both", **dict.fromkeys(SIDES, False))
    for each in figure.findobj(lambda artist: isinstance(artist, Legend | Text)):
        each.set_visible(False)
    figure.set_size_inches(4, 2.8)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=100)
    return drawn.getvalue()


def write_thumbnails(app: Any) -> None:
    """Replace the thumbnails, which sphinx-gallery has scaled down with their text."""
    for example, picture in THUMBNAILS.items():
        name = f"sphx_glr_{example.stem}_thumb.png"
        Path(app.srcdir, "gallery", "images", "thumb", name).write_bytes(picture)


def setup(app: Any) -> dict[str, bool]:
    """Write the thumbnails after the examples have run."""
    app.connect("builder-inited", write_thumbnails, priority=900)
    return {"parallel_read_safe": True}
