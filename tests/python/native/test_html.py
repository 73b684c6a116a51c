"""What notebooks show of a native model."""

from xml.etree import ElementTree

import pytest

from budgetrs import Classifier, Regressor
from conftest import board


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_html(kind):
    model = kind(budget=20, gamma=2.0)
    for rows, name in ((0, None), (300, "learned")):
        if name:
            model.learn(*board(rows))
        root = ElementTree.fromstring(model._repr_html_())
        assert root.find("summary").text == f"{model!r}, {rows} rows learned"
        shown = {row.find("th").text: row.find("td").text for row in root.iter("tr")}
        assert shown == {key: repr(value) for key, value in model.params.items()}
