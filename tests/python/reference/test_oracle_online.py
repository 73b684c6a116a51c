"""The online kernel machine against its oracles, piece by piece."""

import itertools

import numpy as np
import pytest

import streams
from budgetrs import Classifier, Regressor
from oracle_drift import OracleForgetting
from oracle_intervals import COVERAGES, OracleIntervals, OracleSets
from oracle_online import OracleOnline
from oracle_tube import OracleRegression
from recorded import recorded

BUDGET = 20
METRICS = ("full", "diagonal", "none")

# What is compared: attributes, and methods of rows. Some attributes have other names in the oracles.
OF_ORACLES = {"n_samples_seen_": "seen", "n_updates_": "updates", "support_vectors_": "vectors"}
OF_ORACLES |= {"n_drifts_": "drifts", "n_mistakes_": "mistakes"}
COUNTS = ("n_samples_seen_", "n_updates_")
MODEL = ("support_vectors_", "components_")
LINEAR = ("coef_", "intercept_", "tail_coef_")
SCORES, PROBABILITIES = "decision_function", "predict_proba"


def case(oracle, stream, near, *seen, parts=(slice(None),), passes=1, every=1, single=False, **options):
    """An oracle on a stream: what is compared after each part, and how near it is to be."""
    return {
        "oracle": oracle,
        "stream": stream,
        "near": near,
        "seen": seen,
        "parts": parts,
        "passes": passes,
        "every": every,
        "single": single,
        "options": {"budget": BUDGET, **options},
    }


def pieces():
    found = (
        {},
        {"linear_weight": None},
        {"noise_margin": None},
        {"noise_margin": 0.2},
        {"C_decay": False, "C0": 1.0},
        {"average": False},
        {"maintenance": "merge"},
        {"kernel": "rbf"},
        {"scaling": "none"},
        {"gamma": 0.3},
    )
    for n_classes, metric, piece in itertools.product((2, 4), METRICS, found):
        # The ramp cannot act before about row 900.
        rows = 1200 if piece == {"noise_margin": 0.2} else 350
        stream = "blobs", {"n_classes": n_classes, "n_rows": rows, "units": "scaling" not in piece}
        yield case("online", stream, 1e-11, *COUNTS, SCORES, *MODEL, metric_learning=metric, **piece)
    for n_classes in (2, 4):
        stream = "blobs", {"n_classes": n_classes, "n_rows": 200, "weighted": False}
        yield case("online", stream, 1e-11, "n_updates_", SCORES, passes=2)
    for metric in ("full", "none"):
        # Single precision agrees for some time.
        stream = "blobs", {"n_classes": 4, "n_rows": 400, "seed": 8, "weighted": False}
        yield case("online", stream, 5e-3, SCORES, single=True, metric_learning=metric)
    for n_classes, passes in itertools.product((2, 4), (1, 2)):
        stream = "overlapping", {"n_classes": n_classes}
        yield case("online", stream, 1e-10, SCORES, PROBABILITIES, passes=passes)


def changes():
    found = [("flip", 2, "auto"), ("flip", 4, "auto"), ("turn", 2, "auto"), ("turn", 4, "auto")]
    found += [("flip", 2, 100), ("flip", 4, None), ("easy", 2, "auto"), ("noisier", 4, "auto")]
    found += [("move", 2, "auto"), ("move", 4, "auto")]
    names = *COUNTS, "n_drifts_", "n_mistakes_", SCORES, PROBABILITIES
    for change, n_classes, forget in found:
        stream = "drifting", {"change": change, "n_classes": n_classes}
        yield case("forgetting", stream, 1e-9, *names, forget=forget)
    for change, n_classes in (("flip", 2), ("flip", 4), ("noisier", 4)):
        stream = "drifting", {"change": change, "n_classes": n_classes, "last": 350}
        yield case("sets", stream, 0, "predict_set", every=5, forget="auto")


def surface(kind, n_rows, n_features):
    return "surface", {"kind": kind, "n_rows": n_rows, "n_features": n_features}


def regression():
    found = (
        {},
        {"linear_weight": None},
        {"linear_weight": 0.3, "average": False},
        {"scaling": "none"},
        {"average": False},
        {"C_decay": False},
        {"C_decay": False, "C0": 0.3, "linear_weight": None},
        {"epsilon": 0.1, "C0": 2.0, "scaling": "none"},
    )
    shown = *COUNTS, "predict", *MODEL, *LINEAR

    def one(kind, n_rows, n_features, metric="none", **options):
        stream = surface(kind, n_rows, n_features)
        return case("regression", stream, 1e-9, *shown, metric_learning=metric, **options)

    for metric, piece in itertools.product(METRICS, found):
        kind = "plain" if "scaling" in piece else "units"
        yield one(kind, 250 if metric == "full" else 160, 5, metric, **piece)
    for metric in METRICS[1:]:
        yield one("plain", 100, 70, metric)  # of many features the diagonal of S is learned
    yield one("plain", 300, 5, "full", budget=150)  # the metric is learned from a hundred vectors on
    yield one("plain", 1600, 3, budget=2)  # the running error forgets
    for n_features, average in itertools.product((4, 70), ("polynomial", False)):
        yield one("tails", 400, n_features, average=average)
    # The linear term follows changes of the scaling.
    for kind in streams.CHANGING:
        for n_features, piece in ((5, {}), (5, {"average": False}), (5, {"budget": 150}), (70, {})):
            yield one(kind, 500, n_features, **piece)
    parts = slice(0, 15), slice(15, 250), slice(250, 400)
    found = {}, {"average": False}, {"linear_weight": None}, {"scaling": "none"}
    for metric, piece in itertools.product(("full", "none"), found):
        options = {"metric_learning": metric, **piece}
        yield case(
            "intervals", surface("plain", 400, 5), 1e-7, "predict_interval", parts=parts, every=4, **options
        )


CASES = [*pieces(), *changes(), *regression()]
ORACLES = {
    "online": OracleOnline,
    "forgetting": OracleForgetting,
    "sets": OracleSets,
    "regression": OracleRegression,
    "intervals": OracleIntervals,
}


def name_of(case):
    stream = "-".join(map(str, case["stream"][1].values()))
    options = "-".join(f"{key}={value}" for key, value in case["options"].items() if key != "budget")
    return f"{case['oracle']}-{case['stream'][0]}-{stream}-{options}-{case['passes']}"


def data_of(case):
    name, options = case["stream"]
    X, y, weights = getattr(streams, name)(**options)
    return X.astype(np.float32 if case["single"] else float), y, weights


def learned(case, make, learn):
    """What is seen of a machine after each part of the stream."""
    X, y, weights = data_of(case)
    machine, steps = make(case, X), []
    for part in case["parts"]:
        for number in range(case["passes"]):
            repeated = {"repeated": True} if number else {}
            learn(machine, X[part], y[part], weights[part], **repeated)
        steps.append({name: seen_of(machine, name, X[:: case["every"]]) for name in seen_in(case)})
    return machine, steps


def seen_in(case):
    """The names of what is compared, without what the options leave out."""
    options = case["options"]
    left_out = {"components_"} if options.get("metric_learning") == "none" else set()
    if options.get("linear_weight", 1.0) is None:
        left_out |= set(LINEAR)
    if options.get("scaling") == "none":
        left_out |= {"tail_coef_"}
    return [name for name in case["seen"] if name not in left_out]


def seen_of(machine, name, X):
    value = getattr(machine, name if hasattr(machine, name) else OF_ORACLES[name])
    if name in ("predict_interval", "predict_set"):
        return np.array([value(X, coverage=coverage) for coverage in (*COVERAGES, 0.01, 0.85, 0.97, 0.995)])
    return value(X) if callable(value) else value


def oracle_of(case, X):
    n_classes = case["stream"][1].get("n_classes")
    sizes = (X.shape[1],) if n_classes is None else (X.shape[1], n_classes)
    return ORACLES[case["oracle"]](*sizes, **case["options"])


def model_of(case, X):
    options = {"forget": None, **case["options"]}
    n_classes = case["stream"][1].get("n_classes")
    if n_classes is None:
        return Regressor("online-kernel", **options)
    return Classifier("online-kernel", classes=list(range(n_classes)), **options)


@recorded([(case,) for case in CASES])
def expected_of(case):
    oracle, steps = learned(case, oracle_of, lambda oracle, *rows, **more: oracle.learn_all(*rows, **more))
    assert_of_use(case, oracle)
    return steps


def assert_of_use(case, oracle):
    """What is special about the case happens."""
    name, stream = case["stream"]
    if name == "overlapping":
        assert oracle.probabilities.is_corrected
        assert abs(oracle.probabilities.correction.rows).max() > 0.1
    if case["oracle"] == "forgetting":
        change, forget = stream["change"], case["options"]["forget"]
        if change not in ("turn", "move"):
            assert (oracle.drifts > 0) == (change in ("flip", "noisier") and forget == "auto")
        assert (oracle.restarts > 0) == ((change, forget) == ("flip", "auto"))
        assert oracle.votes == (change == "move")
    if case["oracle"] == "regression":
        assert stream["kind"] not in streams.CHANGING or oracle.n_changes >= 6
        if case["options"]["metric_learning"] != "none":
            assert abs(oracle.A - np.eye(len(oracle.A))).max() > 0.001


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    def learn(model, X, y, weights, **repeated):
        model.learn(X, y, sample_weight=weights, **repeated)

    _, steps = learned(case, model_of, learn)
    for found, expected in zip(steps, expected_of(case), strict=True):
        for name, value in vars(expected).items():
            # Predictions of targets are in their unit; less what the rounding in the file may add.
            near = case["near"] * (data_of(case)[1].std() if name == "predict" else 1)
            near = max(near - 2**-44, 0)
            np.testing.assert_allclose(found[name], value, rtol=0, atol=near, err_msg=name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("maintenance", ["merge", "merge-newest"])
def test_with_two_classes_and_without_its_pieces_it_is_a_published_algorithm(dtype, maintenance):
    X, y, _ = streams.blobs(2, 1200, seed=9, units=False)
    X = X.astype(dtype)
    shared = {"budget": BUDGET, "kernel": "rational-quadratic", "gamma": 0.4, "maintenance": maintenance}
    shared |= {"classes": [0, 1], "alpha_rq": 2.0}
    plain = {"metric_learning": "none", "linear_weight": None, "average": False, "noise_margin": None}
    plain |= {"C_decay": False, "scaling": "none", "forget": None}
    model = Classifier("online-kernel", C0=0.7, **plain, **shared).learn(X, y)
    published = Classifier("pa-merge", C=0.7, **shared).learn(X, y)
    np.testing.assert_array_equal(model.support_vectors_, published.support_vectors_)
    np.testing.assert_array_equal(model.dual_coef_, published.dual_coef_)
    np.testing.assert_array_equal(model.decision_function(X), published.decision_function(X))


def test_targets_that_are_all_alike_need_no_support_vectors():
    X, _, _ = streams.surface("plain", 20, 5)
    model = Regressor("online-kernel", metric_learning="full", forget=None).learn(X, np.full(20, -3.0))
    assert (model.n_samples_seen_, model.n_support_vectors_) == (20, 0)
    np.testing.assert_array_equal(model.predict(X), -3.0)


@pytest.mark.parametrize("average", ["polynomial", False])
@pytest.mark.parametrize("n_features", [4, 70])
def test_the_linear_term_extends_beyond_the_clip(n_features, average):
    X, y, _ = streams.surface("tails", 400, n_features)
    model = Regressor(forget=None, metric_learning="none", average=average).learn(X, y)
    assert model.tail_coef_.shape == model.coef_.shape == (1, n_features)
    assert np.count_nonzero(model.tail_coef_) >= 3
    with pytest.raises(AttributeError, match="has no tail_coef_"):
        _ = Regressor(scaling="none").learn(X, y).tail_coef_
