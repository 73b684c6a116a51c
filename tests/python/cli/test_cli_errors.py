"""One table of the errors of each command: files, the command, the exit code and standard error."""

import gzip
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from budgetrs import Classifier, Regressor
from conftest import board, csv_text, libsvm_text, run

X, Y = board(100)
GOOD = csv_text(X, Y)
SPARSE = libsvm_text(X, Y)
NAMED = "a,b,label\n" + GOOD
SMALL = "--algorithm bsgd-merge --budget 20 --set gamma=2 -q"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Good files, and models of them."""
    path = tmp_path_factory.mktemp("good")
    (path / "good.csv").write_text(GOOD)
    (path / "good.libsvm").write_text(SPARSE)
    (path / "named.csv").write_text(NAMED)
    frame = pd.DataFrame(X, columns=["a", "b"])
    Classifier("bsgd-merge", budget=20, gamma=2.0).learn(X, Y).save(path / "plain")
    named = Classifier(budget=20).learn(frame, Y)
    named.target_name = "label"
    named.save(path / "model")
    Regressor(budget=20).learn(X, Y).save(path / "numbers")
    Regressor("pa").learn(X, Y).save(path / "pa")
    Regressor("bpa-s", budget=5, gamma=1.0).learn(X[:20], np.zeros(20)).save(path / "empty")
    Classifier().save(path / "fresh")
    Classifier(budget=20).learn(frame.assign(t=np.where(Y > 0, "red", "blue")), Y).save(path / "words")
    return path


@pytest.fixture
def here(folder, tmp_path, monkeypatch):
    for each in folder.iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes())
    (tmp_path / "link.png").symlink_to(tmp_path / "good.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(text):
    """Return the commands and messages of lines; an indented line continues one."""
    return [tuple(line.split(" => ")) for line in text.strip().replace("\n    ", " ").split("\n")]


TRAIN = f"train FILE -o m {SMALL}"
DEFAULT = "train FILE -o m -q"

# Each file with its name, its text as JSON, in which {GOOD} stands for the rows of GOOD, and the command;
# below it standard error, up to its end if it ends with "...".
CASES = r"""
a.csv "1,2,3\n0,2\n" TRAIN
    a.csv:2:4: expected 3 fields, got 2 fields
a.csv "1,2,3\n0,2,3,4\n" TRAIN
    a.csv:2:7: expected 3 fields, got 4 fields
a.csv "x,y,label\n1,2,a\n\n3,b\n" TRAIN
    a.csv:4:4: expected 3 fields, got 2 fields
a.csv "t,y,label\nu,2,a\nv,b\n" TRAIN
    a.csv:3:4: expected 3 fields, got 2 fields
a.csv "a,b,y\n1,2,0\n2,2,0\n3,2,0\nhoch,2,1\n" TRAIN
    a.csv:5: expected a number in column a, as in 3 of 4 values, got `hoch`; if the first column is the
    target: --target a; --missing-values hoch takes it as missing; --categorical a takes its values as
    categories
a.csv "a,b,y\n1,2,p\na,b,y\n2,3,q\n" TRAIN
    a.csv:3: expected a number in column a, got `a`; the line repeats the header: remove it...
a.csv "39,State-gov,77,0\n40,Private,80,1\n" TRAIN
    a.csv:1: expected numbers or names in the first line, got both, such as `State-gov`...
a.csv "cat,1,2\ndog,2,3\n" TRAIN
    a.csv:1: expected numbers or names in the first line, got both, such as `cat`...
a.csv "1,2,0\nx,3,1\n" TRAIN
    a.csv:2:1: expected a number in field 1, got `x`; --missing-values x takes it as missing; text
    columns need a header with the names of all columns; if the first column is the target: --target 0
a.csv "a,b,y\n1,2,0\n1,inf,1\n" TRAIN
    a.csv:3: expected a number in column b, as in 1 of 2 values, got `inf`...
a.csv "a,y\n1e39,0\n" TRAIN
    a.csv:2:1: expected a number within the range of float32 in column a, got `1e39`; --dtype float64
    reads it
a.csv "a,y\n1e999,0\n" TRAIN
    a.csv:2:1: expected a number within the range of float64 in column a, got `1e999`
a.csv "1,2,0\n3,,1\n" TRAIN
    a.csv:2: expected a number in column 2, got a missing value; --scaling online...
a.csv "a,b,y\n1,2,0\n3,NA,1\n" TRAIN
    a.csv:3: expected a number in column b, got a missing value; --scaling online --set missing=mean
    replaces it by the mean, and so does --algorithm online-kernel
a.csv "t,b,y\nx,2,0\n,1,1\n" TRAIN
    a.csv:3: expected a number in column t, got a missing value...
a.csv "a,b,y\n1,2,0\n1,2,\n" TRAIN
    a.csv:3:5: expected a label, got an empty field; remove the rows without a label
a.csv "a,b,y\n1,2,0\n1,2,NA\n" TRAIN
    a.csv:3:5: expected a label, got `NA`; remove the rows without a label, or name all classes by
    --classes
a.csv "a,y\n\"x,0\n1,2\n" TRAIN
    a.csv:2:1: expected a closing quote in this line (line breaks within quotes are not supported...
a.csv "a,y\nx\"y\",0\n" TRAIN
    a.csv:2:2: expected a closing quote in this line...
a.csv "a,a,y\n1,2,0\n" TRAIN
    a.csv: expected distinct column names, got two columns named "a"
a.csv "x\n1\n" TRAIN
    a.csv: expected a target and at least one feature, got 1 columns
a.csv "a;b;y\n1;2;0\n" TRAIN
    a.csv: expected fields separated by ','; the fields seem to be separated by ';': give --delimiter
    ';'
a.csv "1,5;2,5;0\n1,7;1,5;1\n" TRAIN
    a.csv: expected fields separated by ','; the fields seem to be separated by ';': give --delimiter
    ';'
a.csv "1.5  2.5 1\n0.5  3.5 0\n" TRAIN
    a.csv: expected fields separated by ','; the fields seem to be separated by blanks: give --delimiter
    ' '
a.csv "# logger\na,b,y\n1,2,0\n" TRAIN
    a.csv:1: expected a header or a row, got `# logger`; remove this line: tail -n +2 FILE > data.csv
a.csv "sep=;\na;b;y\n1;2;0\n" TRAIN --delimiter ;
    a.csv:1: expected a header or a row, got `sep=;`; remove this line...
a.csv "0 1:2\n1 1:3\n" TRAIN
    a.csv: the lines look like LIBSVM text: give --format libsvm
a.csv "day,y\n2024-01-05,a\n2024-01-06,b\n" TRAIN
    a.csv: expected numbers or categories in column day, got the date or time 2024-01-05; convert it to
    numbers, or give --categorical day to one-hot encode it
a.csv "a;y\n1.5;0\n1,5;1\n" TRAIN --delimiter ; --decimal ,
    a.csv:2: expected a number in column a, got `1.5`, with a decimal point as in 1 of 2 values...
a.csv "first,second,label\n" TRAIN
    a.csv: expected rows, got only the header first,second,label
a.csv "" TRAIN
    a.csv: expected rows, got an empty file
a "\n\n" TRAIN
    a: expected rows, got an empty file
a "some words\n" TRAIN
    a: the format is unknown; give --format, one of libsvm, csv, npy, parquet, arrow
a "a\tb\tc\n1\t2\t3\n" TRAIN
    a: the format is unknown; give --format, one of ...; the fields seem to be separated by tab: give
    --format csv --delimiter tab
a.csv "1,2\n3,2\n" TRAIN
    a.csv: expected two or more classes, got only 2 in 2 rows; --classes A,B,... names all classes
a.csv "a,b,y\n1,2,0\n" TRAIN --target nope
    a.csv: expected one column named nope (--target), got a, b, y
a.csv "a,b,Y\n1,2,0\n" TRAIN --target y
    a.csv: expected one column named y (--target), got a, b, Y; did you mean Y?
a.csv "1,2,0\n" TRAIN --target 7
    a.csv: expected the target in column 7 (--target), got 3 columns
a.libsvm "1 1:1\n0 1:nan\n" compare FILE -q --algorithm bsgd-merge
    a.libsvm:2: expected a number in column 1, got a missing value; --scaling online...
a.csv "1,2\n3,2\n" compare FILE -q
    a.csv: expected two or more classes, got only 2 in 2 rows; --classes A,B,... names all classes
a.csv "1,2,0\n3,4,1\n" compare FILE -q --classes 0,2
    a.csv:2: expected one of the classes 0, 2 (--classes), got 1; --classes A,B,... names all classes
a.csv "0.5,0.5,1\n0.5,0.5,7\n" plot plain -o a.png --data FILE
    a.csv:2: expected one of the classes 0, 1, got 7
a.csv "0.5,0.5,0.5,1\n" plot plain -o a.png --data FILE
    a.csv: expected 2 columns, or 3 with the target, got 4
a.libsvm "1 1:0.5\n0 3:0.5\n" plot plain -o a.png --data FILE
    a.libsvm: expected at most 2 features, as in the model, got 3
a.csv "1,2,0\n" plot plain -o no/a.png
    no/a.png: no such directory ...
a.csv "1,2,0\n" compare FILE --csv none/a
    none/a: no such directory ...
a.csv "1,2,0\n" compare FILE --csv .
    .: expected a file, got the directory ...
a.csv "1,2,0\n" TRAIN --max-features 1
    a.csv: expected at most 1 features, got 2; --max-features N allows more
a.csv "1,2,cat\n3,4,5\n" REGRESSION
    a.csv:1:5: expected a number as the target, got `cat`; for labels: --task classification
a.csv "1,2,3\n3,4,\n" REGRESSION
    a.csv:2:5: expected a number as the target, got an empty field; remove the rows without a target
a.csv "1,2,3\n3,4,1;5\n" REGRESSION
    a.csv:2:5: expected a number as the target, got `1;5`
a.csv "1;2;3\n3;4;1,5\n" REGRESSION --delimiter ;
    a.csv:2:5: expected a number as the target, got `1,5`; it has a decimal comma: --decimal , reads it
a.csv "1,2,3\n3,4,2e15\n" REGRESSION
    a.csv:2: the targets must be numbers from -1e15 to 1e15, got 2000000000000000
a.libsvm "1 1:1\n0 1:nan\n" TRAIN
    a.libsvm:2: expected a number in column 1, got a missing value; --scaling online...
a.libsvm "spam 1:2\n" REGRESSION
    a.libsvm:1:1: expected a number as the target, got `spam`...
a.libsvm "1,2,3\n" TRAIN
    a.libsvm:1:1: expected one label before the first INDEX:VALUE, got `1,2,3`; the lines look like CSV:
    give --format csv
a.libsvm "\n\n# nothing\n" TRAIN
    a.libsvm: expected rows, got only comments
a.npy "words" TRAIN
    a.npy: expected an array in .npy format ...
a.npz "PK\u0003\u0004 and words" TRAIN
    a.npz: damaged .npz file ...
a.xlsx "PK\u0003\u0004" TRAIN
    a.xlsx: expected CSV, LIBSVM text, NumPy, Parquet or Arrow, got Excel; convert it in Python:
    pandas.read_excel('a.xlsx').to_csv('data.csv', index=False)
a.jsonl "{\"a\": 1}\n{\"a\": 2}\n" TRAIN
    a.jsonl: expected CSV, LIBSVM text, NumPy, Parquet or Arrow, got JSON lines; convert it in Python:
    pandas.read_json('a.jsonl', lines=True).to_csv('data.csv', index=False)
a.txt "[{\"a\": 1}]" TRAIN
    a.txt: expected CSV, LIBSVM text, NumPy, Parquet or Arrow, got JSON; convert it in Python:
    pandas.read_json('a.txt')...
a.arff "% x\n@relation r\n" TRAIN
    a.arff: expected CSV, LIBSVM text, NumPy, Parquet or Arrow, got ARFF; convert it in Python:
    pandas.DataFrame(scipy.io.arff.loadarff('a.arff')[0])...
a.csv "a\u0000,\u0000b\u0000\n\u0000" TRAIN
    a.csv: expected CSV, LIBSVM text, NumPy, Parquet or Arrow, got UTF-16 text; convert it: iconv -f
    UTF-16 -t UTF-8 'a.csv' > data.csv
a.pdf "%PDF-1.4\n" TRAIN
    a.pdf: expected CSV, LIBSVM text, NumPy, Parquet or Arrow, got another format; read it in Python,
    and write it as CSV or Parquet
a.parquet "PAR1 and words" TRAIN
    a.parquet: cannot be read (...)
a.csv "a,b,c\n1,2,0\n" predict model FILE
    a.csv: expected the columns of the rows learned before, in any order, got the new columns "c"; if
    this is the target: --target c
a.csv "a,label\n1,0\n" predict model FILE
    a.csv: expected the columns of the rows learned before, in any order, got no column "b"
a.csv "a,b,c\n1,2,0\n" evaluate model FILE
    a.csv: expected a column named label, the target that the classification model learned, got c; if one of
    these is the target: --target NAME
a.csv "a,b,c\n1,2,x\n" evaluate model FILE
    a.csv: expected a column named label, the target that the classification model learned, got c (text): the
    model predicts numbers, so train another model for this file
a.csv "a,b\n1,2\n" evaluate model FILE
    a.csv: expected labels to compare with, got only feature columns
a.csv "a,b\n1,2\n" train FILE -o m --resume model
    a.csv: expected labels to train on, got only feature columns
a.csv "1,2,3,4\n" predict plain FILE
    a.csv: expected 2 columns, or 3 with the target, got 4
a.csv "1\n" predict plain FILE
    a.csv: expected 2 columns, or 3 with the target, got 1
a.csv "a,b,t\n1,x,red\n" predict words FILE
    a.csv:2:3: expected a number in column b, got `x`; --missing-values x takes it as missing
a.csv "1,2\n3,x\n" predict plain FILE -o m
    a.csv:2:3: expected a number in field 2, got `x`...
a.csv "1,2,0\n3,4,0.7\n" evaluate plain FILE
    a.csv:2: expected one of the classes 0, 1 of the model, got the number 0.7; --task regression trains
    regression models
a.csv "1,2,cat\n" evaluate numbers FILE
    a.csv:1:5: expected a number as the target, got `cat`; the model is for regression
a.csv "1,2,2e15\n" evaluate numbers FILE
    a.csv:1: the targets must be numbers from -1e15 to 1e15, got 2000000000000000
a.csv "1,2,0\n3,4,0.5\n" train FILE -o m --resume plain
    a.csv:2: the labels must be integers, as the labels seen before, got 0.5...
a.csv "a,x,label\n1,2,0\n3,4,1\n" train named.csv --test FILE -o m -q
    a.csv: expected the columns of named.csv, got no column "b", the new column "x"
a.csv "a,b\n1,2\n" train named.csv --test FILE -o m -q --target label
    a.csv: expected one column named label (--target), got a, b
a.csv "{GOOD}1,1,7\n" TRAIN --classes 0,1
    a.csv:101: expected one of the classes 0, 1 (--classes), got 7; --classes A,B,... names all classes
a.csv "{NAMED}" TRAIN --categorical c
    --categorical: expected feature columns of a.csv, got c
a.csv "{NAMED}" TRAIN --max-memory 100
    a.csv:2: --max-memory must be at least ...
a.csv "{NAMED}" TRAIN --max-memory 1K --shuffle
    a.csv: expected rows of at most 1,024 bytes, because all rows are held in memory, got more...
a.libsvm "{SPARSE}1 1:x\n" TRAIN
    a.libsvm:101:5: expected a number, got `x`...
a.libsvm "{SPARSE}1 1:1 1:2\n" TRAIN
    a.libsvm:101:7: expected each index once in a row, got `1:2`
a.libsvm "{SPARSE}1 1:1e300\n" TRAIN
    a.libsvm:101:3: expected a number within the range of float32, got `1:1e300`; --dtype float64 reads
    it
a.libsvm "{SPARSE}1 0:2\n" TRAIN --zero-based no
    a.libsvm:101:3: expected an index from 1 on, got `0:2`; --zero-based yes reads indices that start at
    0
a.libsvm "{SPARSE}1 9:2\n" TRAIN --max-features 8
    a.libsvm:101:3: expected an index of at most 8, got `9:2`; --max-features N allows more
a.libsvm "{SPARSE}1 qid:3 1:2\n" TRAIN
    a.libsvm:101:3: expected INDEX:VALUE with an index from 1 on, got `qid:3`
a.libsvm "{SPARSE}1,2 1:2\n" TRAIN
    a.libsvm:101:1: expected one label before the first INDEX:VALUE, got `1,2`
a.libsvm "{SPARSE}? 1:2\n" TRAIN
    a.libsvm:101:1: expected a label, got `?`; remove the rows without a label...
a.libsvm "{SPARSE}" TRAIN --target y
    --target y: expected CSV with a header, Parquet or Arrow, the format of a.libsvm is libsvm
a.parquet "{GOOD}" TRAIN --format csv --categorical a
    --categorical: expected feature columns of a.parquet, got a
a.csv "{NAMED}" train FILE -o m --test a.csv.test
    a.csv.test: no such file; check the path, or give - for standard input
a.csv "{NAMED}" train absent.csv -o m
    absent.csv: no such file; check the path, or give - for standard input
a.csv "{NAMED}" train . -o m
    .: expected a file, got a directory; train --resume learns file by file
"""
ROWS = {"GOOD": GOOD, "NAMED": NAMED, "SPARSE": SPARSE}
COMMANDS = {"TRAIN": TRAIN, "DEFAULT": DEFAULT, "REGRESSION": f"{DEFAULT} --task regression"}
CASE = re.compile(r'(\S+) (".*") ((\w+).*)\n((?:    .*\n)+)')
assert not CASE.sub("", CASES).strip()


def case(name, text, command, word, message):
    text = json.loads(text)
    for rows, content in ROWS.items():
        text = text.replace(f"{{{rows}}}", content)
    return name, text, command.replace(word, COMMANDS.get(word, word), 1), " ".join(message.split())


DATA = [case(*found) for found in CASE.findall(CASES)]
DATA += [
    (
        "a.csv",
        "a,b,y\n" + "1,2,0\n" * 1100 + "n.a.,2,1\n",
        TRAIN,
        "a.csv:1102:1: expected a number in column a, got `n.a.`; --missing-values n.a. takes it as missing; "
        "--categorical a takes its values as categories; if the first column is the target: --target a",
    ),
    (
        "a.csv",
        "a;y\n" + "1,5;0\n2,5;1\n" * 20,
        f"{TRAIN} --delimiter ;",
        "a.csv:2: expected a number in column a, got `1,5`, with a decimal comma as in 40 of 40 values; "
        "--decimal , reads it; "
        "--categorical a takes its values as categories",
    ),
    (
        "a.csv",
        "a,y\n" + "5%,0\n6%,1\n" * 20,
        TRAIN,
        "a.csv:2: expected a number in column a, got `5%`, with a percent sign as in 40 of 40 values...",
    ),
    (
        "a.csv",
        "a,y\n" + '"1,234",0\n"2,345",1\n' * 20,
        TRAIN,
        "a.csv:2: expected a number in column a, got `1,234`, with...",
    ),
    (
        "a.csv",
        "a,y\n" + "".join(f"{i},{i % 7}:{i:02}:05\n" for i in range(40)),
        DEFAULT,
        "a.csv: expected class labels, got 40 distinct values in 40 rows, such as `0:00:05`, a date or "
        "time; --target NAME chooses another column; --task classification takes each value as a class",
    ),
    (
        "a.csv",
        "a,y\n" + "".join(f"{i},{i}%\n" for i in range(40)),
        DEFAULT,
        "a.csv: expected class labels, got 40 distinct values in 40 rows, such as `0%`, with a percent "
        "sign; ...",
    ),
    (
        "a.csv",
        "a,y\n" + "".join(f"{i},{i}.5\n" for i in range(40)),
        DEFAULT,
        "a.csv: expected class labels, got fractions; --task regression predicts numbers, --target NAME "
        "chooses another column",
    ),
    ("a.csv", GOOD + "1,1,x\n" + GOOD * 90 + "1,1,x\n", f"{TRAIN} --classes 0,1", "a.csv:101: ..."),
    (
        "a.csv",
        GOOD * 90 + "1,1,x\n",
        TRAIN,
        "a.csv:9001: the labels must hold labels of one kind: all numbers, all strings or all bools, got ...",
    ),
    (
        "a.libsvm",
        "1" * (1 << 25),
        TRAIN,
        "a.libsvm:1:16777217: expected a line of at most 16777216 bytes, got ...",
    ),
    ("a.csv", GOOD[:200], f"{TRAIN} --format arrow", "a.csv: cannot be read (...)"),
]

USAGE = table(r"""
predict => missing
train => missing DATA, -o/--output
--budget 0 => --budget must be an integer from 1 to 16777216, got 0
--budget many => --budget: expected an integer >= 1 or none, got "many"
--set gamma=wide => --set gamma must be "scale", "auto", "standardized", or a number from 1e-30
--set kernel=nothing => --set kernel must be one of
--set loss=huber => --set loss = "huber" cannot be combined with classification; valid: "hinge"
--task regression --set loss=hinge => --set loss = "hinge" cannot be combined with regression
--task regression --algorithm rbp => --algorithm = "rbp" cannot be combined with regression
--task ranking => --task: expected classification or regression, got "ranking"
--task regression --classes 0,1 => --classes cannot be combined with --task regression
--algorithm nothing => --algorithm must be an algorithm (train --help-all lists all), got "nothing"
--classes 1 => --classes: expected two or more labels separated by commas, got "1"
--passes 0 => --passes: expected an integer >= 1, got "0"
--delimiter :: => --delimiter: must be one character of ASCII
--delimiter 7 => --delimiter: must be one character of ASCII, no letter, digit
--seed x => --seed: expected an integer >= 0, got "x"
--dtype float16 => --dtype: expected float32 or float64, got "float16"
--scaling fixed => --scaling: expected online or none, got "fixed"
--max-memory 4GB => --max-memory: expected a number of bytes, such as 500M or 8G, got "4GB"
--missing-values , => --missing-values: expected values separated by commas, got ","
--format cvs => --format: expected libsvm, csv, npy, parquet or arrow, got "cvs"; did you mean csv?
--nothing => unknown option --nothing (see "budgetrs train --help")
--bugdet 5 => unknown option --bugdet; did you mean --budget? (see "budgetrs train --help")
--gamma 2 => unknown option --gamma; use --set gamma=2 (see "budgetrs train --help-all")
--gamma => unknown option --gamma; use --set gamma=VALUE
--gama 2 => unknown option --gama; did you mean --set gamma=2?
--no-C-decay => unknown option --no-C-decay; use --set C_decay=false
--random_state 3 => unknown option --random_state; did you mean --seed?
--epochs 3 => unknown option --epochs; did you mean --passes?
--lambda 1 => unknown option --lambda; did you mean --set alpha=VALUE?
--lr 0.1 => unknown option --lr; did you mean --set C0=VALUE?
--set lambda=1 => --set lambda=1: unknown parameter lambda; did you mean alpha?
--set gama=2 => --set gama=2: unknown parameter gama; did you mean gamma?
--set budget=2 => --set budget=2: budget has an option: use --budget 2
--set gamma => --set: expected NAME=VALUE, such as --set gamma=0.1, got "gamma"
--set C_decay=1 => --set C_decay must be true or false, got 1
--algorithm bsgd-merge --set rate=often => --set rate must be a finite number > 0, "auto", or none, got
    "often"
--resume model --budget 30 => --budget cannot be combined with --resume: model keeps its algorithm
--resume model --set gamma=2 => --set gamma cannot be combined with --resume
--resume model --dtype float32 => --dtype cannot be combined with --resume
--resume model --shuffle => --shuffle cannot be combined with --resume: shuffle the rows of good.csv before
trian data.csv => unknown command trian; did you mean train? (see "budgetrs --help")
fit data.csv => unknown command fit; did you mean train? (see "budgetrs --help")
help trian => unknown command trian; did you mean train? (see "budgetrs --help")
-q train => expected a command first, got -q (see "budgetrs --help")
train good.csv good.csv -o m => unexpected argument good.csv; give one file, and train
predict m x -z => unknown option -z (see "budgetrs predict --help")
predict model named.csv --json => --json: expected -o OUT too
predict numbers good.csv --proba => --proba: expected a classification model, numbers is a regression model
predict plain good.csv --proba => --proba: expected a model with probabilities
predict model named.csv --interval 0.9 => --interval: expected a regression model, model is a classification
predict numbers good.csv --interval 90 => --interval: expected a number from 0.01 to 0.999, got "90"
predict model named.csv --missing-values -9 => --missing-values: expected the numbers of the model, none
predict model named.csv -o model => model: expected an output file, got the input model
compare good.csv --epochs 3 => unknown option --epochs (see "budgetrs compare --help")
compare good.csv --set average=0.5 => --set average=0.5: average cannot be combined with compare
predict plain good.csv --prediction-set 0.9 => --prediction-set: expected a model of --algorithm online-k
predict numbers good.csv --prediction-set 0.9 => --prediction-set: expected a classification model
predict pa good.csv --interval 0.9 => --interval: expected a model of --algorithm online-kernel, pa is pa
predict model named.csv --prediction-set most => --prediction-set: expected a number from 0.01 to 0.999, got
predict model named.csv --proba --scores => --scores cannot be combined with --proba
compare good.csv --budget 5,5 => budgets must all be different, got 5 twice
compare good.csv --budget 50,,60 => --budget: expected an integer >= 1 or none, got ""
compare good.csv --budget 5.5 => --budget: expected an integer >= 1 or none, got "5.5"
compare good.csv --budget 5,0 => --budget must be an integer from 1 to 16777216, got 0
compare good.csv --algorithm pegasos --budget none,5 => --budget = 5 cannot be combined with maintenance
compare good.csv --algorithm svm => --algorithm must be an algorithm (train --help-all lists all)
compare good.csv --set C=1 => --set C does not apply to algorithm = "online-kernel"; C applies to
compare good.csv --passes 2 => unknown option --passes
compare good.csv --figure a.jpg => --figure a.jpg: expected a file name ending in .png, .pdf, .svg
compare good.csv --figure - => --figure -: expected a file name ending in .png, .pdf, .svg, got ""
compare good.csv --csv - => --csv: expected a file, got - (standard output)
compare good.csv --csv good.csv => good.csv: expected an output file, got the input good.csv
compare good.csv --figure link.png => link.png: expected an output file, got the input good.csv
compare good.csv --csv a.png --figure ./a.png => --csv and --figure: expected two files, got a.png for both
plot model -o a.jpg => -o a.jpg: expected a file name ending in .png, .pdf, .svg
plot model -o a.png --target x => --target: expected --data FILE too
plot model -o - => -o -: expected a file name ending in .png, .pdf, .svg, got ""
plot model -o link.png --data good.csv => link.png: expected an output file, got the input good.csv
plot model => missing -o/--output
plot model -o a.png --format csv => --format: expected --data FILE too
plot empty -o a.png => --data: expected rows, because empty has no support vectors
""")

MODELS = table(r"""
info absent => absent: no such model file; "budgetrs train DATA -o absent" writes one
info named.csv => named.csv: not a valid model
predict named.csv model => named.csv: not a valid model
predict fresh named.csv => fresh: expected a trained model, got one that has learned no rows
evaluate damaged named.csv => damaged:
train named.csv -o . => .: expected a file, got the directory
train named.csv -o absent/m => absent/m: no such directory
train named.csv --resume fresh -o m => fresh: expected a trained model
plot absent -o a.png => absent: no such model file
plot fresh -o a.png => fresh: expected a trained model, got one that has learned no rows
""")


def check(found, code, message):
    """Check the exit code and the one line on standard error."""
    got, out, err = found
    assert (got, out, err.count("\n")) == (code, "", 1), found
    text = err.rstrip("\n")
    assert re.fullmatch("budgetrs: " + re.escape(message).replace(r"\.\.\.", ".*"), text), text


@pytest.mark.parametrize(
    ("name", "text", "command", "message"), DATA, ids=[f"{i} {m[3][:50]}" for i, m in enumerate(DATA)]
)
def test_data(name, text, command, message, here, capsys):
    (here / name).write_text(text, newline="")
    code = 2 if message.startswith("--") else 1
    check(run(capsys, *command.replace("FILE", name).split()), code, message)
    assert not (here / "m").exists()


@pytest.mark.parametrize(("command", "message"), USAGE)
def test_arguments(command, message, here, capsys):
    given = f"train good.csv -o m {command}" if command.startswith("--") else command
    code, out, err = run(capsys, *given.split())
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith(f"budgetrs: {message}"), err
    assert not (here / "m").exists()


@pytest.mark.parametrize(("command", "message"), MODELS)
def test_model_files(command, message, here, capsys):
    whole = (here / "model").read_bytes()
    (here / "damaged").write_bytes(whole[:50] + bytes([whole[50] ^ 1]) + whole[51:])
    code, out, err = run(capsys, *command.split())
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith(f"budgetrs: {message}"), err


ARRAYS = {
    "nan.npy": (
        np.column_stack([X, Y]) * np.where(np.arange(100) == 41, np.nan, 1)[:, None],
        "nan.npy:row 42: expected a label...",
    ),
    "flat.npy": (np.arange(5.0), "flat.npy: expected a matrix of numbers, got shape (5,) of float64"),
    "words.npy": (
        np.array([["a", "b"]]),
        "words.npy: expected a matrix of numbers, got shape (1, 2) of <U1...",
    ),
    "complex.npy": (X.astype(complex), "complex.npy: expected an array of numbers, got dtype complex128..."),
    "objects.npy": (np.array([[None]]), "objects.npy: expected an array of numbers, got dtype object..."),
    "none.npy": (np.empty((0, 3)), "none.npy: expected rows, got a table of 0 rows"),
    "narrow.npy": (X[:, :0], "narrow.npy: expected a target and at least one feature, got 0 columns"),
    "inf.npy": (
        np.column_stack([X * np.where(np.arange(100) == 7, np.inf, 1)[:, None], Y]),
        "inf.npy:row 8: contains infinity...",
    ),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name, here, capsys):
    array, message = ARRAYS[name]
    np.save(name, array)
    check(run(capsys, "train", name, "-o", "m", *SMALL.split()), 1, message)


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        (
            {"A": X},
            "",
            "a.npz: expected an array named X, got A.npy; save it by numpy.savez('data.npz', X=..., y=...)",
        ),
        ({"X": X, "y": Y[:-1]}, "", "a.npz: expected y of shape (100,), got (99,)"),
        (
            {"X": X, "y": np.where(np.arange(100) == 3, np.nan, 1)},
            "--task regression",
            "a.npz:row 4: expected a finite number as the target, got nan; remove the rows without a target",
        ),
        (
            {"X": X, "y": Y.astype(str)},
            "--task regression",
            "a.npz:row 1: expected a number as the target, got `...`",
        ),
        ({"X": np.hstack([X, X]), "y": Y}, "--resume plain", "a.npz: expected 2 columns, got 4"),
        (
            {"X": X, "y": Y},
            "--max-memory 99",
            "a.npz[X]: --max-memory must be at least 800 bytes for an array that is read whole, got 99",
        ),
    ],
)
def test_archives(arrays, options, message, here, capsys):
    np.savez("a.npz", **arrays)
    check(run(capsys, "train", "a.npz", "-o", "m", "-q", *options.split()), 1, message)


def test_damaged_files(here, capsys):
    np.save("whole.npy", np.column_stack([X, Y]))
    parquet.write_table(pa.table({"a": X[:, 0], "y": Y}), "whole.parquet")
    for name, cut in (("whole.npy", -10), ("whole.parquet", -100), ("whole.parquet", 50)):
        (here / f"cut.{name[6:]}").write_bytes((here / name).read_bytes()[:cut])
        code, out, err = run(capsys, "train", f"cut.{name[6:]}", "-o", "m", "-q")
        assert (code, out, err.count("\n")) == (1, "", 1), err
    for keep in (200, -4):
        (here / "a.csv.gz").write_bytes(gzip.compress(GOOD.encode())[:keep])
        check(
            run(capsys, "train", "a.csv.gz", "-o", "m", "-q"),
            1,
            "a.csv.gz: damaged or truncated compressed data (...)",
        )
    (here / "b.csv").write_bytes("a,Größe,y\n1,2,0\n".encode("latin-1"))
    check(
        run(capsys, "train", "b.csv", "-o", "m"),
        1,
        "b.csv:1: expected text in UTF-8, got other bytes; convert the file: iconv ...",
    )
    (here / "b.csv").write_bytes("a,y\nrød,0\nblå,1\n".encode("latin-1"))
    check(
        run(capsys, "train", "b.csv", "-o", "m"),
        1,
        "b.csv:2:1: expected text in UTF-8 in column a, got `r\\xf8d`; convert the file: iconv ...",
    )
    assert not (here / "m").exists()


def test_columns_of_tables(here, capsys):
    days = pa.array(np.arange(2), pa.int32()).cast(pa.date32())
    parquet.write_table(pa.table({"day": days, "label": [0, 1]}), "a.parquet")
    check(
        run(capsys, "train", "a.parquet", "-o", "m"),
        1,
        "a.parquet: expected numbers or categories in column 'day', got date32[day]; convert the column "
        "to numbers, such "
        "as days since a date, or drop it",
    )
    parquet.write_table(pa.table({"a": [1, 2], "label": [0, None]}), "a.parquet")
    check(
        run(capsys, "train", "a.parquet", "-o", "m"),
        1,
        "a.parquet:row 2: expected a label, got none; remove the rows without a label",
    )
    (here / "a.parquet.gz").write_bytes(gzip.compress((here / "a.parquet").read_bytes()))
    check(
        run(capsys, "train", "a.parquet.gz", "-o", "m"),
        1,
        "a.parquet.gz: parquet must be a file that is not compressed as a whole; decompress it first",
    )


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("train - -o m --passes 2", 2, "--passes 2: expected a file that can be read again, got <stdin>"),
        (
            "train - -o m --shuffle",
            2,
            "--shuffle: expected a file that can be read again, got <stdin>; shuffle...",
        ),
        (
            "compare - --shuffle",
            2,
            "--shuffle: expected a file that can be read again, got <stdin>; shuffle...",
        ),
        (
            "train - -o m --set rate=auto",
            2,
            "--set rate=auto: expected --set stream_length=N too, the number of rows of the stream, "
            "because <stdin> can be read only once",
        ),
        (
            "train - -o m --test -",
            2,
            "--test -: expected a file other than DATA, because a pipe can be read only once",
        ),
        ("train - -o m --format npy", 1, "<stdin>: expected an array in .npy format ..."),
        ("predict plain - --format csv", 1, "<stdin>:101:1: expected a number in field 1, got `x`..."),
    ],
)
def test_pipes(command, code, message, here):
    call = [sys.executable, "-m", "budgetrs", *command.split()]
    done = subprocess.run(
        call, input=GOOD + "x,2,0\n", capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, done.stderr
    text = done.stderr.rstrip("\n")
    assert re.fullmatch("budgetrs: " + re.escape(message).replace(r"\.\.\.", ".*"), text), text
    if command.startswith("predict"):
        # The rows before the invalid one are predicted.
        assert len(done.stdout.split()) == 100


def test_an_unforeseen_error_is_one_line(here, capsys, monkeypatch):
    def broken(*_):
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("budgetrs.cli.batch.Labels.array", broken)
    said = "internal error: unforeseen; BUDGETRS_TRACEBACK=1 shows the traceback"
    check(run(capsys, "train", "good.csv", "-o", "m", "-q"), 1, said)


def test_packages_that_are_missing(here, capsys, monkeypatch):
    for name in ("pyarrow", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    (here / "a.parquet").write_bytes(b"PAR1")
    (here / "a.csv.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    for name, what in (("a.parquet", "parquet"), ("a.csv.zst", "zstd")):
        check(
            run(capsys, "train", name, "-o", "m"),
            1,
            f"{name}: {what} needs pyarrow: pip install 'budgetrs[arrow]'",
        )
    code, _, err = run(capsys, "plot", "model", "-o", "a.png")
    assert (code, "pip install 'budgetrs[plot]'" in err) == (2, True)
