"""Models as ONNX graphs, run by onnxruntime."""

import json
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest

import budgetrs
from budgetrs import (
    BPAClassifier,
    BSGDClassifier,
    BSGDRegressor,
    BudgetMIRA,
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    Regressor,
    make_estimator,
    to_onnx,
)
from budgetrs._core import KERNELS
from budgetrs._modelfile import Calibration, read
from budgetrs.onnx._check import check
from budgetrs.onnx._convert import convert
from conftest import CODE_PATHS, DISTANCE_KERNELS, moving_clusters, required

DTYPES = [np.float32, np.float64]
SQUARED_DISTANCE_KERNELS = [name for name, of in KERNELS.items() if of == "|x - x'|^2"]
TASKS = [2, 3, 0]
# Of the largest score; probabilities are corrected by lines that can be steep.
CLOSE = {"float32": 2e-5, "float64": 1e-11}
CLOSE_PROBABILITY = {"float32": 1e-4, "float64": 1e-9}


def rows(task, dtype, count=2500, seed=0, *, raw=False):
    """Rows with two or three classes (strings) or, as task 0, targets; raw ones are in odd units."""
    X = np.random.default_rng(seed).normal(size=(count, 5))
    value = X[:, 0] * X[:, 1] + X[:, 2]
    y = value if task == 0 else np.array(["no", "so so", "yes"])[np.digitize(value, CUTS[task])]
    if raw:
        # One feature is constant; another one's mean is large for float32.
        X = X * [1.0, 1e3, 1e-4, 0.0, 50.0] + [0.0, 1e6, 3.0, 7.0, -20.0]
        X[:, 0] += 1e5
    return X.astype(dtype), y


CUTS = {2: [0.7], 3: [-0.5, 0.5]}


def native(task, *args, **params):
    return (Regressor if task == 0 else Classifier)(*args, **params)


def outputs_of(model, X):
    """Run the graph of a model."""
    return run(to_onnx(model), X)


def session_of(graph):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def run(graph, X):
    assert {node.domain for node in graph.graph.node} == {""}
    session = session_of(graph)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": X}), strict=True))


def assert_same(model, X, close=None):
    """Compare the graph of a model with the model, on rows of the model's dtype."""
    found = outputs_of(model, X)
    close = CLOSE[X.dtype.name] if close is None else close
    if not hasattr(model, "classes_"):
        assert list(found) == ["predictions"]
        assert_close(found["predictions"], model.predict(X), close)
        return found
    scores, labels = model.decision_function(X), model.predict(X)
    assert_close(found["scores"], scores, close)
    assert found["label"].shape == labels.shape
    # Others differ only where classes are tied but for rounding.
    margins = np.abs(scores) if scores.ndim == 1 else np.diff(np.sort(scores, axis=1)[:, -2:])[:, 0]
    sure = margins > 2 * close * np.abs(scores).max()
    assert sure.mean() > 0.9 or len(model.classes_) == 1
    np.testing.assert_array_equal(found["label"][sure], labels[sure])
    assert (found["label"] != labels).sum() <= 1 + 0.01 * (~sure).sum()
    if hasattr(model, "predict_proba") and "probabilities" in found:
        probabilities = model.predict_proba(X)
        assert found["probabilities"].shape == probabilities.shape
        assert found["probabilities"].dtype == X.dtype
        np.testing.assert_allclose(
            found["probabilities"], probabilities, rtol=0, atol=CLOSE_PROBABILITY[X.dtype.name]
        )
    return found


def assert_close(found, expected, close):
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    # Neither zero nor all the same, so that the comparison says something.
    assert np.ptp(expected) > 0
    np.testing.assert_allclose(found, expected, rtol=0, atol=close * np.abs(expected).max())


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "cosine"])
@pytest.mark.parametrize("scaling", ["none", "given", "online"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_scaling(kernel, scaling, dtype):
    X, y = rows(3, dtype, raw=scaling != "none")
    model = Classifier(
        "bsgd-random",
        kernel=kernel,
        budget=40,
        linear_weight=0.3,
        scaling="online" if scaling == "online" else "none",
    )
    if scaling == "given":
        model.set_scaling(X.mean(axis=0, dtype=float), X.std(axis=0, dtype=float))
    model.learn(X[:1500], y[:1500])
    # Some numbers are so large that a running scaling clips them.
    far = X.copy()
    far[::7, 1] += 4e3 if scaling != "none" else 0
    # A feature that was constant is shifted, and not divided.
    far[::5, 3] += 0.7
    assert_same(model, far)


RANDOM = {"algorithm": "bsgd-random"}
# The tasks, whether the rows are in odd units, and the parameters of a model.
PARAMETERS = [
    *((TASKS, False, RANDOM | {"kernel": kernel, "budget": 40}) for kernel in KERNELS),
    *(
        ([2], False, RANDOM | {"budget": 60} | kernel)
        for kernel in (
            *({"kernel": "rational-quadratic", "alpha_rq": alpha} for alpha in (2.0, 0.05, 1000.0)),
            {"kernel": "poly", "degree": 1, "coef0": 0.5},
            {"kernel": "poly", "degree": 4, "coef0": 1.0},
            {"kernel": "sigmoid", "coef0": 0.3},
            {"kernel": "rbf", "gamma": 3.0},
            {"kernel": "matern32", "gamma": 0.01},
        )
    ),
    *(
        (TASKS, True, {"metric_learning": metric, "linear_weight": linear, "budget": 60, "C0": 5.0})
        for metric in ("none", "diagonal", "full")
        for linear in (None, 0.5)
    ),
    *(
        (TASKS, True, {"algorithm": "bsgd-merge", "average": average, "scaling": "online", "budget": 30})
        for average in (False, True, "polynomial", "random")
    ),
    *((TASKS, True, {"forget": forget, "budget": 40}) for forget in ("auto", 300, None)),
    (TASKS, True, {"forget": None, "average": False, "budget": 40}),
    *(
        ([2, 3], False, {"algorithm": "bsgd-merge", "loss": loss, "budget": 40})
        for loss in ("log_loss", "modified_huber")
    ),
    *(([3], False, {"algorithm": name} | required(name)) for name in CODE_PATHS),
]


@pytest.mark.parametrize(
    ("task", "raw", "params"), [(task, *case) for tasks, *case in PARAMETERS for task in tasks], ids=str
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_parameter(task, raw, params, dtype):
    X, y = rows(task, dtype, raw=raw)
    model = native(task, **params).learn(X[:1500], y[:1500])
    X[-1] = 0
    found = assert_same(model, X)
    has_probabilities = model.algorithm == "online-kernel" or params.get("loss") == "log_loss"
    assert ("probabilities" in found) == (has_probabilities and task != 0)
    assert metadata_of(to_onnx(model))["algorithm"] == model.algorithm
    metric = params.get("metric_learning", "none")
    if metric != "none":
        start = np.eye(5) if metric == "full" else np.ones((1, 5))
        assert model.components_.shape == start.shape
        assert not np.array_equal(model.components_, start)


def with_trend(X, y):
    X[:, 0] += np.linspace(0, 20, len(X))
    return Regressor(budget=40).learn(X, y + X[:, 0]), X


def beyond_the_clip(X, y, **params):
    X[:, :2] = np.exp(1.3 * X[:, :2])
    model = Regressor(budget=40, **params).learn(X, y + X[:, 0])
    assert np.count_nonzero(read(model).tail) > 1
    return model, np.concatenate([X, 3 * X])


def far_outside(X, y, task=0, **params):
    X[::10, 0], X[::13, 1], X[:, 2] = 60.0, -999.0, X[:, 2] > 1.5
    model = native(task, budget=40, **params).learn(X, np.digitize(y, CUTS[task]) if task else y)
    far = np.tile(X[1:2], (4, 1))
    far[:, 0] = [1e6, -1e6, 30.0, -100.0]
    return model, np.concatenate([X, far])


def after_a_drift(X, y):
    labels = np.where(y > 0.7, "yes", "no")
    model = Classifier(budget=40).learn(X, labels).learn(X[:700], np.where(labels == "no", "yes", "no")[:700])
    assert model.n_drifts_ > 0
    return model, X


def of_size(X, y, size):
    X[:, 0] *= X.dtype.type(size)
    return Classifier(budget=40).learn(X, np.digitize(y, CUTS[3])), X


def of_recent_rows(X, _, n_classes):
    X, y = moving_clusters(2500, n_classes, dtype=X.dtype)
    model = Classifier(budget=30).learn(X, y)
    assert model.n_support_vectors_ == 512
    return model, X[1500:]


def of_frequency(X, _, share):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(12000, 3)).astype(X.dtype)
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=12000) > np.quantile(X[:, 0] + X[:, 1] ** 2, 1 - share)
    return Classifier(budget=30).learn(X, y), X


BOTH = [
    with_trend,
    *(partial(beyond_the_clip, missing=missing) for missing in ("mean", "error")),
    *(partial(far_outside, task=task, missing=missing) for task in TASKS for missing in ("mean", "error")),
    *(partial(of_recent_rows, n_classes=count) for count in (2, 3)),
    *(partial(of_frequency, share=share) for share in (0.03, 0.25, 0.5)),
]
STREAMS = [(learn, dtype) for learn in BOTH for dtype in DTYPES] + [(after_a_drift, np.float64)]
STREAMS += [(partial(of_size, size=size), np.float32) for size in (1e-39, 1e-30, 1e30)]


@pytest.mark.filterwarnings("ignore:values that repeat")
@pytest.mark.parametrize(("learn", "dtype"), STREAMS)
def test_streams_of_other_kinds(learn, dtype):
    found = assert_same(*learn(*rows(0, dtype)))
    assert ("probabilities" in found) == ("predictions" not in found)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_missing_values(task, dtype):
    X, y = rows(task, dtype, raw=True)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    # A feature has its own number of rows in the statistics.
    X[:500, 2] = np.nan
    assert_same(native(task, budget=40).learn(X, y), X)
    holes = np.full((1, 5), np.nan, dtype=dtype)
    model = native(task, budget=40).learn(X, y)
    name = "predictions" if task == 0 else "scores"
    assert np.isfinite(outputs_of(model, holes)[name]).all()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_that_mean_missing(task, dtype):
    X, y = rows(task, dtype, raw=True)
    marked, random = X.copy(), np.random.default_rng(1).random(X.shape)
    marked[random < 0.2], marked[random > 0.9] = -999.9, X[0, 0]
    model = native(task, budget=40, missing_values=[-999.9, float(X[0, 0])]).learn(marked, y)
    assert_same(model, marked)
    found = outputs_of(model, marked)
    holed = outputs_of(model, np.where((random < 0.2) | (marked == X[0, 0]), np.nan, marked).astype(dtype))
    assert all(np.array_equal(found[name], holed[name]) for name in found)


def test_probabilities_of_weighted_classes_that_overlap():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 2))
    y = rng.random(20000) < np.where(X[:, 0] > 1, 0.4, 0.02)
    model = Classifier(budget=20, class_weight="balanced").learn(X, y)
    probabilities = outputs_of(model, X)["probabilities"]
    np.testing.assert_allclose(probabilities, model.predict_proba(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("apart", [0.0, 10.0, 30.0, 1e3, 1e6])
@pytest.mark.parametrize("kernel", SQUARED_DISTANCE_KERNELS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_distances_keep_their_digits_wherever_the_rows_are(offset, apart, kernel, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    y = X[:, 0] * X[:, 1] > 0
    X = (X + offset + apart * (rng.random((2000, 1)) < 0.5)).astype(dtype)
    model = Classifier("bsgd-random", budget=100, kernel=kernel, gamma=0.3).learn(X, y)
    assert_same(model, X, close=2e-5)
    # Where a product of matrices is enough there is no loop. Which rows are support vectors, and so how far
    # they are from their mean, depends on the kernel.
    vectors = model.support_vectors_.astype(np.float64)
    farthest = 0.3 * ((vectors - vectors.mean(axis=0)) ** 2).sum(axis=1).max()
    looped = "Scan" in {node.op_type for node in to_onnx(model).graph.node}
    assert looped == (farthest > (1e9 if dtype is np.float64 else 64.0))


LABELS = {"str": ["", "ä ö", "b"], "bool": [False, True], "int": [-5, 2**60, 3], "float": [0.25, 1e9, -1.5]}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("kind", LABELS)
def test_labels_have_their_type(kind, count, dtype):
    labels = LABELS[kind][:count]
    X, y = rows(len(labels), dtype, count=200)
    y = np.array(labels)[np.unique(y, return_inverse=True)[1]]
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "u", "v"), "c": X[:, 2]})
    for algorithm in ("online-kernel", "bpa-s"):
        model = Classifier(algorithm, budget=5).learn(X, y)
        graph = to_onnx(model)
        label = run(graph, X)["label"]
        assert label.tolist() == model.predict(X).tolist()
        assert label.dtype.kind == ("O" if kind == "str" else model.classes_.dtype.kind)
        assert json.loads(metadata_of(graph)["classes"]) == model.classes_.tolist()
    model = Classifier(budget=5).learn(frame, y)
    assert run_columns(model, frame)["label"].tolist() == model.predict(frame).tolist()


def run_columns(model, frame):
    """Run the graph of a model with an input for each column."""
    session = session_of(to_onnx(model))
    kinds = {value.name: value.type for value in session.get_inputs()}
    assert list(kinds) == frame.columns.tolist()
    given = {
        name: frame[[name]].to_numpy(object if kind == "tensor(string)" else model.dtype)
        for name, kind in kinds.items()
    }
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, given), strict=True))


def metadata_of(graph):
    return {entry.key: entry.value for entry in graph.metadata_props}


def test_one_class_is_always_predicted():
    X, _ = rows(2, np.float32)
    found = assert_same(Classifier(budget=10).learn(X, ["only"] * len(X)), X)
    assert set(found["label"]) == {"only"}
    assert found["probabilities"].tolist() == [[1.0]] * len(X)
    # Also by scores of the other side.
    X = np.abs(X)
    found = assert_same(Classifier("pa", kernel="linear").learn(X, ["only"] * len(X)), -X)
    assert (found["scores"] > 0).all()
    assert set(found["label"]) == {"only"}


@pytest.mark.parametrize("far", [1e3, 1e6, 1e60])
@pytest.mark.parametrize("task", [2, 3])
def test_probabilities_of_rows_of_which_the_model_is_sure(far, task):
    X, y = rows(task, np.float64)
    found = assert_same(Classifier(budget=30, scaling="none").learn(X, y), far * X)
    assert np.isfinite(found["probabilities"]).all()


@pytest.mark.parametrize("task", [2, 3])
def test_the_predicted_class_stays_the_likeliest(task):
    X, y = rows(task, np.float64)
    model = read(Classifier(budget=30, scaling="none").learn(X, y))
    # Rows of which the model is sure have been wrong almost always.
    calibration = Calibration(50.0, np.array([1 / task, 0.9]), np.array([1 / task, 0.05]))
    found = run(convert(replace(model, calibration=calibration)), 1e60 * X)
    # It is as likely as the others, and a thousandth of what is left.
    expected = 0.999 / task + 0.001
    np.testing.assert_allclose(found["probabilities"].max(axis=1), expected)
    np.testing.assert_allclose(found["probabilities"].min(axis=1), (1 - expected) / (task - 1))
    top = model.classes[found["probabilities"].argmax(axis=1)]
    np.testing.assert_array_equal(top, found["label"])


@pytest.mark.filterwarnings("ignore:Classifier. of .* kernel values")
@pytest.mark.parametrize("kernel", DISTANCE_KERNELS)
@pytest.mark.parametrize("alpha_rq", [2.0, 0.5])
def test_kernels_of_rows_as_far_as_they_may_be(kernel, alpha_rq):
    X, y = rows(2, np.float32)
    more = {"alpha_rq": alpha_rq} if kernel == "rational-quadratic" else {}
    model = Classifier("bsgd-random", kernel=kernel, gamma=1e14, budget=30, **more).learn(X, y)
    far = np.vstack([X, np.float32(1e13) * X])
    found = outputs_of(model, far)["scores"]
    np.testing.assert_allclose(found, model.decision_function(far), rtol=0, atol=1e-4)


def test_a_model_without_support_vectors():
    X, _ = rows(0, np.float32)
    model = Regressor("bpa-s", budget=5).learn(X, np.zeros(len(X)))
    assert model.n_support_vectors_ == 0
    assert outputs_of(model, X)["predictions"].tolist() == [0.0] * len(X)


def test_one_row_one_feature_and_none():
    X, y = rows(2, np.float64)
    model = Classifier(budget=30).learn(X[:, :1], y)
    assert outputs_of(model, X[:1, :1])["label"].tolist() == model.predict(X[:1, :1]).tolist()
    assert outputs_of(model, X[:0, :1])["scores"].shape == (0,)


@pytest.mark.parametrize(
    "estimator",
    [
        OnlineKernelClassifier(budget=30, random_state=0),
        OnlineKernelRegressor(budget=30, random_state=0),
        BSGDClassifier(budget=30, loss="log_loss", random_state=0),
        BSGDRegressor(budget=30, random_state=0),
        BPAClassifier(budget=30, scaling="online", random_state=0),
        BudgetMIRA(budget=30, random_state=0),
        make_estimator("projectron", budget=30, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_estimators(estimator):
    X, y = rows(0 if "Regressor" in type(estimator).__name__ else 3, np.float32)
    found = assert_same(estimator.fit(X, y), X)
    assert ("probabilities" in found) == hasattr(estimator, "predict_proba")


@pytest.mark.parametrize("params", [{}, {"algorithm": "bsgd-merge", "loss": "log_loss"}], ids=str)
@pytest.mark.parametrize("labels", [("yes", "no"), ("so", "yes", "no")], ids=len)
def test_an_estimator_of_a_model_that_took_classes_as_they_came(params, labels, tmp_path):
    X = rows(0, np.float64)[0]
    y = np.array(labels)[np.arange(len(X)) % len(labels)]
    X[:, 0] += 3 * (np.arange(len(X)) % len(labels))
    model = Classifier(**{"algorithm": "online-kernel", "budget": 20, **params}).learn(X, y)
    model.save(tmp_path / "model")
    kind = BSGDClassifier if params else OnlineKernelClassifier
    estimator = kind.load(tmp_path / "model")
    assert model.classes_.tolist() == list(labels)
    for either in (model, estimator):
        assert set(assert_same(either, X)) == {"label", "scores", "probabilities"}
        assert json.loads(metadata_of(to_onnx(either))["classes"]) == either.classes_.tolist()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_columns_of_words_are_inputs_of_strings(task, dtype):
    X, y = rows(task, dtype)
    # The first one has another word in each third of the rows, the last one nothing at all.
    town = np.array(["Rome", "Oslo", "Ulm"])[np.arange(len(X)) * 3 // len(X)]
    colour = np.where(X[:, 3] > 0, "red", "blue")
    frame = pd.DataFrame({"town": town, "X": X[:, 0], "MatMul_1": X[:, 1], "colour": colour, "w": X[:, 2]})
    frame["nothing"] = pd.Series([None] * len(X), dtype=object)
    model = native(task, budget=40).learn(frame, y)
    frame.loc[:2, "town"] = "Paris"
    found = run_columns(model, frame)
    if task == 0:
        expected, got = model.predict(frame), found["predictions"]
    else:
        expected, got = model.decision_function(frame), found["scores"]
        assert found["label"].tolist() == model.predict(frame).tolist()
    np.testing.assert_allclose(got, expected, rtol=0, atol=CLOSE[model.dtype.name] * np.abs(expected).max())


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize(
    "names",
    [
        ("a", "X"),
        ("X", "X_"),
        ("/X", "//"),
        ("loop_sums", "/loop_feature"),
        ("Exp_5", "constant_0"),
        ("é", "b 1"),
    ],
)
def test_columns_keep_their_names(names, kernel):
    X, y = rows(0, np.float64, count=200)
    frame = pd.DataFrame({names[0]: X[:, 0], names[1]: np.where(X[:, 1] > 0, "u", "v"), "z": X[:, 2]})
    model = Regressor("bsgd-random", budget=5, kernel=kernel).learn(frame, y)
    expected = model.predict(frame)
    np.testing.assert_allclose(run_columns(model, frame)["predictions"], expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["", "label", "scores", "probabilities", "predictions"])
@pytest.mark.parametrize("task", TASKS)
def test_columns_with_the_name_of_an_output_raise(name, task):
    X, y = rows(task, np.float64, count=200)
    frame = pd.DataFrame({name: X[:, 0], "colour": np.where(X[:, 1] > 0, "u", "v")})
    model = native(task, budget=5).learn(frame, y)
    outputs = ["predictions"] if task == 0 else ["label", "scores", "probabilities"]
    if name not in ["", *outputs]:
        assert len(run_columns(model, frame))
    else:
        with pytest.raises(ValueError, match=f"got the column '{name}': rename the column and train again"):
            to_onnx(model)


@pytest.mark.parametrize("has_onnxruntime", [True, False])
def test_an_invalid_graph_raises(has_onnxruntime, monkeypatch):
    X, y = rows(2, np.float32, count=200)
    model = read(Classifier(budget=5).learn(X, y))
    made = convert(model)
    if has_onnxruntime:
        # The checker finds it too.
        monkeypatch.setattr(onnx.checker, "check_model", lambda *args, **kwargs: None)
    else:
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
    check(made)
    made.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.DOUBLE
    with pytest.raises(Exception, match="label"):
        check(made)


def test_features_of_columns_that_were_unknown_at_first_are_in_order():
    X, y = rows(3, np.float64)
    frame = pd.DataFrame({"size": [None] * len(X), "w": X[:, 2]})
    model = native(3, budget=40).learn(frame, y)
    frame["size"] = np.array(["S", "M", "L"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    frame["new"] = X[:, 1]
    model.learn(frame, y, add_features=True)
    assert model.get_feature_names_out().tolist() == ["size=M", "w", "new", "size=S", "size=L"]
    found = run_columns(model, frame)
    assert found["label"].tolist() == model.predict(frame).tolist()
    np.testing.assert_allclose(found["scores"], model.decision_function(frame), rtol=0, atol=1e-9)


@pytest.mark.parametrize("params", [{}, {"missing": "error"}])
def test_the_empty_string_is_a_missing_word(params):
    X, y = rows(3, np.float64)
    size = np.array(["S", "M", "L"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    frame = pd.DataFrame({"size": size, "w": X[:, 2], "note": np.where(X[:, 1] > 0, "", "x")})
    missing = frame.assign(size=frame["size"].where(X[:, 3] > -1.0))
    takes = not params
    model = native(3, budget=40, **params).learn(missing if takes else frame, y)
    words = missing.fillna({"size": ""})
    found = run_columns(model, words)
    # To other models it is a word as any other, which they do not know.
    expected = missing if takes else words
    assert found["label"].tolist() == model.predict(expected).tolist()
    np.testing.assert_allclose(found["scores"], model.decision_function(expected), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(expected), rtol=0, atol=1e-6)


def test_it_says_where_it_is_from():
    X, y = rows(2, np.float32)
    model = Classifier(budget=20).learn(X, y)
    graph = to_onnx(model)
    assert (graph.producer_name, graph.producer_version) == ("budgetrs", budgetrs.__version__)
    assert metadata_of(to_onnx(model)) == {"algorithm": "online-kernel", "classes": '["no", "so so"]'}
    assert metadata_of(to_onnx(Regressor(budget=20).learn(X, X[:, 0]))) == {"algorithm": "online-kernel"}
    # A model that learns on has another graph; the old one stays what it was.
    before = graph.SerializeToString()
    model.learn(X[::-1], y[::-1])
    assert graph.SerializeToString() == before != to_onnx(model).SerializeToString()


def test_what_cannot_be_converted_is_refused():
    with pytest.raises(
        TypeError, match=r"model must be a Classifier, a Regressor or an estimator.* got list"
    ):
        to_onnx([])
    with pytest.raises(
        TypeError, match=r"got budgetrs\.river\.Classifier; its native model, model\.native, "
    ):
        to_onnx(pytest.importorskip("budgetrs.river").Classifier())
    for model in (Classifier(), Regressor(), Classifier(classes=[0, 1]), OnlineKernelClassifier()):
        with pytest.raises(ValueError, match=f"must have learned rows, got a {type(model).__name__} that"):
            to_onnx(model)
