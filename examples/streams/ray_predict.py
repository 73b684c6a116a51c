"""Ray Data predicts in actors."""

import budgetrs


class Scorer:
    def __init__(self, data):
        self.model = budgetrs.from_bytes(data)  # once per actor

    def __call__(self, batch):
        batch["label"] = self.model.predict(batch)
        return batch


def predict(dataset, model, actors=2):
    """Return the dataset, whose columns are the features, with a column "label"."""
    arguments = {"fn_constructor_args": (model.to_bytes(),), "concurrency": actors}
    return dataset.map_batches(Scorer, batch_format="pandas", **arguments)
