"""`fit` of the native models: several passes over a data set."""

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from conftest import board


def data(kind):
    X, y = board(600, dtype=np.float64)
    return (X, y) if kind is Classifier else (X, X[:, 0] * X[:, 1])


def budgeted(kind, algorithm):
    return kind(algorithm, budget=20 if algorithm == "online-kernel" else None)


def with_passes(model, X, y, on_pass, passes=3):
    return model.fit(X, y, passes=passes, on_pass=on_pass)


@pytest.mark.parametrize("kind", [Classifier, Regressor])
@pytest.mark.parametrize("algorithm", ["online-kernel", "pa"])
def test_each_pass_is_reported(kind, algorithm):
    X, y = data(kind)
    model, stepwise = (budgeted(kind, algorithm) for _ in range(2))
    reports = []
    with_passes(model, X, y, lambda *report: reports.append(report))
    assert len(reports) == 3
    for number, (own_number, most, order, *counters, n_support) in enumerate(reports, 1):
        repeated = number > 1 and algorithm == "online-kernel"
        assert (own_number, most) == (number, 3)
        for part, reported in zip((order[:300], order[300:]), counters, strict=True):
            stepwise.learn(X[part], y[part], repeated=repeated)
            assert reported == stepwise._counters
        assert n_support == stepwise.n_support_vectors_
    # Only a regression with online-kernel is changed after its passes.
    is_changed = kind is Regressor and algorithm == "online-kernel"
    assert (model.to_bytes() != stepwise.to_bytes()) == is_changed


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("rows", [0, 600])
def test_an_error_after_a_pass_leaves_the_model(error, rows):
    X, y = data(Regressor)
    model = Regressor(budget=20)
    if rows:
        model.learn(X, y)
    before, numbers = model.to_bytes(), []

    def stop(number, *_):
        numbers.append(number)
        if number == 2:
            raise error

    with pytest.raises(error):
        with_passes(model, X, y, stop)
    assert numbers == [1, 2]
    assert model.to_bytes() == before


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_invalid_rows_leave_the_model(kind):
    X, y = data(kind)
    model = kind()
    before = model.to_bytes()
    X[7, 1] = np.nan
    with pytest.raises(ValueError, match="at row 7, column 1"):
        kind(missing="error").fit(X, y)
    for bad in ({"sample_weight": np.zeros(600)}, {"sample_weight": np.full(600, -1.0)}, {"y": y[1:]}):
        with pytest.raises(ValueError, match=r"sample_weight|y "):
            model.fit(**{"X": X, "y": y, **bad})
    assert model.to_bytes() == before


@pytest.mark.parametrize("passes", [0, -1, 2.5, True, "all", None])
def test_other_numbers_of_passes_raise(passes):
    with pytest.raises(
        (TypeError, ValueError), match='passes must be "auto" or an integer of at least 1, got'
    ):
        Classifier().fit(*data(Classifier), passes=passes)


@pytest.mark.parametrize("shuffle", [1, "yes", None])
def test_shuffle_is_a_bool(shuffle):
    with pytest.raises((TypeError, ValueError), match="shuffle must be True or False, got"):
        Classifier().fit(*data(Classifier), shuffle=shuffle)
