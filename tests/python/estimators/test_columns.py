"""Names of columns: those of fit, in the same order."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kinds import KINDS, data_for, small

REORDERED = (
    r"(?s)Feature names must be in the same order as they were in fit.*Column 1 is 'd' and was 'b' in fit; "
    r"X\[list\(model.feature_names_in_\)\]"
)


def frame(X, names):
    """A frame of four columns."""
    return pd.DataFrame({name: X[:, number % 2] * (number + 1) for number, name in enumerate("abcd")})[
        list(names)
    ]


def calls(estimator, y):
    """Every method that takes rows of a fitted estimator."""
    warm = clone(estimator).set_params(warm_start=True)
    warm.__setstate__(estimator.__getstate__() | {"warm_start": True})
    found = {
        "predict": estimator.predict,
        "score": lambda X: estimator.score(X, y),
        "partial_fit": lambda X: estimator.partial_fit(X, y),
        "fit": lambda X: warm.fit(X, y),
    }
    for name in ("decision_function", "predict_proba", "predict_log_proba", "needs_label"):
        if hasattr(estimator, name) and (name != "needs_label" or estimator.loss == "ramp"):
            found[name] = getattr(estimator, name)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_kept_and_compared(kind):
    X, y = data_for(kind)
    estimator = small(kind).fit(frame(X, "abcd"), y)
    assert estimator.feature_names_in_.tolist() == list("abcd")
    for name, call in calls(estimator, y).items():
        before = estimator._model.to_bytes()
        with pytest.raises(ValueError, match=REORDERED):
            call(frame(X, "adcb"))
        with pytest.raises(ValueError, match=r"(?s)seen at fit time, yet now missing:\n- b\n- d"):
            call(frame(X, "ac"))
        with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- other.*now missing:\n- c"):
            call(frame(X, "abcd").rename(columns={"c": "other"}))
        assert estimator._model.to_bytes() == before, name
        call(frame(X, "adcb")[list(estimator.feature_names_in_)])


def test_new_fits_take_new_names():
    X, y = data_for(KINDS[0])
    estimator = small(KINDS[0]).fit(frame(X, "abcd"), y)
    assert estimator.fit(frame(X, "dcba"), y).feature_names_in_.tolist() == list("dcba")
    assert not hasattr(estimator.fit(X, y), "feature_names_in_")


@pytest.mark.parametrize("kind", KINDS)
def test_encoded_features_have_names(kind):
    X, y = data_for(kind)
    frame = pd.DataFrame({"a": X[:, 0], "colour": np.where(X[:, 1] > 0, "red", "blue"), "b": X[:, 1]})
    estimator = small(kind).fit(frame, y)
    names = estimator.get_feature_names_out()
    assert sorted(names) == ["a", "b", "colour=blue", "colour=red"]
    assert (estimator.n_features_in_, estimator.feature_names_in_.tolist()) == (3, ["a", "colour", "b"])
    assert estimator.support_vectors_.shape[1] == len(names)
    with pytest.raises(ValueError, match="input_features"):
        estimator.get_feature_names_out(["a", "b"])
    numbers = frame[["a", "b"]]
    assert small(kind).fit(numbers, y).get_feature_names_out().tolist() == ["a", "b"]
    assert small(kind).fit(X, y).get_feature_names_out().tolist() == ["x0", "x1"]
    with pytest.raises(NotFittedError):
        small(kind).get_feature_names_out()
