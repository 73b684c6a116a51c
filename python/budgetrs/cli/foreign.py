"""Formats that are not read, recognised by the name or the first bytes of a file; how to convert them."""

import re
from dataclasses import dataclass
from functools import cached_property

_SAS = bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11"


@dataclass(frozen=True)
class Foreign:
    """A format: its name, what to do, the suffixes of its files, and a pattern of their first bytes."""

    name: str
    advice: str
    suffixes: tuple[str, ...] = ()
    start: bytes = b"(?!)"

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """The pattern of the first bytes, compiled when it is first needed."""
        return re.compile(self.start, re.DOTALL)


def _pandas(call: str) -> str:
    return f"convert it in Python: pandas.{call}.to_csv('data.csv', index=False)"


_PACKED = "unpack it first, or compress the table by gzip, xz, bzip2 or zstd"
_TEXT = "convert it: iconv -f {} -t UTF-8 FILE > data.csv"
_NO_TABLE = "expected a table"

FORMATS = (
    Foreign(
        "budgetrs model",
        "the model is the first argument of predict and evaluate",
        (),
        rb".{8}\{\"__metadata__\"",
    ),
    Foreign(
        "Excel",
        _pandas("read_excel(FILE)"),
        (".xlsx", ".xls", ".xlsm", ".xlsb"),
        rb"PK\x03\x04.{0,4000}?(\[Content_Types\]\.xml|xl/)|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    ),
    Foreign(
        "OpenDocument",
        _pandas("read_excel(FILE)"),
        (".ods",),
        rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis",
    ),
    Foreign(
        "JSON lines",
        _pandas("read_json(FILE, lines=True)"),
        (".jsonl", ".ndjson"),
        rb"\s*\{\s*\"[^\n]*\}[ \t\r]*\n\s*\{",
    ),
    Foreign(
        "JSON",
        _pandas("read_json(FILE)"),
        (".json",),
        rb"\s*(\[\s*)?\{\s*\"|\s*\[\s*[\[\"]",
    ),
    Foreign("HDF5", _pandas("read_hdf(FILE)"), (".h5", ".hdf5", ".hdf"), rb"\x89HDF\r\n"),
    Foreign(
        "Avro", "convert it in Python: polars.read_avro(FILE).write_csv('data.csv')", (".avro",), rb"Obj\x01"
    ),
    Foreign("ORC", _pandas("read_orc(FILE)"), (".orc",), rb"ORC.{0,16}\0"),
    Foreign(
        "SQLite",
        "convert it: sqlite3 -header -csv FILE 'select * from TABLE' > data.csv",
        (".sqlite", ".sqlite3", ".db"),
        rb"SQLite format 3\0",
    ),
    Foreign(
        "SAS", _pandas("read_sas(FILE)"), (".sas7bdat", ".xpt"), re.escape(_SAS) + rb"|HEADER RECORD\*{7}"
    ),
    Foreign("SPSS", _pandas("read_spss(FILE)"), (".sav", ".zsav", ".por"), rb"\$FL[23]@\(#\)"),
    Foreign("Stata", _pandas("read_stata(FILE)"), (".dta",), rb"<stata_dta>|[\x68-\x73][\x01\x02]\x01\x00"),
    Foreign(
        "pickle",
        _pandas("read_pickle(FILE)"),
        (".pkl", ".pickle", ".joblib"),
        rb"\x80[\x02-\x05](\x95|[}c\]])",
    ),
    Foreign(
        "R workspace",
        "convert it in R: write.csv(get(load(FILE)), 'data.csv', row.names = FALSE)",
        (".rda", ".rdata"),
        rb"RD[XA][23]\n",
    ),
    Foreign(
        "R",
        "convert it in R: write.csv(readRDS(FILE), 'data.csv', row.names = FALSE)",
        (".rds",),
        rb"X\n\0\0\0[\x02\x03]",
    ),
    Foreign(
        "MATLAB",
        "convert it in Python: scipy.io.loadmat(FILE) and numpy.savez('data.npz', X=..., y=...)",
        (".mat",),
        rb"MATLAB [57]\.\d MAT-file",
    ),
    Foreign(
        "NetCDF",
        "convert it in Python: xarray.open_dataset(FILE).to_dataframe().to_csv('data.csv')",
        (".nc",),
        rb"CDF[\x01\x02\x05]",
    ),
    Foreign(
        "HTML", _pandas("read_html(FILE)[0]"), (".html", ".htm"), rb"(?i)\s*(<!doctype html|<html|<table)"
    ),
    Foreign("XML", _pandas("read_xml(FILE)"), (".xml",), rb"\s*<\?xml|\s*<[A-Za-z][\w:.-]*(\s[^<>]*)?>\s*<"),
    Foreign(
        "Arrow stream",
        "convert it in Python: pyarrow.feather.write_feather(pyarrow.ipc.open_stream(FILE).read_all(), "
        "'data.arrow')",
        (),
        rb"\xff\xff\xff\xff..\0\0\x10\0\0\0",
    ),
    Foreign(
        "Feather version 1",
        "convert it in Python: pyarrow.feather.write_feather(pyarrow.feather.read_table(FILE), 'data.arrow')",
        (),
        rb"FEA1\0",
    ),
    Foreign(
        "Vowpal Wabbit",
        "convert it to LIBSVM text: LABEL INDEX:VALUE ...",
        (".vw",),
        rb"[-\d.]+( [\d.]+)?( '\S+)? \|\S* [^|\n]*\S:\S",
    ),
    Foreign(
        "TFRecord",
        "read the records by tensorflow.data.TFRecordDataset(FILE) and write them as CSV",
        (".tfrecord", ".tfrecords"),
        rb"..\0\0\0\0\0\0....\x0a",
    ),
    Foreign(
        "MatrixMarket",
        "convert it in Python: sklearn.datasets.dump_svmlight_file(scipy.sparse.csr_matrix(scipy.io.mmread("
        "FILE)), y, 'data.libsvm', zero_based=False)",
        (".mtx",),
        rb"%%MatrixMarket ",
    ),
    Foreign(
        "pointer of Git LFS",
        "fetch the file itself: git lfs pull",
        (),
        rb"version https://git-lfs\.github\.com/spec/",
    ),
    Foreign(
        "printed data frame of pandas",
        "write it in Python: frame.to_csv('data.csv', index=False)",
        (),
        rb" [^\n,;\t:]*\n0 [^\n,;\t]*\n1 ",
    ),
    Foreign("PDF", "copy the table into a CSV file", (".pdf",), rb"%PDF-"),
    Foreign("7z archive", _PACKED, (".7z",), rb"7z\xbc\xaf\x27\x1c"),
    Foreign("RAR archive", _PACKED, (".rar",), rb"Rar!\x1a\x07"),
    Foreign("tar archive", _PACKED, (".tar", ".tgz"), rb".{257}ustar"),
    Foreign("LZ4", _PACKED, (".lz4",), rb"\x04\x22\x4d\x18"),
    Foreign("Snappy", _PACKED, (".snappy", ".sz"), rb"\xff\x06\0\0sNaPpY"),
    Foreign("compress (.Z)", _PACKED, (".z",), rb"\x1f\x9d"),
    Foreign("picture", _NO_TABLE, (".png", ".jpg", ".jpeg", ".gif"), rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a"),
    Foreign("UTF-32 text", _TEXT.format("UTF-32"), (), rb"\xff\xfe\0\0|\0\0\xfe\xff"),
    Foreign("UTF-16 text", _TEXT.format("UTF-16"), (), rb"\xff\xfe|\xfe\xff"),
    Foreign("UTF-16 text", _TEXT.format("UTF-16LE"), (), rb"([\t\n\r -~]\0){4}"),
    Foreign("UTF-16 text", _TEXT.format("UTF-16BE"), (), rb"(\0[\t\n\r -~]){4}"),
)
"""The formats; the first that fits is named."""


def foreign(head: bytes, suffix: str = "") -> Foreign | None:
    """Return the format of a file that is not read, by its first bytes or the suffix of its name."""
    found = next((form for form in FORMATS if form.pattern.match(head)), None)
    return found or next((form for form in FORMATS if suffix in form.suffixes), None)
