"""A comparison as a text table."""

from .curves import Curves, named

# The number of checkpoints shown before the last one.
_BEFORE = 2
# The width of the speeds, for up to 99 million rows per second: equal, so that tables can be compared.
_SPEED_WIDTH = 10


def table(comparison: Curves) -> str:
    """Format one line for each budget: the error at some checkpoints, support vectors, speed."""
    shown = _shown(comparison.rows.tolist())
    rows = [f"{comparison.rows[step]:,} rows" for step in shown]
    lines = [["budget", *rows, "std. error", "vectors", f"{'rows/s':>{_SPEED_WIDTH}}"]]
    for at, budget in enumerate(comparison.budgets):
        seconds = comparison.seconds[at, -1]
        lines.append(
            [
                named(budget),
                *(shown_error(comparison, comparison.error[at, step]) for step in shown),
                shown_error(comparison, comparison.standard_error[at, -1]),
                str(comparison.n_support_vectors[at, -1]),
                f"{comparison.rows[-1] / seconds:,.0f}" if seconds > 0 else "-",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = ("  ".join(map(str.rjust, line, widths)) for line in lines)
    return "\n".join([f"{comparison.algorithm}, {kind(comparison)} after", *aligned])


def kind(comparison: Curves) -> str:
    """Name the error."""
    return "progressive mean absolute error" if comparison.n_mistakes is None else "progressive error"


def formula(comparison: Curves) -> str:
    """Return the formula of the standard error: of an error rate p, or of absolute errors e, after n rows."""
    return "sqrt((mean(e^2) - mean(e)^2) / n)" if comparison.n_mistakes is None else "sqrt(p (1 - p) / n)"


def shown_error(comparison: Curves, error: float) -> str:
    """Format an error with a reasonable number of digits."""
    return f"{error:.4g}" if comparison.n_mistakes is None else f"{100 * error:.2f}%"


def _shown(rows: list[int]) -> list[int]:
    """Choose checkpoints: the last one, preceded by powers of ten if there are any."""
    last = len(rows) - 1
    powers = [step for step, number in enumerate(rows[:-1]) if str(number).rstrip("0") == "1"]
    return [*(powers or range(last))[-_BEFORE:], last]
