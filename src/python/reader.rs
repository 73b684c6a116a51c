//! `Reader`: the streaming text parsers as a Python class.

use super::convert::Dtype;
use super::error::{guard, to_python};
use crate::data::{Csv, DenseRows, LabelName, Libsvm, Parser, SparseRows, Targets, Task};
use crate::error::Error;
use numpy::PyArray1;
use numpy::ToPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::Mutex;

/// The four parsers: two formats, two float types.
enum AnyParser {
    Libsvm32(Parser<Libsvm<f32>>),
    Libsvm64(Parser<Libsvm<f64>>),
    Csv32(Parser<Csv<f32>>),
    Csv64(Parser<Csv<f64>>),
}

macro_rules! with_parser {
    ($any:expr, $parser:ident => $op:expr) => {
        match $any {
            AnyParser::Libsvm32($parser) => $op,
            AnyParser::Libsvm64($parser) => $op,
            AnyParser::Csv32($parser) => $op,
            AnyParser::Csv64($parser) => $op,
        }
    };
}

/// A push parser of LIBSVM or CSV text: fed with bytes in pieces of any size, it gives the rows that are complete.
///
/// Parameters
/// ----------
/// format : {"libsvm", "csv"}
///     The format.
/// name : str, default="<stdin>"
///     What error messages call the source.
/// task : {"classification", "regression", "unlabelled"}, default="classification"
///     What the labels are: classes, numbers, or nothing that is wanted.
/// dtype : {"float32", "float64"}, default="float32"
///     The type of the values; numbers that it cannot hold are refused.
/// n_features : int, optional
///     Wider rows are refused.
/// classes : list, optional
///     The labels, numbered in this order; others are refused.
/// label_column : int, default=-1
///     CSV: the column of the label; negative ones count from the end.
/// delimiter : str, default=","
///     CSV: what separates the fields.
/// header : bool, optional
///     CSV: whether the first line holds names; None looks at it.
#[pyclass(frozen, module = "budgetrs._core")]
pub(super) struct Reader {
    inner: Mutex<Inner>,
}

struct Inner {
    parser: AnyParser,
    rows: u64,
}

fn text_error(error: crate::data::TextError) -> PyErr {
    to_python(error.into())
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (format, *, name = "<stdin>", task = "classification", dtype = "float32", n_features = None,
        classes = None, label_column = None, delimiter = ",", header = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        format: &str,
        name: &str,
        task: &str,
        dtype: &str,
        n_features: Option<usize>,
        classes: Option<Vec<Bound<'_, PyAny>>>,
        label_column: Option<i64>,
        delimiter: &str,
        header: Option<bool>,
    ) -> PyResult<Self> {
        let refused = |name, expected: &'static str, got: &str| {
            Err(to_python(Error::parameter(name, expected, format!("{got:?}"))))
        };
        let task = match task {
            "classification" => Task::Classification,
            "regression" => Task::Regression,
            "unlabelled" => Task::Unlabelled,
            _ => return refused("task", "\"classification\", \"regression\" or \"unlabelled\"", task),
        };
        let dtype = match dtype {
            "float32" => Dtype::F32,
            "float64" => Dtype::F64,
            _ => return refused("dtype", "\"float32\" or \"float64\"", dtype),
        };
        let &[delimiter] = delimiter.as_bytes() else {
            return refused("delimiter", "a single character of ASCII", delimiter);
        };
        let labels = classes
            .map(|classes| classes.iter().map(read_label).collect::<PyResult<Vec<_>>>())
            .transpose()?;
        let csv = Layout { n_features, label_column, delimiter, header };
        let parser = match (format, dtype) {
            ("libsvm", Dtype::F32) => AnyParser::Libsvm32(parser(name, task, libsvm(n_features)?, labels)?),
            ("libsvm", Dtype::F64) => AnyParser::Libsvm64(parser(name, task, libsvm(n_features)?, labels)?),
            ("csv", Dtype::F32) => AnyParser::Csv32(parser(name, task, csv.format()?, labels)?),
            ("csv", Dtype::F64) => AnyParser::Csv64(parser(name, task, csv.format()?, labels)?),
            _ => return refused("format", "\"libsvm\" or \"csv\"", format),
        };
        Ok(Self { inner: Mutex::new(Inner { parser, rows: 0 }) })
    }

    /// Parses more bytes; lines may be cut anywhere.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     ``NAME:LINE:COLUMN: expected ..., got ...``. The rows before it can still be taken.
    fn feed(&self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        py.detach(|| guard(|| with_parser!(&mut self.lock().parser, p => p.feed(data)).map_err(text_error)))
    }

    /// The text has ended: its last line may lack the newline.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| guard(|| with_parser!(&mut self.lock().parser, p => p.finish()).map_err(text_error)))
    }

    /// Takes the rows that are complete.
    ///
    /// Returns
    /// -------
    /// tuple or None
    ///     ``("csr", indptr, indices, data, y, n_columns_so_far)`` of LIBSVM text, ``("dense", X, y)`` of CSV; `y` holds
    ///     indices into `labels` (classification), numbers (regression) or is None.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut inner = self.lock();
        let ready = with_parser!(&inner.parser, p => p.ready());
        if ready == 0 {
            return Ok(None);
        }
        inner.rows += ready as u64;
        match &mut inner.parser {
            AnyParser::Libsvm32(p) => sparse(py, p.take()),
            AnyParser::Libsvm64(p) => sparse(py, p.take()),
            AnyParser::Csv32(p) => dense(py, p.take()),
            AnyParser::Csv64(p) => dense(py, p.take()),
        }
        .map(Some)
    }

    /// The distinct labels so far, in order of appearance.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let labels = with_parser!(&self.lock().parser, p => p.labels().to_vec());
        let list = PyList::empty(py);
        for label in labels {
            match label {
                LabelName::Int(x) => list.append(x)?,
                LabelName::Float(x) => list.append(x)?,
                LabelName::Text(x) => list.append(x)?,
            }
        }
        Ok(list)
    }

    /// Rows parsed so far.
    #[getter]
    fn n_rows(&self) -> u64 {
        let inner = self.lock();
        inner.rows + with_parser!(&inner.parser, p => p.ready()) as u64
    }

    /// Features: stated, or seen so far.
    #[getter]
    fn n_columns(&self) -> usize {
        with_parser!(&self.lock().parser, p => p.n_columns())
    }

    /// Lines read so far.
    #[getter]
    fn line(&self) -> u64 {
        with_parser!(&self.lock().parser, p => p.lines())
    }
}

impl Reader {
    /// A parser is whole after every call, even one that panicked: an error stays in it.
    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The layout of CSV.
struct Layout {
    n_features: Option<usize>,
    label_column: Option<i64>,
    delimiter: u8,
    header: Option<bool>,
}

impl Layout {
    fn format<T: crate::Real>(&self) -> PyResult<Csv<T>> {
        let mut format = Csv::new().with_delimiter(self.delimiter).map_err(to_python)?;
        if let Some(header) = self.header {
            format = format.with_header(header);
        }
        if let Some(column) = self.label_column {
            format = format.with_label_column(column);
        }
        match self.n_features {
            Some(n) => format.with_n_features(n).map_err(to_python),
            None => Ok(format),
        }
    }
}

fn libsvm<T: crate::Real>(n_features: Option<usize>) -> PyResult<Libsvm<T>> {
    match n_features {
        Some(n) => Libsvm::new().with_n_features(n).map_err(to_python),
        None => Ok(Libsvm::new()),
    }
}

fn parser<F: crate::data::Format>(
    name: &str,
    task: Task,
    format: F,
    labels: Option<Vec<LabelName>>,
) -> PyResult<Parser<F>> {
    let parser = Parser::new(name, task, format);
    match labels {
        Some(labels) => parser.with_labels(&labels).map_err(to_python),
        None => Ok(parser),
    }
}

fn read_label(label: &Bound<'_, PyAny>) -> PyResult<LabelName> {
    if let Ok(x) = label.extract::<i64>() {
        return Ok(LabelName::Int(x));
    }
    if let Ok(x) = label.extract::<f64>() {
        return Ok(LabelName::Float(x));
    }
    Ok(LabelName::Text(label.extract()?))
}

fn targets(py: Python<'_>, targets: Targets) -> Bound<'_, PyAny> {
    match targets {
        Targets::Classes(y) => {
            let y: Vec<i64> = y.into_iter().map(i64::from).collect();
            PyArray1::from_vec(py, y).into_any()
        }
        Targets::Values(y) => PyArray1::from_vec(py, y).into_any(),
        Targets::None => py.None().into_bound(py),
    }
}

fn sparse<T: crate::Real + numpy::Element>(
    py: Python<'_>,
    rows: SparseRows<T>,
) -> PyResult<Bound<'_, PyTuple>> {
    let SparseRows { indptr, indices, values, n_columns, targets: y } = rows;
    let indptr: Vec<i64> = indptr.into_iter().map(|at| at as i64).collect();
    // The parser refuses indices beyond 31 bits.
    let indices: Vec<i32> = indices.into_iter().map(|j| j as i32).collect();
    let parts = (
        "csr",
        PyArray1::from_vec(py, indptr),
        PyArray1::from_vec(py, indices),
        PyArray1::from_vec(py, values),
        targets(py, y),
        n_columns,
    );
    parts.into_pyobject(py)
}

fn dense<T: crate::Real + numpy::Element>(
    py: Python<'_>,
    rows: DenseRows<T>,
) -> PyResult<Bound<'_, PyTuple>> {
    ("dense", rows.values.to_pyarray(py), targets(py, rows.targets)).into_pyobject(py)
}
