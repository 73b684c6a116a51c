"""Train a new model every night, by cron: ``python -m examples.streams.retrain days models``.

The folder "days" has a CSV file per day. The link "models/current" changes if the new model is better.
"""

import sys
from pathlib import Path

import pandas as pd

from budgetrs import Classifier


def retrain(days, models, n_days=30):
    *train, newest = sorted(Path(days).glob("*.csv"))[-n_days - 1 :]
    rows, test = pd.concat(map(pd.read_csv, train)), pd.read_csv(newest)
    new = Classifier(budget=500).fit(rows.drop(columns="label"), rows["label"])
    path, current = Path(models) / f"{newest.stem}.safetensors", Path(models) / "current"
    new.save(path, metadata={"days": [day.stem for day in train]})

    def accuracy(model):
        return (model.predict(test.drop(columns="label")) == test["label"]).mean()  # of a day not learned

    if not current.exists() or accuracy(new) > accuracy(Classifier.load(current)):
        link = current.with_suffix(".new")
        link.unlink(missing_ok=True)
        link.symlink_to(path.name)
        link.replace(current)  # atomic; to go back, link to an older file


if __name__ == "__main__":
    retrain(*sys.argv[1:])
