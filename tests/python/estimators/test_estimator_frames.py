"""Estimators learn frames with words, and keep scikit-learn's rules for names."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from budgetrs import BSGDClassifier, Classifier, OnlineKernelClassifier, OnlineKernelRegressor

rng = np.random.default_rng(5)
WIDTH, TOWN = rng.normal(size=1200) * 50, rng.choice(["Rome", "Oslo"], 1200)
Y = np.where((WIDTH > 0) ^ (TOWN == "Oslo"), "p", "q")
FRAME = pd.DataFrame({"width": WIDTH, "town": TOWN})


def fitted(X=FRAME, y=Y, kind=OnlineKernelClassifier, **params):
    return kind(budget=40, random_state=0, **params).fit(X, y)


def test_names_and_words_are_saved(tmp_path):
    model = fitted()
    model.save(tmp_path / "model")
    for again in (
        OnlineKernelClassifier.load(tmp_path / "model"),
        pickle.loads(pickle.dumps(model)),
    ):
        assert again.feature_names_in_.tolist() == ["width", "town"]
        assert again.n_features_in_ == 2
        np.testing.assert_array_equal(again.decision_function(FRAME), model.decision_function(FRAME))
    native = Classifier.load(tmp_path / "model")
    shuffled = FRAME[["town", "width"]]
    np.testing.assert_array_equal(native.predict(shuffled), model.predict(FRAME))
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        model.predict(shuffled)


def test_arrays_have_no_words():
    model = fitted()
    for X in (np.ones((5, 2)), np.ones((5, 4))):
        for call in (model.predict, lambda X: model.partial_fit(X, Y[:5])):
            with pytest.raises(
                ValueError,
                match=r"X must be a data frame with the columns 'width', 'town' \(some are categorical",
            ):
                call(X)


def test_gamma_passes_and_weights():
    weight = np.arange(len(Y)) % 3.0
    words = list(dict.fromkeys(TOWN[weight > 0].tolist()))
    rows = np.column_stack([WIDTH, *(word == TOWN for word in words)])
    for params in ({}, {"gamma": "scale"}, {"scaling": "online", "max_iter": 2}):
        by_name = BSGDClassifier(budget=40, random_state=0, **params).fit(FRAME, Y, sample_weight=weight)
        by_hand = BSGDClassifier(budget=40, random_state=0, **params).fit(rows, Y, sample_weight=weight)
        assert by_name.gamma_ == by_hand.gamma_
        np.testing.assert_array_equal(by_name.decision_function(FRAME), by_hand.decision_function(rows))
    regressor = fitted(y=WIDTH, kind=OnlineKernelRegressor, warm_start=True)
    assert regressor.fit(FRAME, WIDTH).score(FRAME, WIDTH) > 0.9


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_a_model_without_names_goes_on_with_frames():
    numbers = FRAME[["width"]].assign(height=FRAME.width**2)
    model = fitted(numbers.to_numpy(), warm_start=True)
    expected = fitted(numbers.to_numpy(), warm_start=True).fit(numbers.to_numpy(), Y)
    assert model.fit(numbers, Y)._model.to_bytes() == expected._model.to_bytes()
    with pytest.raises(ValueError, match="X must have numbers, because the rows learned before"):
        model.fit(FRAME.assign(width=WIDTH), Y)


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.parametrize("gamma", [1e6, 1e-9])
def test_a_kernel_that_cannot_tell_rows_apart_is_warned_of_once(gamma):
    X = FRAME[["width"]].assign(height=FRAME.width.abs())
    for method in ("fit", "partial_fit"):
        for rows in (X, X.to_numpy(), csr_array(X.to_numpy())):
            model = BSGDClassifier(gamma=gamma)
            with pytest.warns(UserWarning, match=r"all kernel values .* try another gamma") as caught:
                getattr(model, method)(rows, Y)
            kernel = [warning for warning in caught if warning.category is UserWarning]
            assert [warning.filename for warning in kernel] == [__file__]
            model.partial_fit(rows, Y)
    for params in ({"scaling": "online"}, {"hash_features": 8}):
        BSGDClassifier(gamma=gamma, **params).fit(X, Y)
    BSGDClassifier(gamma=gamma).fit(X[:20], Y[:20])
    BSGDClassifier(gamma=gamma, budget=5).fit(X, Y)
    BSGDClassifier().fit(X, Y)
