"""The colours and axes of the figures, on light and dark backgrounds."""

from typing import Any, NamedTuple

INK, SOFT, GRID = "#22303c", "#6b7a88", "#d9dfe4"
BLUE, ORANGE = "#2a6f97", "#d1662a"

# The settings of matplotlib for figures that are drawn without these functions: gallery and experiments.
SETTINGS: dict[str, Any] = {
    "figure.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GRID,
    "axes.labelcolor": SOFT,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "grid.color": GRID,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "text.color": INK,
    "font.size": 10.5,
    "legend.frameon": False,
}
COLOURS = (BLUE, ORANGE, "#5b8c5a", "#9c6f9c", "#b0892f", SOFT)

# The luminance of red, green and blue light (Rec. 709).
_LUMINANCE = (0.2126, 0.7152, 0.0722)


class Shades(NamedTuple):
    """The colours that depend on the background."""

    paper: str
    ink: str
    soft: str
    grid: str
    blue: str
    orange: str
    is_dark: bool


_LIGHT = Shades("#ffffff", INK, SOFT, GRID, BLUE, ORANGE, False)
_DARK = Shades("#000000", "#eef2f5", "#a9b6c2", "#3a444d", "#6db6e0", "#f0955c", True)


def shades(axes: Any) -> Shades:
    """Return the colours that are readable on the background of these axes."""
    from matplotlib import rcParams
    from matplotlib.colors import to_hex, to_rgba

    # A transparent background shows the page, which is white unless the style's text is light.
    for colour in (axes.get_facecolor(), axes.figure.get_facecolor()):
        red, green, blue, opacity = to_rgba(colour)
        if opacity > 0.5:
            found = _DARK if _luminance((red, green, blue)) < 0.4 else _LIGHT
            return found._replace(paper=to_hex((red, green, blue)))
    return _DARK if _luminance(to_rgba(rcParams["text.color"])[:3]) > 0.5 else _LIGHT


def _luminance(colour: tuple[float, ...]) -> float:
    return sum(part * light for part, light in zip(_LUMINANCE, colour, strict=True))


def new_axes(height: float = 5.2) -> Any:
    """Create the axes of a new figure of this height in inches."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("a picture needs matplotlib: pip install 'budgetrs[plot]'") from error
    figure, axes = pyplot.subplots(figsize=(7.2, height))
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.12)
    plain(axes)
    return axes


def check_axes(ax: Any) -> None:
    """Raise unless a value is None or matplotlib axes."""
    if ax is not None and not hasattr(ax, "get_facecolor"):
        raise TypeError(f"ax must be matplotlib axes or None, got {ax!r}")


def dress(axes: Any, title: str | None = None, *, grid: Any = None) -> None:
    """Set the title, the colours of labels and ticks, and the lines of the grid: "x", "y" or "both"."""
    colours = shades(axes)
    if title is not None:
        axes.set_title(title, loc="left", color=colours.ink)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set_color(colours.soft)
    axes.tick_params(which="both", colors=colours.soft)
    if grid is not None:
        axes.grid(axis=grid, color=colours.grid, lw=0.8)
        axes.set_axisbelow(True)


def plain(axes: Any) -> None:
    """Remove the frame of the axes."""
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(which="both", colors=shades(axes).soft, length=0, labelsize=10)


def legend_at_right(axes: Any, **options: Any) -> Any:
    """Add a legend at the right of the axes, outside of them."""
    legend = _legend(axes, loc="upper left", bbox_to_anchor=(1.01, 1.0), **options)
    if axes.figure.get_layout_engine() is None:
        cell = _cell(axes)
        room = legend.get_window_extent().width / axes.figure.bbox.width + 0.01
        axes.set_position((cell.x0, cell.y0, max(cell.width - room, 0.4 * cell.width), cell.height))
    return legend


def legend_on_top(axes: Any, **options: Any) -> Any:
    """Add a legend above the axes, outside of them; `title_on_top` puts the title above the legend."""
    legend = _legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), **options)
    if axes.figure.get_layout_engine() is None:
        cell = _cell(axes)
        room = legend.get_window_extent().height / axes.figure.bbox.height
        axes.set_position((cell.x0, cell.y0, cell.width, max(cell.height - room, 0.4 * cell.height)))
    return legend


def title_on_top(axes: Any, title: str, **style: Any) -> None:
    """Set the title of axes above the legend of `legend_on_top`."""
    points = 72 * axes.get_legend().get_window_extent().height / axes.figure.dpi
    axes.set_title(title, loc="left", color=shades(axes).ink, pad=points + 4, **style)


def _legend(axes: Any, **options: Any) -> Any:
    colours = shades(axes)
    legend = axes.legend(frameon=False, labelcolor=colours.ink, borderaxespad=0.2, **options)
    legend.get_title().set_color(colours.soft)
    return legend


def _cell(axes: Any) -> Any:
    """Return the place of the axes before any legend took a part of it."""
    spec = axes.get_subplotspec()
    return axes.get_position() if spec is None else spec.get_position(axes.figure)
