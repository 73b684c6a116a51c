//! `Reader`: the streaming readers of text as a Python class.

use crate::error::{text_error, to_python};
use crate::float_type::FloatMatrix;
use crate::writer_lock::Exclusive;
use budgetrs::Error;
use budgetrs_readers::{
    Categories, Csv, Delimiter, FieldKind, Floats, Format, Kind, Libsvm, Rows, Target, Task,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyTuple};

/// A reader of LIBSVM text or CSV: feed bytes, take rows.
///
/// Parameters
/// ----------
/// format : {"libsvm", "csv"}
///     The format.
/// task : {"classification", "regression", "unlabelled"}, default="classification"
///     Whether the labels are classes or numbers, or are skipped.
/// dtype : {"float32", "float64"}, default="float32"
///     The float type of the values. Numbers beyond its range raise an error.
/// kinds : str, default=""
///     CSV: the kind of each field: ``n`` number, ``c`` category, ``t`` target, ``-`` ignored.
/// delimiter : str, default=","
///     CSV: the separator of fields; a space stands for any number of spaces and tabs.
/// decimal : str, default="."
///     CSV: the decimal sign of numbers.
/// missing : list of str, default=()
///     CSV: texts of a missing value in addition to `MISSING`.
/// classes : list of str, default=()
///     CSV: labels that are never missing.
/// header : bool, default=False
///     CSV: whether to skip the first line.
/// first_index : int, default=1
///     LIBSVM: the index of the first feature, 0 or 1.
/// n_features, max_features : int
///     LIBSVM: the known number of features, which may grow, and the largest number.
///
/// Examples
/// --------
/// >>> from budgetrs._core import Reader
/// >>> reader = Reader("csv", kinds="tnn")
/// >>> reader.feed(b"cat,1,2\ndog,3")
/// >>> reader.feed(b",4\n")
/// >>> values, _, _, _, (codes, names), lines = reader.take()
/// >>> values.tolist(), [names[code] for code in codes], lines.tolist()
/// ([[1.0, 2.0], [3.0, 4.0]], ['cat', 'dog'], [1, 2])
#[pyclass(frozen, module = "budgetrs._core")]
pub(crate) struct Reader(Exclusive<budgetrs_readers::Reader>);

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (format, *, task = "classification", dtype = "float32", kinds = "", delimiter = ",", decimal = ".",
        missing = Vec::new(), classes = Vec::new(), header = false, first_index = 1, n_features = 0,
        max_features = budgetrs_readers::MAX_FEATURES))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        format: &str,
        task: &str,
        dtype: &str,
        kinds: &str,
        delimiter: &str,
        decimal: &str,
        missing: Vec<String>,
        classes: Vec<String>,
        header: bool,
        first_index: u32,
        n_features: u64,
        max_features: u64,
    ) -> PyResult<Self> {
        let task = match task {
            "classification" => Task::Classification,
            "regression" => Task::Regression,
            _ => Task::Unlabelled,
        };
        let kinds: Vec<Kind> = kinds
            .bytes()
            .map(|kind| match kind {
                b'n' => Kind::Number,
                b'c' => Kind::Category,
                b't' => Kind::Target,
                _ => Kind::Ignored,
            })
            .collect();
        let format = if format == "csv" {
            let (delimiter, decimal) = (separator(delimiter)?, sign(decimal)?);
            Format::Csv(Csv { kinds, delimiter, decimal, missing, classes, header })
        } else {
            Format::Libsvm(Libsvm { first: first_index, max_features, n_features })
        };
        let reader = budgetrs_readers::Reader::new(format, Rows::new(task, dtype == "float32"));
        let lost = "this Reader is lost: the process was forked while another thread used it";
        Ok(Self(Exclusive::new(reader, lost)))
    }

    /// Read more bytes; lines may be cut anywhere.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     At the first place that cannot be read, with the attributes `line`, `column`, `field`, `code`, `expected` and
    ///     `got`. The rows before the error can still be taken.
    fn feed(&self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        self.0.with(py, |reader| reader.feed(data).map_err(text_error))
    }

    /// End the text, whose last line may lack the newline.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.0.with(py, |reader| reader.finish().map_err(text_error))
    }

    /// Return the rows not yet taken; None if there are none.
    ///
    /// Returns
    /// -------
    /// tuple or None
    ///     The values, of CSV a matrix of the numeric columns; the categorical columns, each as codes and names; the
    ///     row starts and the indices of a CSR matrix; the targets: codes and names of labels, numbers or None; and the
    ///     line of each row.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let rows = self.0.with(py, |reader| Ok((reader.n_ready() > 0).then(|| reader.take())))?;
        let Some(Rows { values, categories, indptr, indices, target, lines }) = rows else { return Ok(None) };
        // Only rows of LIBSVM have starts.
        let is_matrix = indptr.len() == 1;
        let shape = if is_matrix { [lines.len(), values.len() / lines.len()] } else { [values.len(), 1] };
        let values = match values {
            Floats::F32(values) => FloatMatrix::F32(values, shape),
            Floats::F64(values) => FloatMatrix::F64(values, shape),
        };
        let values = if is_matrix { values.into_array(py)? } else { values.into_scores(py)? };
        let coded = |Categories { codes, names, .. }| (PyArray1::from_vec(py, codes), names);
        let target = match target {
            Target::Labels(labels) => coded(labels).into_pyobject(py)?.into_any(),
            Target::Numbers(numbers) => PyArray1::from_vec(py, numbers).into_any(),
            Target::None => py.None().into_bound(py),
        };
        let categories: Vec<_> = categories.into_iter().map(coded).collect();
        let sparse = (PyArray1::from_vec(py, indptr), PyArray1::from_vec(py, indices));
        let rows = (values, categories, sparse.0, sparse.1, target, PyArray1::from_vec(py, lines));
        rows.into_pyobject(py).map(Some)
    }

    /// Number of rows that can be taken.
    #[getter]
    fn n_ready(&self, py: Python<'_>) -> PyResult<usize> {
        self.0.with(py, |reader| Ok(reader.n_ready()))
    }

    /// LIBSVM: number of features, the given number or the largest index so far.
    #[getter]
    fn n_features(&self, py: Python<'_>) -> PyResult<u64> {
        self.0.with(py, |reader| Ok(reader.n_features()))
    }
}

/// Return the number of features of whole lines of LIBSVM text.
#[pyfunction]
#[pyo3(name = "_libsvm_width", signature = (text, first_index = 1))]
pub(crate) fn libsvm_width(py: Python<'_>, text: &[u8], first_index: u32) -> u64 {
    py.detach(|| budgetrs_readers::width(text, first_index))
}

fn separator(text: &str) -> PyResult<Delimiter> {
    match text.as_bytes() {
        b" " => Ok(Delimiter::Blanks),
        &[byte]
            if byte.is_ascii_punctuation() && !matches!(byte, b'"' | b'.' | b'-' | b'+') || byte == b'\t' =>
        {
            Ok(Delimiter::Byte(byte))
        }
        _ => {
            let expected = "one character of ASCII, no letter, digit, quote, point or sign";
            Err(to_python(Error::parameter("delimiter", expected, format!("{text:?}"))))
        }
    }
}

fn sign(text: &str) -> PyResult<u8> {
    match text {
        "." | "," => Ok(text.as_bytes()[0]),
        _ => Err(to_python(Error::parameter("decimal", "\".\" or \",\"", format!("{text:?}")))),
    }
}

/// Look at the first lines of CSV.
///
/// Returns the fields of the first line, each with ``n`` for a number, ``m`` for a missing value and ``t`` for other text;
/// and for each column of the next `rows` lines, or more until each column has a value, the count of numbers, and for each
/// other text its count and its first line. The sample ends before a line that is not valid.
#[pyfunction]
#[pyo3(name = "_sample_csv", signature = (text, *, delimiter = ",", decimal = ".", missing = Vec::new(), rows = 1000))]
pub(crate) fn sample_csv<'py>(
    py: Python<'py>,
    text: &[u8],
    delimiter: &str,
    decimal: &str,
    missing: Vec<String>,
    rows: usize,
) -> PyResult<Bound<'py, PyTuple>> {
    let (delimiter, decimal) = (separator(delimiter)?, sign(decimal)?);
    let sample = py.detach(|| budgetrs_readers::sample(text, delimiter, decimal, &missing, rows));
    let kind = |kind| match kind {
        FieldKind::Number => "n",
        FieldKind::Missing => "m",
        FieldKind::Text => "t",
    };
    let first: Vec<_> = sample.first.into_iter().map(|(text, looks)| (text, kind(looks))).collect();
    let mut columns = Vec::with_capacity(sample.columns.len());
    for column in sample.columns {
        columns.push((column.numbers, column.texts.into_py_dict(py)?));
    }
    (first, columns).into_pyobject(py)
}
