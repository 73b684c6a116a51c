"""Accuracy along the electricity stream Elec2, compared with River's models: predict each row, then learn it.

`python -m scripts.pictures elec2` draws the result.
"""

from itertools import islice

from .. import data
from ..cells import Options, Output
from .river_models import MODELS

OPTIONS = {"rows": (int, "rows at most (all)")}
QUICK = {"rows": 1_000}
DRAWN = (
    *("budgetrs, B = 100", "budgetrs, B = 500"),
    *("HoeffdingAdaptiveTree", "ARFClassifier", "LogisticRegression, scaled"),
)


def main(options: Options, output: Output) -> None:
    stream = output.attempt(data.elec2)
    models = {name: MODELS[name]() for name in DRAWN}
    right = dict.fromkeys(models, 0)
    output("accuracy in % of all rows so far: " + "; ".join(models))
    for number, (x, y) in enumerate(islice(stream or (), options.rows), 1):
        for name, model in models.items():
            right[name] += model.predict_one(x) == y
            model.learn_one(x, y)
        if number % 1_000 == 0:
            output(f"{number:6}" + "".join(f"{100 * count / number:8.2f}" for count in right.values()))
