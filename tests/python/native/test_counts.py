"""The counts of a model before its first row."""

import numpy as np
import pytest

from budgetrs import Classifier, Regressor

COUNTS = ("n_support_vectors_", "n_samples_seen_", "n_updates_", "n_drifts_", "n_scaling_restarts_")


@pytest.mark.parametrize("model", [Classifier(), Regressor(), Classifier("bsgd-merge", budget=3)], ids=repr)
def test_counts_are_0_before_the_first_row(model):
    names = (*COUNTS, "n_queries_", "n_maintenances_")
    names += ("n_mistakes_",) if isinstance(model, Classifier) else ()
    assert {getattr(model, name) for name in names} == {0}
    assert (model.drift_rows_.dtype, model.drift_rows_.shape) == (np.int64, (0,))
    for name in ("recent_error_", "no_change_error_", "mean_weight_degradation_", "gamma_"):
        with pytest.raises(AttributeError, match="has not learned any rows"):
            getattr(model, name)
