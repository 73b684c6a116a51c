"""Averages of models as their users meet them.

Against the reference: test_oracle_nbsgd.py, of SGD, and test_oracle_average.py, of the other rules.
"""

import numpy as np
import pytest
import scipy.sparse as sp

from budgetrs import (
    BPAClassifier,
    BPARegressor,
    BSGDClassifier,
    BSGDRegressor,
    BudgetMIRA,
    BudgetPerceptron,
    Classifier,
    Regressor,
)
from budgetrs._core import MARGIN_STRATEGIES, RANDOM_STRATEGIES
from budgetrs.cli import main
from conftest import CODE_PATHS, blobs
from streams_nbsgd import BUDGET, RATED, N, native, noisy

FRACTIONS = {0.5: N // 2, 0.25: 3 * N // 4, 0.9: N // 10, 1.0: 0}  # and where their suffixes of N rows begin
REMOVING = (*RATED, *MARGIN_STRATEGIES)


def answers_of(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def recorded(model, X, y, X_test, **more):
    """The answers of w_1, w_2, ...: those of the model before each row."""
    found = [np.zeros(len(X_test))]
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], **more)
        found.append(answers_of(model, X_test))
    return np.array(found[:-1])


@pytest.mark.parametrize("maintenance", ["none", "stop"])
@pytest.mark.parametrize("learner", [BSGDClassifier, BSGDRegressor])
def test_an_average_is_the_mean_of_the_models(maintenance, learner):
    X, y = noisy()
    more = {"classes": [0, 1]} if learner is BSGDClassifier else {}
    params = {"maintenance": maintenance, "budget": 40 if maintenance == "stop" else None, "gamma": 8.0}
    X_test = noisy(seed=1)[0]
    models = recorded(learner(**params), X, y, X_test, **more)
    for fraction, start in FRACTIONS.items():
        model = learner(**params, average=fraction, stream_length=N).partial_fit(X, y, **more)
        expected = models[start:].mean(axis=0)
        np.testing.assert_allclose(
            answers_of(model, X_test), expected, rtol=0, atol=1e-9 * abs(expected).max()
        )
    model = learner(**params, average="random", stream_length=N, random_state=1).partial_fit(X, y, **more)
    distances = abs(models - answers_of(model, X_test)).max(axis=1)
    assert distances.argmin() >= N // 2
    assert distances.min() <= 1e-9 * abs(models[distances.argmin()]).max()


@pytest.mark.parametrize("average", [True, "random"])
def test_predictions_are_those_of_now(average):
    """Whatever was predicted before: a copy that never predicted says the same."""
    X, y = blobs(300)
    model = Classifier("bsgd-project", budget=20, gamma=0.2, average=average, classes=[0, 1, 2])
    for i in range(300):
        model.learn_one(X[i], y[i])
        if i % 7 == 0:
            fresh = Classifier.from_bytes(model.to_bytes())
            np.testing.assert_array_equal(model.decision_function(X[:40]), fresh.decision_function(X[:40]))
            np.testing.assert_array_equal(model.dual_coef_, fresh.dual_coef_)


def test_fit_knows_the_length_of_its_stream():
    X, y = noisy()
    params = {"maintenance": "none", "budget": None, "gamma": 8.0, "shuffle": False}
    by_fit = BSGDClassifier(**params, average=True).fit(X, y)
    told = BSGDClassifier(**params, average=True, stream_length=N).partial_fit(X, y)
    np.testing.assert_array_equal(by_fit.dual_coef_, told.dual_coef_)
    twice = BSGDClassifier(**params, average=True, max_iter=2).fit(X, y)
    told = BSGDClassifier(**params, average=True, stream_length=2 * N).partial_fit(X, y).partial_fit(X, y)
    np.testing.assert_array_equal(twice.dual_coef_, told.dual_coef_)
    # A stream of unknown length has restarts at powers of two: here at 128 and 256.
    unknown = BSGDClassifier(**params, average=True).partial_fit(X, y)
    X_test = noisy(seed=1)[0]
    expected = recorded(BSGDClassifier(**params), X, y, X_test, classes=[0, 1])[128:].mean(axis=0)
    np.testing.assert_allclose(unknown.decision_function(X_test), expected, rtol=1e-9, atol=1e-9)


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


def test_widening_a_model_with_an_average():
    X = np.random.default_rng(0).normal(size=(N, 6))
    X[: N // 2, 4:], y = 0.0, noisy()[1]
    for average in (True, "random"):
        params = {"average": average, "gamma": 0.3}
        known, widened = (native("merge", **params) for _ in range(2))
        known.learn(sp.csr_array(X), y)
        widened.learn(sp.csr_array(X[: N // 2, :4]), y[: N // 2])
        widened.add_features(6)
        widened.learn(sp.csr_array(X[N // 2 :]), y[N // 2 :])
        np.testing.assert_array_equal(widened.support_vectors_, known.support_vectors_)
        np.testing.assert_array_equal(widened.dual_coef_, known.dual_coef_)


def test_the_least_fraction_is_one_model():
    X, y = noisy()
    # Restarts are at every row as long as the grid is finer than whole numbers.
    for rows in range(280, N):
        last = native("smallest").learn(X[: rows - 1], y[: rows - 1])
        averaged = native("smallest", average=0.001).learn(X[:rows], y[:rows])
        before = {v.tobytes(): a for v, a in zip(last.support_vectors_, last.dual_coef_[0], strict=True)}
        expected = [before.get(vector.tobytes(), 0.0) for vector in averaged.support_vectors_]
        np.testing.assert_allclose(averaged.dual_coef_[0], expected, rtol=1e-12)


@pytest.mark.parametrize("average", [True, 0.25, 1.0, "random"])
@pytest.mark.parametrize("maintenance", REMOVING)
def test_an_average_keeps_the_budget_and_counts_as_the_last_model(maintenance, average):
    X, y = noisy()
    last = native(maintenance)
    averaged = native(maintenance, average=average)
    for start in range(0, N, 20):
        last.learn(X[start : start + 20], y[start : start + 20])
        averaged.learn(X[start : start + 20], y[start : start + 20])
        assert averaged.n_support_vectors_ <= BUDGET
        assert averaged.support_vectors_.shape == (averaged.n_support_vectors_, 2)
        distances = ((X[:, None] - averaged.support_vectors_) ** 2).sum(axis=2)
        expected = np.exp(-8.0 * distances) @ averaged.dual_coef_[0]
        found = averaged.decision_function(X)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * max(1.0, abs(expected).max()))
        np.testing.assert_array_equal(averaged.predict(X), (found > 0).astype(int))
    # An average is drawn from the generator that also removes.
    if not (maintenance in RANDOM_STRATEGIES and average == "random"):
        for count in ("n_mistakes_", "n_updates_", "n_maintenances_", "mean_weight_degradation_"):
            assert getattr(averaged, count) == getattr(last, count), count
    assert not np.allclose(averaged.decision_function(X), last.decision_function(X))


def test_progressive_errors_of_a_regressor_are_those_of_the_last_model():
    X, y = noisy()
    models = [
        Regressor("bsgd-smallest", budget=BUDGET, gamma=8.0, average=a).learn(X, y) for a in (False, True)
    ]
    assert models[0].mean_absolute_error_ == models[1].mean_absolute_error_
    assert models[0].mean_squared_error_ == models[1].mean_squared_error_


@pytest.mark.parametrize("average", [True, 1.0, "random"])
def test_probabilities_are_those_of_the_average(average):
    X, y = blobs(400, dtype=np.float64)
    model = BSGDClassifier(loss="log_loss", budget=30, alpha=1e-2, average=average, random_state=0).fit(X, y)
    powers = np.exp(model.decision_function(X) - model.decision_function(X).max(axis=1, keepdims=True))
    found = model.predict_proba(X)
    np.testing.assert_allclose(found, powers / powers.sum(axis=1, keepdims=True), rtol=1e-9)
    last = BSGDClassifier(loss="log_loss", budget=30, alpha=1e-2, random_state=0).fit(X, y)
    assert not np.allclose(found, last.predict_proba(X))


def test_a_fraction_of_one_is_not_true():
    X, y = noisy()
    half, whole = (native(average=average).learn(X, y).decision_function(X) for average in (True, 1.0))
    np.testing.assert_array_equal(half, native(average=0.5).learn(X, y).decision_function(X))
    assert not np.allclose(half, whole)


def test_the_average_of_few_rows():
    # After one row the average is w_1 = 0, after two it is w_2 = 1 / lambda.
    model = Classifier("pegasos", kernel="linear", alpha=0.5, average=True, classes=[0, 1])
    X = np.array([[1.0]])
    assert model.learn(X, [1]).decision_function(X).tolist() == [0.0]
    assert model.learn(X, [1]).decision_function(X).tolist() == [2.0]


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


@pytest.mark.parametrize("average", [True, "random"])
def test_an_average_of_many_classes_learns_in_single_precision(average):
    X, y = blobs(600)
    model = Classifier("bsgd-merge", budget=20, gamma=0.2, average=average).learn(X, y)
    assert model.dual_coef_.dtype == np.float32
    assert model.dual_coef_.shape == (3, model.n_support_vectors_)
    assert np.mean(model.predict(X) == y) > 0.75


@pytest.mark.parametrize("learner", [BPAClassifier, BPARegressor, BudgetMIRA, BudgetPerceptron])
def test_averages_of_other_estimators_are_the_mean_of_the_models(learner):
    X, y = noisy()
    more = {"classes": [0, 1]} if learner is not BPARegressor else {}
    params = {"maintenance": "none", "budget": None, "gamma": 8.0}
    X_test = noisy(seed=1)[0]
    models = recorded(learner(**params), X, y, X_test, **more)
    for fraction, start in FRACTIONS.items():
        model = learner(**params, average=fraction, stream_length=N).partial_fit(X, y, **more)
        expected = models[start:].mean(axis=0)
        np.testing.assert_allclose(
            answers_of(model, X_test), expected, rtol=0, atol=1e-9 * abs(expected).max()
        )
    # `fit` knows the length of its stream, and compares nothing that is not what predicts.
    by_fit = learner(**params, average=True, shuffle=False).fit(X, y)
    told = learner(**params, average=True, stream_length=N).partial_fit(X, y, **more)
    np.testing.assert_array_equal(answers_of(by_fit, X_test), answers_of(told, X_test))


@pytest.mark.parametrize("algorithm", [name for name in CODE_PATHS if name != "online-kernel"])
def test_without_an_average_algorithms_are_those_of_the_papers(algorithm):
    params = {"rate": 20.0} if algorithm.startswith("nbsgd") else {}
    assert Classifier(algorithm, **params).params["average"] is False
    X, y = noisy()
    # What predicts is what is counted: the errors of the rows one by one are the progressive ones.
    params |= {"gamma": 8.0, "classes": [0, 1]}
    model = Classifier(algorithm, **params)
    # Before the first row class 0 is predicted.
    wrong = int(y[0] != 0)
    for i in range(100):
        wrong += int(i > 0 and model.predict(X[i : i + 1])[0] != y[i])
        model.learn(X[i : i + 1], y[i : i + 1])
    assert model.n_mistakes_ == wrong


@pytest.mark.parametrize("average", [True, "polynomial", "random"])
@pytest.mark.parametrize("algorithm", ["pa-merge", "bpa-nn", "bpa-p", "mira-merge", "projectron", "bogd"])
def test_an_average_changes_predictions_and_no_learning(algorithm, average):
    X, y = blobs(400, dtype=np.float64)
    params = {"budget": 20, "gamma": 0.5, "classes": [0, 1, 2]}
    last, averaged = (Classifier(algorithm, **params, **more) for more in ({}, {"average": average}))
    for start in range(0, 400, 50):
        rows = slice(start, start + 50)
        last.learn(X[rows], y[rows])
        averaged.learn(X[rows], y[rows])
        # A model that is drawn shares its generator with a removal by chance.
        if not (last.params["maintenance"] in RANDOM_STRATEGIES and average == "random"):
            for count in ("n_mistakes_", "n_updates_", "n_maintenances_", "mean_weight_degradation_"):
                assert getattr(averaged, count) == getattr(last, count), count
        averaged = Classifier.from_bytes(averaged.to_bytes())
    assert averaged.n_support_vectors_ <= 20
    assert not np.allclose(averaged.decision_function(X), last.decision_function(X))


@pytest.mark.parametrize("average", [True, 0.25, "polynomial", "random"])
def test_an_average_needs_every_label(average):
    X, y = noisy()
    written = {True: "0.5"}.get(average, f'"{average}"' if isinstance(average, str) else str(average))
    message = f"needs_label requires average = False, got {written}: every row changes an averaged model"
    model = Classifier("bpa-s-ramp", budget=BUDGET, gamma=8.0, average=average, classes=[0, 1])
    for _ in range(2):
        with pytest.raises(ValueError, match=message):
            model.needs_label(X)
        model.learn(X, y)
    estimator = BPAClassifier(loss="ramp", average=average).fit(X, y)
    with pytest.raises(ValueError, match=message):
        estimator.needs_label(X)
    assert BPAClassifier(loss="ramp").fit(X, y).needs_label(X).shape == (N,)


@pytest.mark.parametrize("algorithm", ["pa-merge", "mira-merge", "bpa-nn", "projectron", "bogd"])
def test_the_command_line_averages_every_algorithm(algorithm, tmp_path):
    X, y = noisy()
    data, model = tmp_path / "data.csv", tmp_path / "model"
    np.savetxt(data, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    options = ["--algorithm", algorithm, "--budget", "15", "--set", "gamma=8", "--dtype", "float64", "-q"]
    # A file is counted.
    for given, params in (
        (["--set", "average=true"], {"average": True, "stream_length": N}),
        (["--set", "average=polynomial"], {"average": "polynomial"}),
    ):
        assert main(["train", str(data), *options, *given, "-o", str(model)]) == 0
        told = Classifier(algorithm, budget=15, gamma=8.0, classes=[0, 1], **params).learn(X, y)
        loaded = Classifier.load(model)
        assert loaded.params["stream_length"] == params.get("stream_length")
        np.testing.assert_array_equal(loaded.decision_function(X), told.decision_function(X))


def test_what_an_average_does_not_go_with_is_named():
    for params in ({"linear_weight": 0.3}, {"metric_learning": "diagonal"}):
        with pytest.raises(ValueError, match=r'^average = "random"'):
            Classifier("mira-merge", average="random", **params)
        Classifier("mira-merge", average="polynomial", **params)
