"""Train a new model every night, by cron: ``python -m examples.streams.retrain days models``.

The folder "days" has a CSV file per day. The new model is saved if it is better than the model of the link
"models/current", which then leads to it.
"""

import sys
from pathlib import Path

import pandas as pd

from budgetrs import Classifier


def retrain(days, models, n_days=30):
    files = sorted(Path(days).glob("*.csv"))[-n_days - 1 :]
    if len(files) < 2:
        sys.exit(f"{days} needs CSV files of at least two days: the newest compares the models")
    *train, newest = files
    rows, test = pd.concat(map(pd.read_csv, train)), pd.read_csv(newest)
    new = Classifier(budget=500).fit(rows.drop(columns="label"), rows["label"])
    path, current = Path(models) / f"{newest.stem}.safetensors", Path(models) / "current"

    def accuracy(model):
        return (model.predict(test.drop(columns="label")) == test["label"]).mean()  # of a day not learned

    if not current.exists() or accuracy(new) > accuracy(Classifier.load(current)):
        new.save(path, metadata={"days": [day.stem for day in train]})
        link = current.with_suffix(".new")
        link.unlink(missing_ok=True)
        link.symlink_to(path.name)
        link.replace(current)  # atomic; to go back, link to an older file


if __name__ == "__main__":
    retrain(*sys.argv[1:])
