"""The recorder of a stream and its figure, compared with errors counted row by row."""

import re

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import budgetrs.river
from budgetrs import (
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    Regressor,
    StreamRecorder,
    _stream,
    plot_stream,
)

mpl.use("Agg")
from matplotlib import pyplot as plt

ROWS, BATCH, WINDOW = 1200, 40, 200
BASELINES = {
    Classifier: ["previous label", "most frequent label"],
    Regressor: ["previous target", "mean target"],
}
ERROR = {Classifier: "error", Regressor: "root mean squared error"}


def by_batches(learn):
    return lambda X, y: [
        lambda part=slice(at, at + BATCH): learn(X[part], y[part]) for at in range(0, len(X), BATCH)
    ]


def by_rows(learn):
    return lambda X, y: [lambda x=x, t=t: learn(x, t) for x, t in zip(X, y.tolist(), strict=True)]


# A model, and its calls for the rows of a stream.
WAYS = {
    "learn": lambda kind: (model := kind(**params_of(kind)), by_batches(model.learn)),
    "learn_one": lambda kind: (model := kind(**params_of(kind)), by_rows(model.learn_one)),
    "partial_fit": lambda kind: (
        model := {Classifier: OnlineKernelClassifier, Regressor: OnlineKernelRegressor}[kind](budget=20),
        by_batches(
            (lambda X, y: model.partial_fit(X, y, classes=[0, 1, 2]))
            if kind is Classifier
            else model.partial_fit
        ),
    ),
    "river": lambda kind: (
        model := getattr(budgetrs.river, kind.__name__)(**params_of(kind)),
        by_rows(lambda x, t: model.learn_one({"a": x[0], "b": x[1]}, t)),
    ),
}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def stream(kind, rows=ROWS):
    """Rows whose targets change in the middle, and one class that appears late."""
    X = np.random.default_rng(1).normal(size=(rows, 2))
    late = np.arange(rows) >= rows // 2
    if kind is Regressor:
        return X, X[:, 0] * X[:, 1] + 3 * late
    return X, np.where(late, (X[:, 0] > 0) + 1, (X[:, 0] > 0))


def errors_of(kind, X, y):
    """The errors of each row, (3, rows): of the model, of the row before, and of the constant."""
    model, errors, total = kind(**params_of(kind)), np.zeros((3, len(X))), 0.0
    for at in range(len(X)):
        model.learn_one(X[at], y[at].item())
        so_far = model.n_mistakes_ if kind is Classifier else model.mean_squared_error_ * (at + 1)
        errors[0, at], total = so_far - total, so_far
        if at and kind is Classifier:
            errors[1:, at] = y[at] != y[at - 1], y[at] != most_frequent(y[:at])
        elif at:
            errors[1:, at] = (y[at] - y[at - 1]) ** 2, (y[at] - y[:at].mean()) ** 2
    return errors


def params_of(kind):
    return {"budget": 20, "classes": [0, 1, 2]} if kind is Classifier else {"budget": 20}


def most_frequent(labels):
    """The label whose count was the first to reach the highest count."""
    counts, best = {}, None
    for label in labels.tolist():
        counts[label] = counts.get(label, 0) + 1
        if counts[label] > counts.get(best, 0):
            best = label
    return best


def assert_curves(curves, errors, kind, window):
    names = ["rows", ERROR[kind], *BASELINES[kind]]
    assert list(curves)[:4] == names
    rows = [0, *curves["rows"]]
    for at in range(1, len(rows)):
        # At least the window, where the recorded points lie far apart.
        since = max(row for row in [0, *rows[:at]] if row <= max(0, rows[at] - window))
        mean = errors[:, since : rows[at]].mean(axis=1)
        shown = np.sqrt(mean) if kind is Regressor else mean
        assert_allclose([curves[name][at - 1] for name in names[1:]], shown, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", BASELINES)
@pytest.mark.parametrize("way", WAYS)
def test_curves_equal_errors_counted_row_by_row(kind, way, monkeypatch):
    monkeypatch.setattr(_stream, "_FIRST_ROWS", 1)
    X, y = stream(kind)
    model, calls = WAYS[way](kind)
    recorder = StreamRecorder(model)
    for learn in calls(X, y):
        learn()
        recorder.record()
    curves, step = recorder.curves(WINDOW), 1 if way.endswith(("one", "river")) else BATCH
    assert curves["rows"][-1] == ROWS
    if step > 1:
        assert_array_equal(curves["rows"], np.arange(step, ROWS + 1, step))
    assert_curves(curves, errors_of(kind, X, y), kind, WINDOW)
    native = getattr(model, "native", getattr(model, "_model", model))
    assert_array_equal(recorder.drift_rows, native.drift_rows_)


def test_memory_is_bounded_and_the_errors_stay_exact(monkeypatch):
    monkeypatch.setattr(_stream, "_MOST_POINTS", 16)
    monkeypatch.setattr(_stream, "_FIRST_ROWS", 1)
    X, y = stream(Classifier)
    model = Classifier(**params_of(Classifier))
    recorder, most = StreamRecorder(model), 0
    for learn in by_rows(model.learn_one)(X, y):
        learn()
        recorder.record()
        most = max(most, len(recorder._points))
    curves = recorder.curves(WINDOW)
    assert most <= 16
    assert 8 <= len(curves["rows"]) <= 17
    assert np.diff(curves["rows"]).max() <= ROWS / 4
    assert_curves(curves, errors_of(Classifier, X, y), Classifier, WINDOW)


@pytest.mark.parametrize("kind", BASELINES)
def test_rows_before_the_recorder_and_repeated_rows_are_no_part_of_the_errors(kind):
    X, y = stream(kind)
    model = kind(budget=20).learn(X[:500], y[:500]).learn(X[:300], y[:300], repeated=True)
    before = np.array(sums(model))
    recorder = StreamRecorder(model)
    assert recorder.curves()["rows"].size == 0
    for at in range(500, ROWS, 100):
        model.learn(X[at : at + 100], y[at : at + 100])
        model.learn(X[:100], y[:100], repeated=True)
        recorder.record()
    curves = recorder.curves(ROWS)
    assert curves["rows"].tolist() == [800 + 200 * i for i in range(1, 8)]
    mean = (np.array(sums(model)) - before) / (ROWS - 500)
    expected = np.sqrt(mean) if kind is Regressor else mean
    names = (ERROR[kind], *BASELINES[kind])
    assert_allclose([curves[name][-1] for name in names], expected, rtol=1e-9)
    assert all(row > 800 for row in recorder.drift_rows)


def sums(model):
    new = model.n_samples_seen_ - REPEATED[model.n_samples_seen_]
    names = ("progressive_error_",) if hasattr(model, "classes_") else ("mean_squared_error_",)
    names += ("no_change_error_", "majority_error_" if hasattr(model, "classes_") else "constant_error_")
    return [new * getattr(model, name) for name in names]


# Of the rows learned in the test above, at its begin and at its end.
REPEATED = {800: 300, 2200: 1000}


def test_more_drifts_are_recorded_than_a_model_remembers():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (24_000, 2))
    y = (X[:, 0] > 0) ^ (np.arange(24_000) // 1000 % 2 == 1)  # the labels swap 23 times
    model = Classifier(budget=20)
    recorder = StreamRecorder(model)
    for learn in by_batches(model.learn)(X, y):
        learn()
        recorder.record()
    assert model.n_drifts_ > len(model.drift_rows_) == 16
    assert len(recorder.drift_rows) == model.n_drifts_
    assert_array_equal(recorder.drift_rows[-16:], model.drift_rows_)


def test_coverage_is_the_share_of_the_last_rows():
    X, y = stream(Regressor)
    model, covered = Regressor(budget=20).learn(X[:BATCH], y[:BATCH]), []
    recorder = StreamRecorder(model)
    for at in range(BATCH, ROWS, BATCH):
        part = slice(at, at + BATCH)
        low, high = model.predict_interval(X[part], coverage=0.8).T
        inside = (low <= y[part]) & (y[part] <= high)
        model.learn(X[part], y[part])
        recorder.record(inside)
        covered.extend(inside)
    curves = recorder.curves(WINDOW)
    for rows, coverage in zip(curves["rows"], curves["coverage"], strict=True):
        end = rows - BATCH
        assert coverage == pytest.approx(np.mean(covered[max(0, end - WINDOW) : end]))
    axes = plot_stream(recorder, window=WINDOW, coverage=0.8)
    assert_array_equal(axes.lines[0].get_ydata(), curves["coverage"])
    assert_array_equal(axes.lines[1].get_ydata(), 0.8)
    assert axes.get_title(loc="left") == "Coverage of the last 200 rows"


def recorded(kind):
    X, y = stream(kind)
    model = kind(budget=20)
    recorder = StreamRecorder(model)
    for learn in by_batches(model.learn)(X, y):
        learn()
        recorder.record()
    return recorder


@pytest.mark.parametrize("style", ["default", "dark_background"])
@pytest.mark.parametrize(
    ("kind", "title"),
    [(Classifier, "Error of the last 200 rows"), (Regressor, "Root mean squared error of the last 200 rows")],
)
def test_the_figure_has_the_curves_and_the_drifts(kind, title, style):
    recorder = recorded(kind)
    with plt.style.context(style):
        given = plt.figure().add_subplot()
        axes = plot_stream(recorder, given, window=WINDOW)
    assert axes is given
    curves = recorder.curves(WINDOW)
    rows = curves.pop("rows")
    for line, values in zip(axes.lines, curves.values(), strict=True):
        assert_array_equal(line.get_xdata(), rows)
        assert_array_equal(line.get_ydata(), values)
    (drifts,) = axes.collections
    assert_array_equal([segment[0, 0] for segment in drifts.get_segments()], recorder.drift_rows)
    assert len(recorder.drift_rows) > 0
    labels = [re.sub(r": .*", "", text.get_text()) for text in axes.get_legend().get_texts()]
    assert labels == ["model", *BASELINES[kind], "drift detected"]
    assert axes.get_title(loc="left") == title
    assert axes.get_ylim()[0] == 0


def refitted():
    X, y = stream(Classifier)
    model = OnlineKernelClassifier(budget=20, max_iter=1).fit(X[:500], y[:500])
    recorder = StreamRecorder(model)
    model.fit(X[:50], y[:50])
    return recorder


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: StreamRecorder("model"), TypeError, "model must be a Classifier, .* of budgetrs, got str"),
        (lambda: StreamRecorder(Classifier), TypeError, "model must be .*, got type"),
        (lambda: recorded(Classifier).record([0.5]), TypeError, "covered must be booleans, .*, got float64"),
        (lambda: recorded(Classifier).curves(0), ValueError, "window must be an integer >= 1, got 0"),
        (
            lambda: plot_stream(StreamRecorder(Classifier())),
            ValueError,
            "recorder must have rows: call record",
        ),
        (lambda: plot_stream(Classifier()), TypeError, "recorder must be a StreamRecorder, got Classifier"),
        (lambda: plot_stream(recorded(Classifier), coverage=0.9), ValueError, "call record\\(covered\\)"),
        (lambda: plot_stream(recorded(Classifier), "axes"), TypeError, "ax must be matplotlib axes"),
        (lambda: refitted().record(), ValueError, "fitted again: create a new StreamRecorder"),
    ],
)
def test_errors_name_what_to_do(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
