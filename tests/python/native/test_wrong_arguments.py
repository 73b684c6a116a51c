"""What a first call often has wrong: the error says what to do, and nothing is lost."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import budgetrs
from budgetrs import Classifier, OnlineKernelClassifier, ParameterError, Regressor, _core
from conftest import board

X, Y = board(60)
FRAME = pd.DataFrame({"width": X[:, 0], "town": np.where(X[:, 1] > 0, "Oslo", "Rome")})
OF_WORDS = Classifier(budget=10).learn(FRAME, Y)
HOLED = FRAME.assign(width=[np.nan, *X[1:, 0]])


def refusal(call, error=ParameterError):
    with pytest.raises(error) as caught:
        call()
    return caught.value


TAKEN = (
    '; "online-kernel" accepts missing values, as do all algorithms of Classifier and Regressor with '
    'scaling = "online" and missing = "mean"'
)


@pytest.mark.parametrize(
    ("call", "end"),
    [
        (lambda: Classifier("bsgd-merge").learn(HOLED, Y), TAKEN),
        (lambda: Regressor("pa", scaling="online").learn(HOLED, X[:, 0]), TAKEN),
        (
            lambda: Classifier(missing="error").learn(HOLED, Y),
            '; set missing = "mean" to accept missing values',
        ),
        (lambda: Classifier(scaling="none").learn(HOLED, Y), TAKEN),
        (lambda: Classifier(hash_features=8).learn(HOLED, Y), ""),
        (lambda: Classifier("bsgd-merge").learn(FRAME, Y).predict(HOLED), TAKEN),
    ],
)
def test_a_missing_value_names_its_column_and_what_takes_it(call, end):
    column = "0" if end == "" else '"width"'
    error = refusal(call)
    assert str(error).endswith(f"column {column}; all values must be finite{end}") or end == ""
    assert (error.parameter, error.row) == ("X", 0)


@pytest.mark.parametrize("missing", [None, pd.NA])
def test_a_missing_word_is_refused_before_any_word_is_known(missing):
    empty = pd.DataFrame({"width": X[:, 0], "town": pd.Series([missing] * 60, dtype="string")})
    blank = empty.assign(town=pd.Categorical([None] * 60, ["Oslo"]))
    for frame in (blank, blank.assign(town=pd.Categorical([None, *["Oslo"] * 59], ["Oslo"]))):
        model = Classifier("bsgd-merge")
        error = refusal(lambda model=model, frame=frame: model.learn(frame, Y))
        assert 'NaN at row 0, column "town"' in str(error)
        assert not hasattr(model, "n_features_in_")
    # A model that takes missing values takes them here too.
    assert Classifier(budget=5).learn(blank, Y).get_feature_names_out().tolist() == ["width", "town"]
    with pytest.raises(ParameterError, match='column "town"'):
        OnlineKernelClassifier(missing="error").fit(blank, Y)
    assert OnlineKernelClassifier(budget=5).fit(blank, Y).n_features_in_ == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda: OF_WORDS.predict(X),
        lambda: OF_WORDS.learn(X.tolist(), Y),
        lambda: OF_WORDS.predict([[0.5, "Oslo"]]),
        lambda: OF_WORDS.predict_proba(X),
    ],
)
def test_a_model_of_words_asks_for_a_frame(call):
    before = OF_WORDS.to_bytes()
    assert str(refusal(call)) == (
        'X must be a data frame with the columns "width", "town" (some are categorical), or 3 features '
        "in the order of get_feature_names_out(), got values without names"
    )
    assert OF_WORDS.to_bytes() == before
    # Numbers by feature are valid.
    assert OF_WORDS.predict([[0.5, 1.0, 0.0]]).shape == (1,)


def test_a_row_of_a_model_of_words():
    for row in ([0.5, "Oslo"], X[0], FRAME.iloc[0]):
        error = refusal(lambda row=row: OF_WORDS.predict_one(row))
        assert str(error).startswith(
            'x must be a dict with the columns "width", "town" (some are categorical), or 3 features in the '
        )


def test_a_lazy_frame_is_to_be_collected():
    lazy = pl.from_pandas(FRAME).lazy()
    for call in (
        lambda: Classifier().learn(lazy, Y),
        lambda: OF_WORDS.predict(lazy),
        lambda: OnlineKernelClassifier().fit(lazy, Y),
    ):
        assert "call .collect() first" in str(refusal(call, TypeError))


def test_a_list_of_dicts_should_be_a_data_frame():
    error = refusal(lambda: Classifier().learn([{"width": 1.0}], [0]))
    assert "got a dict at row 0: use a data frame; learn_one and predict_one take one row as a dict" in str(
        error
    )


def test_a_model_of_the_other_task_says_what_reads_it(tmp_path):
    classifier, regressor = Classifier(budget=5).learn(X, Y), Regressor(budget=5).learn(X, X[:, 0])
    for model, other in ((classifier, Regressor), (regressor, Classifier)):
        own = type(model).__name__
        expected = (
            f'expected a model for {other.__name__}, got a {own} with the algorithm "online-kernel"; {own}'
        )
        path = tmp_path / own
        model.save(path)
        assert (
            str(refusal(lambda p=path, o=other: o.load(p), ValueError)) == f"{path}: {expected}.load reads it"
        )
        error = refusal(lambda m=model, o=other: o.from_bytes(m.to_bytes()), ValueError)
        assert str(error) == f"{expected}.from_bytes reads it"


@pytest.mark.parametrize(
    "data", [b"", b"abc", b"width,town\n1,Oslo\n" * 9, b"PK\x03\x04" * 9, b"\x08" + b"\0" * 30]
)
def test_another_kind_of_file(data, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(data)
    for load in (Classifier.load, Regressor.load, _core.load, budgetrs.load, OnlineKernelClassifier.load):
        message = str(refusal(lambda load=load: load(path), ValueError))
        assert message.startswith(f"{path}: not a valid model: another kind of file")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Classifier(n_jobs="x"), "n_jobs must be None or an integer other than 0, got 'x'"),
        (lambda: Regressor(n_jobs=1.5), "n_jobs must be None or an integer other than 0, got 1.5"),
        (lambda: Classifier(n_jobs=1 << 70), f"n_jobs must be .*, got {1 << 70}"),
        (lambda: setattr(OF_WORDS, "n_jobs", []), r"n_jobs must be .*, got \[\]"),
        (lambda: Classifier.load(3), "path must be a str or path-like object, got 3"),
        (lambda: OF_WORDS.save(3), "path must be a str or path-like object, got 3"),
        (lambda: Regressor.from_bytes("x"), "data must be a bytes-like object, got 'x'"),
        (lambda: Classifier.from_bytes(b"", n_jobs="x"), "n_jobs must be .*, got 'x'"),
        (
            lambda: Classifier().learn_one(X[0], 1, sample_weight="x"),
            "sample_weight must be a number .*, got 'x'",
        ),
        (lambda: Regressor().learn_one(X[0], "x"), "y must be a number .*, got 'x'"),
        (lambda: Regressor().learn_one(X[0], list(range(99))), "y must be .*, got an object of type list"),
        (lambda: OF_WORDS.add_features("x"), "n_features must be an integer that fits into memory, got 'x'"),
        (lambda: OF_WORDS.add_features(5, keep_gamma="x"), "keep_gamma must be True or False, got 'x'"),
        (lambda: Classifier(c0=1.0), 'unknown parameter "c0".*did you mean "C0"'),
        (lambda: Classifier("pa", c=1.0), 'unknown parameter "c".*did you mean "C"'),
    ],
)
def test_an_argument_of_another_type_is_named(call, message):
    with pytest.raises(ParameterError, match=f"^{message}") as caught:
        call()
    assert caught.value.parameter == message.split(" ")[0] or "unknown" in message


@pytest.mark.parametrize("kind", [np.float32, np.float64, list])
def test_targets_of_regression_are_no_labels(kind):
    targets = X[:, 0].tolist() if kind is list else X[:, 0].astype(kind)
    model = Classifier(budget=5)
    error = refusal(lambda: model.learn(X, targets))
    assert "for regression targets use Regressor" in str(error)
    assert str(error).endswith("got 60 different fractions in 60 rows")
    assert not hasattr(model, "n_features_in_")
    # Classes may be any numbers: a few of them, or those that were given.
    assert len(Classifier(budget=5).learn(X, Y + 0.5).classes_) == 2
    assert len(Classifier(budget=5).learn(X, X[:, 0], classes=X[:, 0]).classes_) == 60


def test_targets_and_weights_may_be_a_column():
    targets = X[:, 0].astype(float)
    expected = Regressor(budget=5).learn(X, targets, sample_weight=targets**2).to_bytes()
    for column in (targets[:, None], pd.DataFrame({"y": targets}), pl.DataFrame({"y": targets})):
        model = Regressor(budget=5).learn(X, column, sample_weight=np.asarray(column) ** 2)
        assert model.to_bytes() == expected
    with pytest.raises(ParameterError, match="y must have 1 dimension, got 2"):
        Regressor().learn(X, np.stack([targets, targets], axis=1))


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4"])
def test_numbers_of_a_narrow_type_are_named_with_the_conversion(dtype):
    narrow = X.astype(getattr(pytest.importorskip("ml_dtypes"), dtype))
    model = Classifier(budget=10).learn(X, Y)
    advice = f'got (dtype )?{dtype}: convert it by astype\\("float32"\\)'
    for call in (
        lambda: model.learn(narrow, Y),
        lambda: model.predict(narrow),
        lambda: model.predict_one(narrow[0]),
        lambda: model.learn(X, narrow[:, 0]),
        lambda: model.learn(X, Y, sample_weight=narrow[:, 0]),
        lambda: Regressor().learn(X, narrow[:, 0]),
        lambda: OnlineKernelClassifier().fit(narrow, Y),
        lambda: Classifier().learn(FRAME.assign(width=narrow[:, 0]), Y),
    ):
        with pytest.raises(ParameterError, match=advice):
            call()
    with pytest.raises(ParameterError, match=r"got dtype \|V8$"):
        model.predict(np.zeros((2, 2), "V8"))


@pytest.mark.parametrize(
    ("rows", "got"),
    [
        (
            FRAME.set_axis(pd.Index(["w\ud800", "town"], dtype=object), axis=1),
            r"the names of the columns, got 'w\\ud800'",
        ),
        (FRAME.assign(town=pd.Series(["\ud800"] * 60, dtype=object)), r"the column \"town\", got '\\ud800'"),
        (
            FRAME.assign(town=pd.Categorical.from_codes([0] * 60, pd.Index(["O\udcff"], dtype=object))),
            r"the column \"town\", got 'O\\udcff'",
        ),
    ],
)
def test_text_that_cannot_be_stored_is_named_with_its_column(rows, got):
    advice = ": remove its lone surrogates"
    for call in (
        lambda: Classifier().learn(rows, Y),
        lambda: OF_WORDS.predict(rows),
        lambda: OnlineKernelClassifier().fit(rows, Y),
    ):
        assert re.search(
            f"^X must have text that can be stored in UTF-8 in {got}{advice}", str(refusal(call))
        )
    row = {name: values.tolist()[0] for name, values in rows.items()}
    assert re.search(f"^x must have .* in {got}{advice}", str(refusal(lambda: OF_WORDS.predict_one(row))))


def test_messages_name_no_private_classes():
    model = Classifier(budget=10).learn(X, Y)
    for call in (
        lambda: setattr(model, "n_support_vectors_", 3),
        lambda: setattr(model, "budget", 3),
        lambda: delattr(model, "n_support_vectors_"),
    ):
        message = str(refusal(call, AttributeError))
        assert re.match(r"\w+ of a Classifier cannot be set or deleted: parameters are arguments", message)
    bases = [base for base in OnlineKernelClassifier.__mro__ if base.__name__.startswith("Budgeted")]
    assert len(bases) == 2
    for base in bases:
        assert "create an estimator, such as OnlineKernel" in str(refusal(base, TypeError))
