"""The example service with a model that returns a constant: what everything but budgetrs costs."""

from __future__ import annotations

import runpy

import numpy as np
from examples.service import learner


class Constant:
    """Has the attributes that the service reads; learning changes a count."""

    algorithm, has_probabilities = "constant", True
    n_mistakes_, n_drifts_, n_support_vectors_ = 0, 0, 0
    progressive_error_, recent_error_, no_change_error_, majority_error_ = 0.0, 0.0, 0.0, 0.0
    drift_rows_ = ()
    classes_ = np.array(["yes", "no"])

    def __init__(self, budget: int) -> None:
        self.params, self.n_samples_seen_ = {"budget": budget}, 0

    @staticmethod
    def load(_path: object) -> Constant:
        return Constant(budget=0)

    def save(self, path: object) -> None:
        """Save nothing."""

    def learn_one(self, _row: object, _label: object) -> None:
        self.n_samples_seen_ += 1

    def predict_proba_one(self, _row: object) -> dict:
        return {"yes": 0.75, "no": 0.25}


if __name__ == "__main__":
    learner.Classifier = Constant
    runpy.run_module("examples.service", run_name="__main__")
