"""``budgetrs demo``: one pass over a million generated rows, then real digits, and a figure."""

import shlex
import sys
from argparse import Namespace
from pathlib import Path

from . import modelfile, report, target
from .checkerboard import GAMMA, STANDARDISED, UNITS, default_model, learn_stream, paper_model, show
from .errors import OK, CommandError, UsageError, data_error


def run(args: Namespace) -> int:
    """Run the whole demonstration."""
    try:
        from . import digits, figure
    except ImportError as error:
        raise UsageError(f"the demo needs {error.name or error}: pip install 'budgetrs[demo]'") from error

    out = Path(args.out)
    model_path, picture_path = out / "checkerboard.safetensors", out / "demo.png"
    try:
        out.mkdir(parents=True, exist_ok=True)
        target.check(str(picture_path))
    except OSError as error:
        raise data_error(str(out), error) from error
    modelfile.check_target(str(model_path))

    report.text(
        f"online-kernel, the default: {args.rows:,} rows of a checkerboard in one pass, nothing tuned"
    )
    default = learn_stream(default_model(), args.rows, UNITS, quiet=args.quiet)
    show(default, UNITS)
    modelfile.save(default.model, str(model_path))
    again = modelfile.load(str(model_path))
    if again.to_bytes() != default.model.to_bytes():
        raise CommandError(f"{model_path}: the loaded model differs from the saved one")
    report.text("the model was saved, loaded again and compared: both are bit-identical")

    report.text(f"\nbsgd-merge, Wang, Crammer and Vucetic (2010): standardised rows, gamma = {GAMMA:g}")
    paper = learn_stream(paper_model(), args.rows, STANDARDISED, quiet=args.quiet)
    show(paper, STANDARDISED)

    report.text("\nonline-kernel on scikit-learn's digits: 8 x 8 images, 10 classes, nothing tuned")
    digits.run()
    report.memory()

    try:
        figure.draw(picture_path, default, paper)
    except OSError as error:
        raise data_error(str(picture_path), error) from error
    report.text("\nFiles")
    report.file("model", str(model_path))
    report.file("picture", str(picture_path))
    report.text(f"try: {shlex.join([sys.executable, '-m', 'budgetrs', 'info', str(model_path)])}")
    return OK
