"""Comparing budgets: the models, the curves, what is made of them, and what is refused."""

import csv
import io
import weakref

import numpy as np
import pytest
from scipy import sparse

from budgetrs import BudgetComparison, Classifier, Regressor, compare_budgets
from budgetrs._core import parameters
from conftest import blobs, board

RENARD = [10, 12, 16, 20, 25, 32, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000]


def waves(rows):
    """Rows with a number to predict."""
    X = np.random.default_rng(0).uniform(-2, 2, (rows, 2))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1]


def by_hand(model, X, y, first):
    """Predict each row, then learn it; `first` is what a model says that has learned nothing."""
    said = []
    for t, (x, answer) in enumerate(zip(X, y, strict=True)):
        said.append(model.predict_one(x) if t else first)
        model.learn_one(x, answer)
    return np.array(said)


_X, _Y = board(2500)
_HOLES = np.where(np.abs(_X) < 0.4, 0, _X)
_WEIGHT = np.random.default_rng(1).uniform(0.2, 2.0, 2500)
_WEIGHT[::3] = 0.0
_WEIGHT[-5:] = 0.0
# Rows of several kinds with their answers, and the parameters that they need.
KINDS = {
    "dense": (_X, _Y, {}),
    "columns first": (np.asfortranarray(_X), _Y, {}),
    "lists": (_X[:400].tolist(), _Y[:400].tolist(), {}),
    "truth": (_X, _Y == 1, {}),
    # In the first piece of the batch there is one label alone.
    "late class": (_X, np.arange(2500) // 900, {}),
    "classes": (*blobs(1200), {"classes": [3, 2, 1, 0]}),
    "sparse": (sparse.csr_matrix(_HOLES), _Y, {}),
    "columns of sparse": (sparse.csc_array(_HOLES), _Y, {}),
    "weights": (_X, _Y, {"sample_weight": _WEIGHT}),
    "column of labels": (_X, _Y[:, None], {}),
}


@pytest.mark.filterwarnings("ignore:the label changes")
@pytest.mark.parametrize("kind", KINDS)
def test_each_model_is_the_one_trained_alone(kind):
    X, y, more = KINDS[kind]
    params = {"gamma": 2.0, **more}
    weight = params.pop("sample_weight", None)
    comparison = compare_budgets(X, y, [20, 5, None, 1000], "bsgd-merge", sample_weight=weight, **params)
    assert comparison.algorithm == "bsgd-merge"
    assert comparison.budgets == tuple(comparison.models) == (20, 5, None, 1000)
    for budget, model in comparison.models.items():
        own = {"maintenance": "none"} if budget is None else {}
        alone = Classifier("bsgd-merge", budget=budget, **own, **params).learn(X, y, sample_weight=weight)
        assert model.to_bytes() == alone.to_bytes(), budget
        assert model.dtype == alone.dtype


def test_what_depends_on_the_length_of_the_stream():
    X, y = blobs(300)
    params = {"algorithm": "nbsgd", "gamma": 0.5}
    known = compare_budgets(X, y, [4], rate="auto", **params)
    assert known.models[4].to_bytes() == (
        Classifier("nbsgd", budget=4, rate="auto", stream_length=300, gamma=0.5).learn(X, y).to_bytes()
    )
    with pytest.raises(ValueError, match="stream_length"):
        compare_budgets([(X, y)], budgets=[4], rate="auto", **params)
    # The errors are of the last models, whatever is averaged.
    with pytest.raises(ValueError, match=r"average must be False .*got 0\.5"):
        compare_budgets(X, y, [4], "bsgd-merge", average=0.5)


def test_online_kernel_may_average():
    X, y = board(300)
    online = {"algorithm": "online-kernel", "forget": None}
    for average in (False, True, "polynomial"):
        model = compare_budgets(X, y, [30], average=average, **online).models[30]
        alone = Classifier("online-kernel", budget=30, forget=None, average=average).learn(X, y)
        assert model.to_bytes() == alone.to_bytes()
    # A drawn model is not the one whose errors are counted.
    with pytest.raises(ValueError, match='average must not be "random"'):
        compare_budgets(X, y, [30], average="random", metric_learning="none", linear_weight=None, **online)


@pytest.mark.parametrize("name", ["bpa-nn", "pa-merge", "pa"])
def test_regressors(name):
    X, y = waves(900)
    budgets = [4, 30, None] if parameters(name)["budget"] else [None]
    comparison = compare_budgets(X, y, budgets, name, task="regression", gamma=1.0, epsilon=0.05)
    assert comparison.n_mistakes is None
    for at, (budget, model) in enumerate(comparison.models.items()):
        own = {"maintenance": "none"} if budget is None else {}
        alone = Regressor(name, budget=budget, gamma=1.0, epsilon=0.05, **own).learn(X, y)
        assert model.to_bytes() == alone.to_bytes()
        assert comparison.error[at, -1] == alone.mean_absolute_error_
        assert comparison.root_mean_squared_error[at, -1] == np.sqrt(alone.mean_squared_error_)


def test_parameters_of_the_maintenance_are_not_for_an_unbounded_one():
    X, y = board(300)
    comparison = compare_budgets(X, y, [10, None], "bpa-nn", n_neighbors=3, gamma=2.0)
    assert comparison.models[10].params["n_neighbors"] == 3
    assert comparison.models[None].params["maintenance"] == "none"
    merging = compare_budgets(X, y, [10], "pegasos", maintenance="merge", gamma=2.0)
    assert merging.models[10].params["maintenance"] == "merge"


def test_the_curve_is_what_counting_by_hand_gives():
    X, y = board(700)
    comparison = compare_budgets(X, y, [5, 20, 100], "bsgd-merge", gamma=2.0)
    assert comparison.rows.tolist() == [rows for rows in RENARD if rows < 700] + [700]
    for at, budget in enumerate([5, 20, 100]):
        alone = Classifier("bsgd-merge", budget=budget, gamma=2.0, classes=[0, 1])
        # Nothing learned is a score of zero, which is the first class.
        wrong = by_hand(alone, X, y, first=0) != y
        assert 0.02 < wrong.mean() < 0.5
        for step, rows in enumerate(comparison.rows):
            assert comparison.n_mistakes[at, step] == wrong[:rows].sum()
            assert comparison.error[at, step] == wrong[:rows].mean()
            expected = wrong[:rows].std() / np.sqrt(rows)
            np.testing.assert_allclose(comparison.standard_error[at, step], expected, rtol=1e-12, atol=1e-15)
            p = wrong[:rows].mean()
            np.testing.assert_allclose(expected, np.sqrt(p * (1 - p) / rows), rtol=1e-12, atol=1e-15)
            so_far = Classifier("bsgd-merge", budget=budget, gamma=2.0, classes=[0, 1])
            so_far.learn(X[:rows], y[:rows])
            assert comparison.n_support_vectors[at, step] == so_far.n_support_vectors_ <= budget
            assert comparison.n_updates[at, step] == so_far.n_updates_
        assert (np.diff(comparison.seconds[at]) > 0).all()
    assert comparison.root_mean_squared_error is None


def test_the_curve_of_regressors_by_hand():
    X, y = waves(300)
    params = {"gamma": 1.0, "epsilon": 0.05}
    comparison = compare_budgets(X, y, [5, 40], "bpa-nn", task="regression", checkpoints=75, **params)
    assert comparison.rows.tolist() == [75, 150, 225, 300]
    for at, budget in enumerate([5, 40]):
        off = np.abs(by_hand(Regressor("bpa-nn", budget=budget, **params), X, y, first=0.0) - y)
        for step, rows in enumerate(comparison.rows):
            said = [
                values[at, step]
                for values in (
                    comparison.error,
                    comparison.root_mean_squared_error,
                    comparison.standard_error,
                )
            ]
            mean = off[:rows].mean()
            expected = [mean, np.sqrt((off[:rows] ** 2).mean()), off[:rows].std() / np.sqrt(rows)]
            np.testing.assert_allclose(said, expected, rtol=1e-9)
    assert comparison.error[0, -1] > comparison.error[1, -1]


@pytest.mark.parametrize("cut", [1, 7, 1023, 1024, 1025, 3000])
def test_batches_however_they_are_cut(cut):
    X, y = board(3000)
    whole = compare_budgets(X, y, [5, 50], "bsgd-merge", gamma=2.0, classes=[0, 1])
    stream = ((X[start : start + cut], y[start : start + cut]) for start in range(0, 3000, cut))
    comparison = compare_budgets(stream, budgets=[5, 50], algorithm="bsgd-merge", gamma=2.0, classes=[0, 1])
    for name in ("rows", "error", "standard_error", "n_mistakes", "n_support_vectors", "n_updates"):
        np.testing.assert_array_equal(getattr(comparison, name), getattr(whole, name), err_msg=name)
    for budget in (5, 50):
        assert comparison.models[budget].to_bytes() == whole.models[budget].to_bytes()


def test_a_stream_is_read_once_and_forgotten():
    given = []

    class Counted(np.ndarray):
        """Rows that can be referred to weakly."""

    def alive():
        return sum(reference() is not None for reference in given)

    def stream():
        for seed in range(20):
            X, y = board(500, seed)
            batch = X.view(Counted)
            given.append(weakref.ref(batch))
            yield batch, y
            del X, batch
            # The last one, until the next one has come.
            assert alive() <= 1

    comparison = compare_budgets(stream(), None, [10, 20], "bsgd-merge", gamma=2.0)
    assert comparison.rows[-1] == 10_000
    assert len(given) == 20
    assert alive() == 0


def test_batches_bring_their_weights():
    X, y, more = KINDS["weights"]
    weight = more["sample_weight"]
    whole = compare_budgets(X, y, [9, 30], "bsgd-merge", gamma=2.0, sample_weight=weight, classes=[0, 1])
    parts = [slice(0, 1), slice(1, 700), slice(700, 2500)]
    batches = [(X[part], y[part], weight[part]) for part in parts]
    comparison = compare_budgets(batches, budgets=[9, 30], algorithm="bsgd-merge", gamma=2.0, classes=[0, 1])
    assert comparison.models[30].to_bytes() == whole.models[30].to_bytes()
    np.testing.assert_array_equal(comparison.n_mistakes, whole.n_mistakes)
    # Rows of weight 0 count nowhere: one in three and the last five.
    assert comparison.rows[-1] == np.count_nonzero(weight) == whole.models[9].n_samples_seen_
    assert comparison.rows.tolist() == [*RENARD, 1250, 1600, np.count_nonzero(weight)]
    learned = weight > 0
    dense = compare_budgets(
        X[learned],
        y[learned],
        [9, 30],
        "bsgd-merge",
        gamma=2.0,
        sample_weight=weight[learned],
        classes=[0, 1],
    )
    np.testing.assert_array_equal(dense.n_mistakes, comparison.n_mistakes)


@pytest.mark.parametrize(
    ("checkpoints", "rows"),
    [
        (None, [r for r in RENARD if r < 600] + [600]),
        (250, [250, 500, 600]),
        (600, [600]),
        (601, [600]),
        (10_000, [600]),
        ([1, 2, 599], [1, 2, 599, 600]),
        (np.array([300, 600, 900]), [300, 600]),
        ([], [600]),
    ],
    ids=str,
)
def test_checkpoints(checkpoints, rows):
    X, y = board(600)
    comparison = compare_budgets(X, y, [5, 10], "bsgd-merge", gamma=2.0, checkpoints=checkpoints)
    assert comparison.rows.tolist() == rows
    assert comparison.error.shape == comparison.seconds.shape == (2, len(rows))
    for step, number in enumerate(rows):
        alone = Classifier("bsgd-merge", budget=5, gamma=2.0, classes=[0, 1]).learn(X[:number], y[:number])
        assert comparison.n_mistakes[0, step] == alone.n_mistakes_


def made(budgets, errors, rows=1000, deviation=0.01):
    """A comparison with errors that are given."""
    shape = (len(budgets), 1)
    return BudgetComparison(
        algorithm="bsgd-merge",
        budgets=tuple(budgets),
        rows=np.array([rows]),
        error=np.array(errors, dtype=float).reshape(shape),
        standard_error=np.full(shape, deviation),
        n_mistakes=(np.array(errors) * rows).astype(int).reshape(shape),
        root_mean_squared_error=None,
        n_support_vectors=np.array([[7 if b is None else b] for b in budgets]),
        n_updates=np.ones(shape, int),
        seconds=np.ones(shape),
        models={},
    )


@pytest.mark.parametrize(
    ("budgets", "errors", "best", "sufficient"),
    [
        ([50, 100, 200], [0.30, 0.20, 0.10], 200, 200),
        ([50, 100, 200], [0.30, 0.105, 0.10], 200, 100),
        ([200, 100, 50], [0.10, 0.105, 0.109], 200, 50),
        ([50, 100, 200], [0.10, 0.20, 0.30], 50, 50),
        ([100, None, 50], [0.20, 0.10, 0.30], None, None),
        ([None, 100, 50], [0.10, 0.109, 0.30], None, 100),
        # Of equal ones the smallest is the best.
        ([None, 200, 100], [0.10, 0.10, 0.10], 100, 100),
        ([7], [0.5], 7, 7),
    ],
)
def test_the_choice_by_hand(budgets, errors, best, sufficient):
    comparison = made(budgets, errors)
    assert (comparison.best_budget, comparison.sufficient_budget) == (best, sufficient)


def test_the_limit_is_the_standard_error_of_the_best():
    comparison = made([10, 20], [0.125, 0.1], deviation=0.025)
    assert comparison.sufficient_budget == 10
    assert made([10, 20], [0.1251, 0.1], deviation=0.025).sufficient_budget == 20


def test_records_and_csv(tmp_path):
    X, y = board(500)
    comparison = compare_budgets(X, y, [5, None], "bsgd-merge", gamma=2.0, checkpoints=200)
    records = comparison.to_records()
    assert [(record["budget"], record["rows"]) for record in records] == [
        (budget, rows) for budget in (5, None) for rows in (200, 400, 500)
    ]
    assert list(records[0]) == [
        *("budget", "rows", "n_mistakes", "error_rate", "standard_error"),
        *("n_support_vectors", "n_updates", "seconds"),
    ]
    assert records[4]["n_mistakes"] == comparison.n_mistakes[1, 1]
    assert records[4]["error_rate"] == comparison.error[1, 1]
    assert type(records[4]["rows"]) is type(records[4]["n_updates"]) is int

    text = comparison.to_csv()
    read = list(csv.DictReader(io.StringIO(text)))
    assert [row["budget"] for row in read] == ["5"] * 3 + ["none"] * 3
    for row, record in zip(read, records, strict=True):
        assert {key: float(row[key]) for key in list(row)[1:]} == {key: record[key] for key in list(row)[1:]}
    assert comparison.to_csv(tmp_path / "a.csv") is None
    assert comparison.to_csv(str(tmp_path / "b.csv")) is None
    with (tmp_path / "c.csv").open("w") as file:
        assert comparison.to_csv(file) is None
    assert [(tmp_path / name).read_text() for name in ("a.csv", "b.csv", "c.csv")] == [text] * 3

    X, y = waves(200)
    comparison = compare_budgets(X, y, [5], "bpa-s", task="regression", gamma=1.0)
    last = comparison.to_records()[-1]
    assert last["mean_absolute_error"] == comparison.models[5].mean_absolute_error_
    assert last["root_mean_squared_error"] == np.sqrt(comparison.models[5].mean_squared_error_)
    assert "n_mistakes" not in last


def test_the_table():
    X, y = board(1500)
    comparison = compare_budgets(X, y, [5, 100, None], "bsgd-merge", gamma=2.0)
    title, head, *lines = str(comparison).splitlines()
    assert title == "bsgd-merge, progressive error after"
    assert head.split("  ")[0] == "budget"
    assert [rows for rows in ("100 rows", "1,000 rows", "1,500 rows") if rows in head] == [
        *("100 rows", "1,000 rows", "1,500 rows")
    ]
    steps = [comparison.rows.tolist().index(rows) for rows in (100, 1000, 1500)]
    for at, (budget, line) in enumerate(zip(("5", "100", "none"), lines, strict=True)):
        said = line.split()
        assert said[0] == budget
        assert said[1:4] == [f"{100 * comparison.error[at, step]:.2f}%" for step in steps]
        assert said[4] == f"{100 * comparison.standard_error[at, -1]:.2f}%"
        assert said[5] == str(comparison.n_support_vectors[at, -1])
        assert len(line) == len(head)
    assert repr(comparison) == "BudgetComparison('bsgd-merge', budgets=(5, 100, None), rows=1500)"
    # Without a power of ten among the checkpoints the last ones are shown.
    own = compare_budgets(X, y, [5], "bsgd-merge", gamma=2.0, checkpoints=[7, 300, 800, 900])
    assert [word for word in str(own).splitlines()[1].split() if word.replace(",", "").isdigit()] == [
        *("800", "900", "1,500")
    ]


def test_models_go_on_learning_and_results_stay():
    X, y = board(600)
    comparison = compare_budgets(X, y, [5, 20], "bsgd-merge", gamma=2.0)
    before = comparison.error.copy()
    comparison.models[20].learn(X, y)
    assert comparison.models[20].n_samples_seen_ == 1200
    np.testing.assert_array_equal(comparison.error, before)


def test_inputs_are_untouched():
    X, y, more = KINDS["weights"]
    copies = X.copy(), y.copy(), more["sample_weight"].copy()
    compare_budgets(X, y, [5], "bsgd-merge", gamma=2.0, sample_weight=more["sample_weight"])
    for given, copy in zip((X, y, more["sample_weight"]), copies, strict=True):
        np.testing.assert_array_equal(given, copy)


X, Y = board(60)


@pytest.mark.parametrize(
    ("arguments", "more", "error", "message"),
    [
        ((X, Y, []), {}, ValueError, "budgets must have at least one budget, got none"),
        ((X, Y, [5, 7, 5]), {}, ValueError, "budgets must all be different, got 5 twice"),
        ((X, Y, [None, 5, None]), {}, ValueError, "budgets must all be different, got None twice"),
        ((X, Y, [5, np.int64(5)]), {}, ValueError, "got 5 twice"),
        ((X, Y, 5), {}, TypeError, "budgets must be a sequence of integers >= 1 or None, such as .* got 5"),
        (
            (X, Y, "50"),
            {},
            TypeError,
            'budgets must be a sequence of integers >= 1 or None, such as .* got "50"',
        ),
        ((X, Y, [5.0]), {}, TypeError, "budgets must be integers >= 1 or None, got 5.0 among them"),
        ((X, Y, [True]), {}, TypeError, "budgets must be integers >= 1 or None, got True among them"),
        ((X, Y, ["5"]), {}, TypeError, 'got "5" among them'),
        ((X, Y, [5, 0]), {}, ValueError, "budget must be an integer from 1 to 16777216.*got 0"),
        ((X, Y, [1 << 40]), {}, ValueError, "budget must be an integer from 1 to 16777216"),
        ((X, Y, [5]), {"budget": 5}, TypeError, r"the budgets are given together, as budgets=\[...\]"),
        (
            (X, Y, [5, None], "pegasos"),
            {},
            ValueError,
            'budget = 5 cannot be combined with maintenance = "none"',
        ),
        ((X, Y, [5], "svm"), {}, ValueError, 'algorithm must be a name in budgetrs.ALGORITHMS, got "svm"'),
        ((X, Y, [5]), {"C": 1.0}, TypeError, "C does not apply to algorithm"),
        ((X, Y, [None]), {"beta": 1.0}, TypeError, 'unknown parameter "beta"'),
        ((X, Y, [5]), {"task": "ranking"}, ValueError, 'task must be "classification" or "regression"'),
        ((X, Y, [5], "rbp"), {"task": "regression"}, ValueError, "cannot be combined with regression"),
        ((X, Y, [5], "bpa-s"), {"task": "regression", "classes": [0, 1]}, TypeError, "classes are for"),
        ((X, Y, [5]), {"checkpoints": 0}, ValueError, "checkpoints must be numbers of rows >= 1"),
        ((X, Y, [5]), {"checkpoints": [5, 5]}, ValueError, "that increase, got"),
        ((X, Y, [5]), {"checkpoints": [0, 5]}, ValueError, "numbers of rows >= 1"),
        ((X, Y, [5]), {"checkpoints": 2.5}, TypeError, "checkpoints must be an integer or a sequence"),
        ((X, Y, [5]), {"checkpoints": [1.5]}, TypeError, "checkpoints must be an integer or a sequence"),
        ((X, Y, [5]), {"checkpoints": "all"}, TypeError, "checkpoints must be an integer or a sequence"),
        ((X, Y, [5]), {"checkpoints": True}, TypeError, "checkpoints must be an integer or a sequence"),
        ((X, Y[:-1], [5]), {}, ValueError, "60 .*59|59 .*60"),
        ((X, Y * 0, [5]), {}, ValueError, "y must hold at least 2 different labels .*only 0"),
        ((X, Y + 5, [5]), {"classes": [0, 1]}, ValueError, "5|6"),
        ((X[:0], Y[:0], [5]), {}, ValueError, "minimum of 1 row"),
        ((X, Y, [5]), {"sample_weight": np.zeros(60)}, ValueError, "X must have rows.*weight > 0.*none"),
        ((X, Y, [5]), {"sample_weight": np.full(60, -1.0)}, ValueError, "sample_weight must be from 0"),
        ((X,), {"budgets": [5]}, TypeError, "without y, X must be batches .*got a batch of type ndarray"),
        (([(X,)],), {"budgets": [5]}, TypeError, "without y, X must be batches .*got a batch of type tuple"),
        ((7,), {"budgets": [5]}, TypeError, "X must be rows, with y, or an iterable of batches .*got int"),
        (([],), {"budgets": [5]}, ValueError, "X must have rows.*got none"),
        (
            ([(X, Y)], [5, 9]),
            {},
            TypeError,
            r"y must be the labels.* \[5, 9\] with batches .*by name: budgets=",
        ),
        ((iter([(X, Y)]), (5, 9)), {}, TypeError, r"\(5, 9\) with batches"),
        ((X, X[:, 0].astype(float), [5]), {}, ValueError, 'for regression targets pass task="regression"'),
        (([(X, Y)],), {"sample_weight": np.ones(60)}, TypeError, "sample_weight must be None with batches"),
        (([(X, Y), (X[:, :1], Y)],), {"budgets": [5]}, ValueError, "2 features"),
    ],
)
def test_refusals(arguments, more, error, message):
    with pytest.raises(error, match=message):
        compare_budgets(*arguments, **more)


def test_a_bad_row_is_named_as_it_stands_in_its_batch():
    bad = X.copy()
    bad[47, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 47.*column 1|X.*NaN.*row 47"):
        compare_budgets(bad, Y, [5, 10], "bsgd-merge", gamma=2.0)


def test_budgets_are_refused_before_a_row_is_read():
    def stream():
        raise AssertionError("a row was read")
        yield

    with pytest.raises(ValueError, match="cannot be combined with"):
        compare_budgets(stream(), budgets=[5], algorithm="pegasos")


def test_moments_need_no_rows_of_the_past():
    """What is kept of a stream grows with its logarithm: ten moments per decade."""
    many = compare_budgets(((X, Y) for _ in range(2000)), budgets=[5], algorithm="bsgd-merge", gamma=2.0)
    assert many.rows[-1] == 120_000
    assert len(many.rows) == 42
