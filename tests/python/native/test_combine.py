"""`combine` and `feature_space`: one model of many, and models that can be combined."""

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, combine


def stream(n, seed, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1, 100, 1e4, 1e-3]
    y = np.digitize(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] / 1e6, [-0.5, 0.5][: classes - 1])
    return X, np.array(["low", "mid", "high"])[y]


def shards(first, parts=3, n=3000):
    X, y = stream(n, 1)
    return [Classifier(budget=60, feature_space=first).learn(X[i::parts], y[i::parts]) for i in range(parts)]


@pytest.fixture(scope="module")
def first():
    return Classifier(budget=60).learn(*stream(1500, 0))


def sorted_scores(model, X):
    """The scores with the classes in the order of the alphabet."""
    return model.decision_function(X)[:, np.argsort(model.classes_)]


def test_the_mean_of_classifiers(first):
    models = shards(first)
    X, y = stream(1000, 2)
    whole, relative_error = combine(models, return_error=True)
    assert relative_error == 0
    mean = np.mean([sorted_scores(model, X) for model in models], axis=0)
    np.testing.assert_allclose(sorted_scores(whole, X), mean, atol=1e-9)
    few, relative_error = combine(models, budget=60, return_error=True)
    assert few.n_support_vectors_ == 60
    assert 0 < relative_error < 0.5
    single = max(np.mean(model.predict(X) == y) for model in models)
    assert np.mean(few.predict(X) == y) > single - 0.02
    np.testing.assert_allclose(few.predict_proba(X).sum(axis=1), 1)
    again = Classifier.from_bytes(few.to_bytes())
    assert few.learn(X, y).to_bytes() == again.learn(X, y).to_bytes()
    assert few.n_support_vectors_ <= 60


def test_scaling_and_metric_stay(first):
    X, y = stream(2000, 4)
    model = Classifier(budget=60, feature_space=first)
    again = Classifier.from_bytes(model.to_bytes())
    assert model.learn(X * 50, y).to_bytes() == again.learn(X * 50, y).to_bytes()
    assert model.gamma_ == first.gamma_
    np.testing.assert_array_equal(model.components_, first.components_)


@pytest.mark.filterwarnings("ignore:column .* has mostly categories")
def test_frames_keep_their_columns_and_categories():
    rng = np.random.default_rng(0)

    def frame(n):
        table = pd.DataFrame({"a": rng.normal(size=n) * 1e3, "town": rng.choice(["Ulm", "Bonn"], n)})
        return table, np.where((table["a"] > 0) == (table["town"] == "Ulm"), 1, 0)

    first = Classifier(budget=30).learn(*frame(500))
    models = [Classifier(budget=30, feature_space=first).learn(*frame(500)) for _ in range(2)]
    model = combine(models, budget=30)
    table, y = frame(500)
    assert list(model.feature_names_in_) == ["a", "town"]
    assert np.mean(model.predict(table) == y) > 0.9
    # A category that the first model never saw.
    late = Classifier(budget=30, feature_space=first).learn(table.assign(town="Rom"), y)
    assert "town=Rom" in list(late.get_feature_names_out())


X, Y = stream(400, 6)


def linear(width):
    return Classifier("pa", kernel="linear").learn(X[:, :width], Y)


def new(first):
    return Classifier(feature_space=first)


def two(first):
    return combine([first, Classifier(budget=60).learn(X, Y)])


# The calls are given a model that has learned rows.
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (two, r"models with the same scaling, got a different scaling in models 0 and 1"),
        (two, "create the models with feature_space=MODEL"),
        (
            lambda _: combine([linear(4), linear(2)]),
            r"same number of features, 4 .*, got 2 features in number 1",
        ),
        (lambda _: combine([]), "models must be at least 1 model, got none"),
        (lambda m: combine([m, Classifier()]), "trained models, got a model without rows at index 1"),
        (lambda m: combine([m, "other"]), "models must be a list of Classifiers or of Regressors"),
        (lambda _: combine(3), "models must be a list of Classifiers or of Regressors"),
        (lambda m: combine([m], weights=[1, 2]), "weights must have one weight per model, 1, got 2"),
        (lambda m: combine([m], budget=0), "budget must be at least 1"),
        (lambda m: combine([m], budget="many"), 'budget must be None or an integer .*, got "many"'),
        (lambda m: combine([m], budget=True), "budget must be None or an integer .*, got True"),
        (lambda _: new(3), "feature_space must be a Classifier or a Regressor"),
        (lambda _: new(Classifier()), "feature_space must be a model that has learned rows"),
        (lambda m: Classifier(metric_learning="none", feature_space=m), "with the same metric_learning"),
        (lambda m: new(m).learn(X[:, :3], Y), "X must have 4 features, as the rows learned before, got 3"),
        (lambda m: new(m).set_scaling([0] * 4, [1] * 4), "with feature_space shares its scaling"),
    ],
)
def test_invalid_arguments_raise(first, call, message):
    with pytest.raises(ValueError, match=message):
        call(first)


def test_the_float_type_is_kept(first):
    X, y = stream(300, 5)
    assert Classifier(budget=60, feature_space=first).learn(X.astype(np.float32), y).dtype == first.dtype
