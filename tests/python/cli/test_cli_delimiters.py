"""The separators of fields: advice on another delimiter, runs of blanks, and lines before the table."""

import pytest

from budgetrs.cli.delimiters import delimiter_hint, has_other_delimiter
from conftest import run


def train(capsys, path, *options):
    code, _, err = run(capsys, "train", path, "-o", path.with_name("m"), "-q", *options)
    return code, err


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a;b;y", "1;2;0"], "';'"),
        (['"6,29";"0,71";"1"', '"-6,61";"0,24";"0"'], "';'"),
        (["6,00;0,71;1", "-6,61;0,24;0"], "';'"),
        (["6,29;1", "7,5;0"], "';'"),
        (["1,5\t2,5\t0", "1,7\t1,5\t1"], "tab"),
        (["a|b|y", "1|2|3"], "'|'"),
        (["1.5  2.5 1", "0.5  3.5 0"], "blanks"),
        (['18.0   8  307.0\t"ford pinto"', '17.0   ?  302.0\t"ford torino"'], "blanks"),
        (["New York\t5\t1", "Ulm\t6\t0"], "tab"),
        (["1,2,a", "3,4,b"], None),
        (['1,"a;b",0', '2,"c;d",1'], None),
        (["1,a;b,0", "2,c;d,1"], None),
        (["1,2;3,cat", "3,4;5,dog"], None),
        (["only"], None),
    ],
)
def test_another_delimiter_is_seen_outside_quotes(lines, expected):
    lines = [line.encode() for line in lines]
    hint = delimiter_hint(lines, ",")
    assert hint.startswith(f"; the fields seem to be separated by {expected}: give ") == (
        expected is not None
    )
    assert has_other_delimiter(lines, ",") == (expected is not None)


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("header", ["", "a;b;y\n"])
def test_decimal_commas_are_never_delimiters(header, quoted, tmp_path, capsys):
    rows = [f"{i},5;{i % 7},25;{i % 2}" for i in range(60)]
    if quoted:
        rows = [";".join(f'"{field}"' for field in row.split(";")) for row in rows]
    path = tmp_path / "data.csv"
    path.write_text(header + "\n".join(rows))
    assert "give --delimiter ';'" in train(capsys, path)[1]
    assert "--decimal , reads it" in train(capsys, path, "--delimiter", ";")[1]
    assert train(capsys, path, "--delimiter", ";", "--decimal", ",") == (0, "")


def test_runs_of_blanks_are_one_separator(tmp_path, capsys):
    rows = [(i * 37 % 101 / 10, i * 53 % 97, "yes" if i % 2 else "no way") for i in range(80)]
    comma, blank = tmp_path / "comma.csv", tmp_path / "blank.data"
    for header in ("", "a,b,y\n"):
        comma.write_text(header + "".join(f'{a},{b},"{y}"\n' for a, b, y in rows))
        padded = "".join(f'  {a:8}   {b:6}\t"{y}"  \n' for a, b, y in rows)
        blank.write_text(header.replace(",", "   ") + padded)
        assert train(capsys, comma) == (0, "")
        model = (tmp_path / "m").read_bytes()
        assert train(capsys, blank, "--delimiter", " ") == (0, "")
        assert (tmp_path / "m").read_bytes() == model


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "# logger\na,b,y\n1,2,0\n",
            ":1: expected a header or a row, got a comment; remove comments: grep -v",
        ),
        (
            "sep=;\na;b;y\n1;2;0\n",
            ":1: expected a header or a row, got sep=;, a line for Excel; remove it: tail",
        ),
        ('a,note,y\n1,"x\ny",0\n', ":2: expected a closing quote in this line"),
        ("a,b,y\n1,2,0\n1,inf,1\n", "in column b that is finite, got `inf`; --missing-values inf takes it"),
        (
            "a,b,y,\n1,2,0,\n3,4,1,\n",
            ":1: expected a column after each ',', got 1 at the end of each line; remove",
        ),
        ("a,b,y\n1,2,0\n1,2,\n", "got an empty field (a missing value); remove the rows without a label\n"),
        (
            "a,Gr\xf6\xdfe,y\n1,2,0\n",
            ":1: expected text in UTF-8, got the byte f6; convert the file: iconv -f",
        ),
        ("39,State-gov,77,x,0\n40,Private,80,y,1\n", "got `State-gov`; text columns need a header"),
        ("39,n.a.,77,0\n40,12,80,1\n", "got `n.a.`; --missing-values n.a. takes it as missing; text columns"),
        ("a,b,y\n1,2,0\n2,2,0\n3,2,0\n4,2,0\nhoch,2,1\n", "got 'hoch'; --missing-values hoch takes it"),
    ],
)
def test_lines_that_are_no_rows_are_named_with_advice(text, said, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_bytes(text.encode("latin-1"))
    code, err = train(capsys, path)
    assert (code, said in err, "first column is the target" in err) == (1, True, False), err


def test_a_carriage_return_within_a_line_is_an_error_of_that_line(tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_bytes(b"a;b,y\n1;2\r3,0\n1;4,1\n")
    code, _, err = run(capsys, "train", path, "-o", tmp_path / "m", "-q")
    assert (code, err.count("\n"), f"{path}" in err) == (1, 1, True)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ('a,b,y\n"1,5",2,p\n"2,5",3,q\n', "--decimal ,", None),
        (
            "a;b;y;;\r\n1;2;p;;\r\n2;3;q;;\r\n",
            "--delimiter ;",
            ":1: expected a column after each ';', got 2 at",
        ),
        (
            "a,b,y\n1,2,p\na,b,y\n2,3,q\n",
            "",
            ":3: expected a number in column a, got 'a'; the line repeats the header",
        ),
        ("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n", "", "got MatrixMarket; convert it"),
    ],
)
def test_layouts_of_other_programs(text, options, message, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text(text, newline="")
    code, _, err = run(capsys, "train", path, "-o", tmp_path / "m", "-q", *options.split())
    assert (code, err == "") == ((0, True) if message is None else (1, False)), err
    assert message is None or message in err
