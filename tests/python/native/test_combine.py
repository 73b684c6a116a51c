"""`combine` and `like`: one model of many, and models that can be combined."""

import numpy as np
import pytest

from budgetrs import Classifier, ParameterError, Regressor, combine


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


def test_the_mean_of_raw_rows_in_one_line(first):
    models = shards(first)
    X, y = stream(1000, 2)
    whole, relative_error = combine(models)
    assert relative_error == 0
    scores = np.mean([model.decision_function(X)[:, :] for model in map(_in_order, models)], axis=0)
    np.testing.assert_allclose(_in_order(whole).decision_function(X), scores, atol=1e-9)
    few = combine(models, budget=60)
    assert few.model.n_support_vectors_ == 60
    assert 0 < few.relative_error < 0.5
    single = max(np.mean(model.predict(X) == y) for model in models)
    assert np.mean(few.model.predict(X) == y) > single - 0.02
    proba = few.model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def _in_order(model):
    """A view of a model with its classes in the order of the alphabet."""

    class View:
        def decision_function(self, X):
            return model.decision_function(X)[:, np.argsort(model.classes_)]

    return View()


def test_the_mean_learns_on_and_is_saved(first):
    model, _ = combine(shards(first), budget=60)
    again = Classifier.from_bytes(model.to_bytes())
    X, y = stream(500, 3)
    assert model.learn(X, y).to_bytes() == again.learn(X, y).to_bytes()
    assert model.n_support_vectors_ <= 60


def test_scaling_and_metric_stay(first):
    X, y = stream(2000, 4)
    model = Classifier(budget=60, feature_space=first)
    again = Classifier.from_bytes(model.to_bytes())
    model.learn(X * 50, y)
    assert model.to_bytes() == again.learn(X * 50, y).to_bytes()
    assert model.gamma_ == first.gamma_
    np.testing.assert_array_equal(model.components_, first.components_)


@pytest.mark.filterwarnings("ignore:column .* has mostly categories")
def test_frames_keep_their_columns_and_words():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)

    def frame(n):
        table = pandas.DataFrame({"a": rng.normal(size=n) * 1e3, "town": rng.choice(["Ulm", "Bonn"], n)})
        return table, np.where((table["a"] > 0) == (table["town"] == "Ulm"), 1, 0)

    first = Classifier(budget=30).learn(*frame(500))
    models = [Classifier(budget=30, feature_space=first).learn(*frame(500)) for _ in range(2)]
    model, _ = combine(models, budget=30)
    table, y = frame(500)
    assert list(model.feature_names_in_) == ["a", "town"]
    assert np.mean(model.predict(table) == y) > 0.9
    # A word that the first model never saw.
    late = table.assign(town="Rom")
    model = Classifier(budget=30, feature_space=first).learn(late, y)
    assert "town=Rom" in list(model.get_feature_names_out())


def test_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3)) * [1, 10, 100]
    y = np.sin(X[:, 0]) + X[:, 1] / 10
    first = Regressor(budget=50).learn(X[:1000], y[:1000])
    models = [Regressor(budget=50, feature_space=first).learn(X[i::2], y[i::2]) for i in range(2)]
    model, _ = combine(models, weights=[3, 1])
    expected = 0.75 * models[0].predict(X[:50]) + 0.25 * models[1].predict(X[:50])
    np.testing.assert_allclose(model.predict(X[:50]), expected, atol=1e-9)


def test_a_model_of_another_type_takes_the_type(first):
    X, y = stream(300, 5)
    assert Classifier(budget=60, feature_space=first).learn(X.astype(np.float32), y).dtype == first.dtype


def test_refusals(first):
    X, y = stream(400, 6)
    other = Classifier(budget=60).learn(X, y)
    with pytest.raises(
        ValueError, match=r"models with the same scaling, got a different scaling in models 0 and 1"
    ):
        combine([first, other])
    with pytest.raises(ValueError, match="create the models with feature_space=MODEL"):
        combine([first, other])
    linear = [Classifier("pa", kernel="linear").learn(X[:, :width], y) for width in (4, 2)]
    with pytest.raises(ValueError, match=r"same number of features, 4 .*, got 2 features in number 1"):
        combine(linear)
    with pytest.raises(ValueError, match="models must be at least 1 model, got none"):
        combine([])
    with pytest.raises(
        ValueError, match="models must be trained models, got a model without rows at index 1"
    ):
        combine([first, Classifier()])
    with pytest.raises(ValueError, match="models must be a list of Classifiers or of Regressors"):
        combine([first, "other"])
    with pytest.raises(ValueError, match="models must be a list of Classifiers or of Regressors"):
        combine(3)
    with pytest.raises(ValueError, match="weights must have one weight per model, 1, got 2"):
        combine([first], weights=[1, 2])
    with pytest.raises(ValueError, match="budget must be at least 1"):
        combine([first], budget=0)
    with pytest.raises(ValueError, match="budget must be None or an integer of at least 1, got 'many'"):
        combine([first], budget="many")
    with pytest.raises(ValueError, match="budget must be None or an integer of at least 1, got True"):
        combine([first], budget=True)
    with pytest.raises(ParameterError, match="feature_space must be a Classifier or a Regressor"):
        Classifier(feature_space=3)
    with pytest.raises(ParameterError, match="feature_space must be a model that has learned rows"):
        Classifier(feature_space=Classifier())
    with pytest.raises(ParameterError, match="feature_space must be a model with the same metric_learning"):
        Classifier(metric_learning="none", feature_space=first)
    with pytest.raises(ValueError, match="X must have 4 features, got 3"):
        Classifier(feature_space=first).learn(X[:, :3], y)
    with pytest.raises(ValueError, match="with feature_space shares its scaling"):
        Classifier(feature_space=first).set_scaling([0] * 4, [1] * 4)
