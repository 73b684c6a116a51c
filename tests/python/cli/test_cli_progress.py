"""What a display of progress shows."""

import io
import re

import pytest

from budgetrs.cli import progress
from budgetrs.cli.report import Line

PARTS = [
    ["1 rows", "1 rows/s"],
    ["184,181 rows", "99.33% progressive", "404,577 rows/s", "500 support vectors"],
    ["1,000,184,181 rows", "100.00% progressive", "4,404,577 rows/s", "16777216 support vectors"],
]


@pytest.mark.parametrize("columns", [30, 40, 80, 120, 200, 400])
@pytest.mark.parametrize("title", ["testing", "scanning"])
def test_the_bar_has_a_constant_width(columns, title, monkeypatch):
    monkeypatch.setattr(progress, "_columns", lambda: columns)
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(io.BytesIO(), "utf-8"))
    bar = progress.Bar(title)
    widths = set()
    for parts in PARTS:
        for fraction in (0.0, 0.001, 0.5, 0.999, 1.0):
            drawn = re.fullmatch(r"\r(.*)\x1b\[K", bar.drawn(fraction, parts)).group(1)
            assert len(drawn) < columns
            blocks = re.search("[█░]*", drawn[len(title) + 2 :]).group()
            assert blocks == "█" * round(fraction * len(blocks)) + "░" * (len(blocks) - blocks.count("█"))
            widths.add(len(blocks))
    expected = max(6, min(30, columns // 8))
    assert widths == {expected if len(title) + expected + 8 < columns else 0}


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress.time, "perf_counter", clock)
    return clock


def shown(kind, clock, monkeypatch, fraction, after):
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress, "_columns", lambda: 80)
    monkeypatch.setattr(kind, "interval", 0.0)
    display = kind("training")
    clock.now += after
    status = [Line("a", "progressive accuracy 99.00%", {}), Line("b", "500 support vectors", {})]
    display.update(fraction, 5000, *status)
    return stream.buffer.getvalue().decode()


@pytest.mark.parametrize("kind", [progress.Bar, progress.Lines])
@pytest.mark.parametrize(
    ("fraction", "after", "left"),
    [
        (0.25, 10, "0:30"),
        (0.5, 65, "1:05"),
        (0.01, 60, "1:39:00"),
        (0.999, 2, "0:00"),
        (1.0, 10, None),
        (0.0, 10, None),
        (None, 10, None),
        (0.5, 0.5, None),
    ],
)
def test_time_left(kind, fraction, after, left, clock, monkeypatch):
    found = re.findall(r"([\d:]+) left", shown(kind, clock, monkeypatch, fraction, after))
    assert found == ([] if left is None else [left])


def test_eighty_columns_have_room_for_time_rows_and_accuracy(clock, monkeypatch):
    text = shown(progress.Bar, clock, monkeypatch, 0.25, 10)
    assert re.fullmatch(
        r"\rtraining  █+░+   25%  0:30 left  5,000 rows  progressive accuracy 99.00%\x1b\[K", text
    )


def test_objects_have_the_time_left(clock, monkeypatch):
    events = []
    monkeypatch.setattr(progress.report, "event", lambda name, **fields: events.append(fields))
    shown(progress.Objects, clock, monkeypatch, 0.25, 10)
    shown(progress.Objects, clock, monkeypatch, None, 10)
    assert events[0]["seconds_left"] == pytest.approx(30)
    assert events[0]["rows_per_second"] == pytest.approx(500)
    assert "seconds_left" not in events[1]
    assert events[1]["fraction"] is None
