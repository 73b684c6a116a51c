"""Values of any type: numbers, missing values and the buffers of a model. Refused ones: test_errors.py."""

import decimal
import fractions
import io
import mmap

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, OnlineKernelClassifier, Regressor

ROWS = 8
X = np.arange(16.0).reshape(ROWS, 2)
Y = np.arange(ROWS) % 2


def native(model):
    return getattr(model, "_model", model)


def changed(value, row=3, feature=1):
    rows = X.astype(object)
    rows[row, feature] = value
    return rows


@pytest.mark.parametrize("value", [None, pd.NA, np.nan, float("nan"), np.float32("nan")])
def test_a_missing_object_is_a_missing_number(value):
    rows = X.copy()
    rows[3, 1] = np.nan
    expected = Classifier().learn(rows, Y).to_bytes()
    assert Classifier().learn(changed(value), Y).to_bytes() == expected
    assert Classifier().learn(changed(value).tolist(), Y).to_bytes() == expected
    fitted = (OnlineKernelClassifier(random_state=0).fit(given, Y) for given in (rows, changed(value)))
    assert len({native(model).to_bytes() for model in fitted}) == 1


@pytest.mark.parametrize(
    "value", [True, np.True_, 7, np.int8(7), decimal.Decimal("2.5"), fractions.Fraction(1, 4)]
)
def test_numbers_of_any_type_are_numbers(value):
    rows = X.copy()
    rows[3, 1] = float(value)
    assert Classifier().learn(changed(value), Y).to_bytes() == Classifier().learn(rows, Y).to_bytes()


@pytest.mark.parametrize("model", [Classifier, Regressor])
def test_a_model_is_read_from_any_buffer(model, tmp_path):
    data = model().learn(X, Y).to_bytes()
    (tmp_path / "model").write_bytes(data)
    with (tmp_path / "model").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    spread = np.zeros(2 * len(data), np.uint8)
    spread[::2] = np.frombuffer(data, np.uint8)
    buffers = [bytearray(data), memoryview(data), np.frombuffer(data, np.uint8), mapped, spread[::2]]
    views = [io.BytesIO(data).getbuffer(), memoryview(data).cast("c"), memoryview(b"." + data)[1:]]
    for buffer in [*buffers, *views]:
        assert model.from_bytes(buffer).to_bytes() == data
