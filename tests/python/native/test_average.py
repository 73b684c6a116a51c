"""Averages of models: removals in long streams, estimators, the command line, and labels.

Every rule, strategy and average is compared with the reference in test_oracle.py.
"""

import numpy as np
import pytest

from budgetrs import (
    BPAClassifier,
    BPARegressor,
    BSGDClassifier,
    BSGDRegressor,
    BudgetMIRA,
    BudgetPerceptron,
    Classifier,
)
from budgetrs.cli import main
from conftest import blobs
from streams_nbsgd import BUDGET, N, native, noisy


@pytest.mark.parametrize(
    "learner", [BSGDClassifier, BSGDRegressor, BPAClassifier, BPARegressor, BudgetMIRA, BudgetPerceptron]
)
def test_fit_knows_the_length_of_its_stream(learner):
    X, y = noisy()
    more = {} if learner in (BSGDRegressor, BPARegressor) else {"classes": [0, 1]}
    params = {"maintenance": "none", "budget": None, "gamma": 8.0, "average": True}
    for passes in (1, 2):
        by_fit = learner(**params, shuffle=False, max_iter=passes).fit(X, y)
        given = learner(**params, stream_length=passes * N)
        for _ in range(passes):
            given.partial_fit(X, y, **more)
        np.testing.assert_array_equal(by_fit.dual_coef_, given.dual_coef_)
        if passes == 1 or learner is BSGDClassifier:
            # A stream of unknown length has its restarts at powers of two, elsewhere than a known one.
            unknown = learner(**params).partial_fit(X, y, **more)
            assert not np.array_equal(by_fit.dual_coef_, unknown.dual_coef_)


@pytest.mark.parametrize("maintenance", ["oldest", "smallest", "random", "margin"])
def test_a_long_stream_with_removals(maintenance):
    # What leaves loses its share; the others have the mean of their coefficients in w_1025 ... w_3000.
    X, y = noisy(3000)
    last = native(maintenance).learn(X[:1024], y[:1024])
    sums = {}
    for i in range(1024, 3000):
        now = zip(last.support_vectors_, last.dual_coef_[0], strict=True)
        sums = {vector.tobytes(): a + sums.get(vector.tobytes(), 0.0) for vector, a in now}
        last.learn(X[i : i + 1], y[i : i + 1])
    averaged = native(maintenance, average=True).learn(X, y)
    expected = [sums.get(vector.tobytes(), 0.0) / (3000 - 1024) for vector in averaged.support_vectors_]
    np.testing.assert_array_equal(averaged.support_vectors_, last.support_vectors_)
    np.testing.assert_allclose(averaged.dual_coef_[0], expected, rtol=1e-10)


@pytest.mark.parametrize("average", [True, 0.25, "polynomial", "random"])
def test_an_average_needs_every_label(average):
    X, y = noisy()
    written = {True: "0.5"}.get(average, f'"{average}"' if isinstance(average, str) else str(average))
    message = f"needs_label requires average = False, got {written}: every row changes an averaged model"
    model = Classifier("bpa-s-ramp", budget=BUDGET, gamma=8.0, average=average, classes=[0, 1])
    estimator = BPAClassifier(loss="ramp", average=average).fit(X, y)
    for one in (model, Classifier.from_bytes(model.to_bytes()).learn(X, y), estimator):
        with pytest.raises(ValueError, match=message):
            one.needs_label(X)
    assert BPAClassifier(loss="ramp").fit(X, y).needs_label(X).shape == (N,)


@pytest.mark.parametrize(
    ("given", "average", "length"), [("true", True, N), ("polynomial", "polynomial", None)]
)
def test_the_command_line_counts_the_rows_of_a_file(given, average, length, tmp_path):
    X, y = noisy()
    data, path = tmp_path / "data.csv", tmp_path / "model"
    np.savetxt(data, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    options = ["--algorithm", "bpa-nn", "--budget", "15", "--set", "gamma=8", "--dtype", "float64", "-q"]
    assert main(["train", str(data), *options, "--set", f"average={given}", "-o", str(path)]) == 0
    model = Classifier.load(path)
    assert (model.params["average"], model.params["stream_length"]) == (
        0.5 if average is True else average,
        length,
    )
    own = Classifier("bpa-nn", budget=15, gamma=8.0, classes=[0, 1], average=average, stream_length=length)
    np.testing.assert_array_equal(model.decision_function(X), own.learn(X, y).decision_function(X))


@pytest.mark.parametrize("average", [True, "random"])
def test_earlier_predictions_do_not_change_later_ones(average):
    X, y = blobs(300)
    model = Classifier("bsgd-project", budget=20, gamma=0.2, average=average, classes=[0, 1, 2])
    for i in range(300):
        model.learn_one(X[i], y[i])
        if i % 7 == 0:
            fresh = Classifier.from_bytes(model.to_bytes())
            np.testing.assert_array_equal(model.decision_function(X[:40]), fresh.decision_function(X[:40]))
            np.testing.assert_array_equal(model.dual_coef_, fresh.dual_coef_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_long_stream(dtype):
    # Once stopped, w_s is v / (lambda (s - 1)): the mean of w_4097 ... w_12000 is known from the last model.
    rows = 12_000
    X, y = noisy(rows)
    X = X.astype(dtype)
    last = native("stop", budget=10).learn(X, y)
    averaged = native("stop", budget=10, average=True).learn(X, y)
    expected = last.dual_coef_ * (rows * np.mean(1 / np.arange(4096, rows)))
    assert averaged.dual_coef_.dtype == dtype
    np.testing.assert_array_equal(averaged.support_vectors_, last.support_vectors_)
    np.testing.assert_allclose(averaged.dual_coef_, expected, rtol=1e-6 if dtype == np.float32 else 1e-12)


def test_models_are_drawn_evenly():
    # w_5 ... w_8 of a model that decays: 1/2, 2/5, 1/3, 2/7, by their s.
    X, counts = np.ones((8, 1)), np.zeros(9)
    for seed in range(400):
        params = {"maintenance": "stop", "budget": 1, "kernel": "linear", "alpha": 0.5}
        model = Classifier("pegasos", **params, average="random", classes=[0, 1], seed=seed).learn(X, [1] * 8)
        counts[round(2 / model.decision_function(X[:1])[0])] += 1
    # w_s = 2 / (s - 1); a hundred each, with a deviation of 8.7
    assert counts[:4].sum() == counts[8] == 0
    assert (abs(counts[4:8] - 100) < 35).all()
