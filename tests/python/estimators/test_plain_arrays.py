"""Arrays that scikit-learn would return as they are: fitted and predicted as all other input."""

import numpy as np
import pandas as pd
import pytest

from budgetrs import BSGDClassifier, OnlineKernelClassifier, OnlineKernelRegressor
from conftest import blobs


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [BSGDClassifier, OnlineKernelClassifier])
def test_an_array_is_fitted_as_one_of_another_layout(kind, dtype):
    X, y = blobs(3000)
    X = X.astype(dtype)
    plain, strided = (kind(budget=20, random_state=0) for _ in range(2))
    plain.fit(X, y)
    strided.fit(np.asfortranarray(X), y.tolist())
    assert plain._model.to_bytes() == strided._model.to_bytes()
    for call in ("predict", "decision_function"):
        assert (getattr(plain, call)(X) == getattr(strided, call)(np.asfortranarray(X))).all()
    other = X.tolist() if dtype == np.float64 else np.asfortranarray(X)
    assert plain.partial_fit(X, y)._model.to_bytes() == strided.partial_fit(other, y)._model.to_bytes()


def test_targets_that_are_not_finite_raise():
    X, _ = blobs(100)
    for bad in (np.nan, np.inf):
        y = X[:, 0].astype(float)
        y[7] = bad
        with pytest.raises(ValueError, match="Input y contains"):
            OnlineKernelRegressor().fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        OnlineKernelRegressor().fit(X, X[:50, 0])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        BSGDClassifier().fit(X, X[:, 0])


def test_an_array_after_a_frame_and_a_frame_after_an_array():
    X, y = blobs(100)
    frame = pd.DataFrame(X, columns=[f"c{number}" for number in range(X.shape[1])])
    model = OnlineKernelClassifier(budget=10).fit(frame, y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == X.shape[1]
    model.predict(X)
    with pytest.raises(ValueError, match=f"expecting {X.shape[1]} features"):
        model.predict(X[:, :1].copy())
    with pytest.raises(ValueError, match="minimum of 1"):
        model.predict(X[:0])


def test_many_labels_warn():
    X, _ = blobs(100)
    with pytest.warns(UserWarning, match="unique classes is greater than 50%"):
        BSGDClassifier(budget=10).fit(X, np.arange(100))
