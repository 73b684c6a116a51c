//! `Reader`: the streaming text parsers as a Python class.

use crate::error::{option_error, text_error, to_python};
use crate::float_type::FloatType;
use crate::parsed::ParsedRows;
use crate::writer_lock::Exclusive;
use budgetrs::Error;
use budgetrs_readers::{Csv, DEFAULT_MAX_FEATURES, Float, Format, Label, Libsvm, Parser, Task};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};

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

/// A push parser of LIBSVM or CSV text: feed bytes, take rows.
///
/// Parameters
/// ----------
/// format : {"libsvm", "csv"}
///     The format.
/// name : str, default="<stdin>"
///     The name of the source in error messages.
/// task : {"classification", "regression", "unlabelled"}, default="classification"
///     Whether the labels are classes or numbers, or there are none.
/// dtype : {"float32", "float64"}, default="float32"
///     The float type of the values. Numbers beyond its range raise an error.
/// n_features : int, optional
///     Number of features. Wider rows raise an error.
/// max_features : int, default=16777216
///     Largest number of features if `n_features` is not given, so that an index in a small file cannot reserve
///     arbitrary memory.
/// classes : list, optional
///     The labels, numbered in this order. Other labels raise an error.
/// label_column : int, optional
///     CSV: index of the label column; a negative index counts from the end. Default: the last column, or no column if
///     the task is unlabelled.
/// delimiter : str, default=","
///     CSV: the separator of fields.
/// decimal : {".", ","}, default="."
///     CSV: the decimal sign of numbers.
/// missing : bool, default=False
///     Whether values may be missing. If True, missing values are NaN, else an error. In LIBSVM text ``?``, ``NA`` and
///     ``nan`` are missing; in CSV also an empty field, ``-``, ``.``, ``\\N`` and the texts of ``pandas.read_csv``.
/// missing_words : list of str, default=()
///     CSV: further texts of a missing value.
/// zero_based : bool, default=False
///     LIBSVM: whether indices start at 0 instead of 1.
/// header : bool, optional
///     CSV: whether the first line holds names. None detects it.
///
/// Attributes
/// ----------
/// labels : list
///     The distinct labels so far, in order of appearance: int, float or str.
/// n_rows : int
///     Number of rows parsed so far.
/// n_columns : int
///     Number of features: `n_features`, or the largest seen so far.
/// names : list of str or None
///     Names of the features, if the text is CSV with a header.
/// line : int
///     Number of lines read so far.
///
/// Examples
/// --------
/// >>> from budgetrs._core import Reader
/// >>> reader = Reader("csv", label_column=0)
/// >>> reader.feed(b"cat,1,2\ndog,3")
/// >>> reader.feed(b",4\n")
/// >>> layout, X, y = reader.take()
/// >>> X.tolist(), [reader.labels[i] for i in y]
/// ([[1.0, 2.0], [3.0, 4.0]], ['cat', 'dog'])
#[pyclass(frozen, module = "budgetrs._core")]
pub(crate) struct Reader {
    state: Exclusive<ReaderState>,
}

/// A parser is intact after a panic, and keeps an error.
struct ReaderState {
    parser: AnyParser,
    /// Rows taken so far.
    rows_taken: u64,
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (format, *, name = "<stdin>", task = "classification", dtype = "float32", n_features = None,
        max_features = DEFAULT_MAX_FEATURES, classes = None, label_column = None, delimiter = ",", header = None, missing = false,
        missing_words = Vec::new(), decimal = ".", zero_based = false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        format: &str,
        name: &str,
        task: &str,
        dtype: &str,
        n_features: Option<usize>,
        max_features: usize,
        classes: Option<Vec<Bound<'_, PyAny>>>,
        label_column: Option<i64>,
        delimiter: &str,
        header: Option<bool>,
        missing: bool,
        missing_words: Vec<String>,
        decimal: &str,
        zero_based: bool,
    ) -> PyResult<Self> {
        let invalid = |name, expected: &'static str, got: &str| {
            Err(to_python(Error::parameter(name, expected, format!("{got:?}"))))
        };
        let task = match task {
            "classification" => Task::Classification,
            "regression" => Task::Regression,
            "unlabelled" => Task::Unlabelled,
            _ => return invalid("task", "\"classification\", \"regression\" or \"unlabelled\"", task),
        };
        let dtype = match dtype {
            "float32" => FloatType::F32,
            "float64" => FloatType::F64,
            _ => return invalid("dtype", "\"float32\" or \"float64\"", dtype),
        };
        let &[delimiter] = delimiter.as_bytes() else {
            return invalid("delimiter", "a single character of ASCII", delimiter);
        };
        let &[decimal] = decimal.as_bytes() else {
            return invalid("decimal", "\".\" or \",\"", decimal);
        };
        let labels = classes
            .map(|classes| classes.iter().map(read_label).collect::<PyResult<Vec<_>>>())
            .transpose()?;
        let options = FormatOptions {
            n_features,
            max_features,
            label_column,
            delimiter,
            decimal,
            header,
            missing,
            missing_words,
            zero_based,
        };
        let parser = match (format, dtype) {
            ("libsvm", FloatType::F32) => AnyParser::Libsvm32(parser(name, task, options.libsvm()?, labels)?),
            ("libsvm", FloatType::F64) => AnyParser::Libsvm64(parser(name, task, options.libsvm()?, labels)?),
            ("csv", FloatType::F32) => AnyParser::Csv32(parser(name, task, options.csv()?, labels)?),
            ("csv", FloatType::F64) => AnyParser::Csv64(parser(name, task, options.csv()?, labels)?),
            _ => return invalid("format", "\"libsvm\" or \"csv\"", format),
        };
        Ok(Self { state: Exclusive::new(ReaderState { parser, rows_taken: 0 }) })
    }

    /// Parse more bytes; lines may be cut anywhere.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     ``NAME:LINE:COLUMN: expected ..., got ...``. The rows before the error can still be taken.
    fn feed(&self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        self.with(py, |state| with_parser!(&mut state.parser, p => p.feed(data)).map_err(text_error))
    }

    /// End the text, whose last line may lack the newline.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |state| with_parser!(&mut state.parser, p => p.finish()).map_err(text_error))
    }

    /// Return the complete rows not yet taken, as CSR or dense arrays; None if there are none.
    ///
    /// Returns
    /// -------
    /// tuple or None
    ///     ``("csr", indptr, indices, data, y, n_columns_so_far)`` of LIBSVM text, ``("dense", X, y)`` of CSV; `y`
    ///     holds indices into `labels` (classification), numbers (regression) or is None.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let rows = self.with(py, |state| {
            let ready = with_parser!(&state.parser, p => p.n_ready());
            if ready == 0 {
                return Ok(None);
            }
            state.rows_taken += ready as u64;
            let rows: Box<dyn ParsedRows> = with_parser!(&mut state.parser, p => Box::new(p.take()));
            Ok(Some(rows))
        })?;
        rows.map(|rows| rows.into_tuple(py)).transpose()
    }

    /// Distinct labels so far, in order of appearance.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let labels = self.with(py, |state| Ok(with_parser!(&state.parser, p => p.labels().to_vec())))?;
        let list = PyList::empty(py);
        for label in labels {
            match label {
                Label::Int(x) => list.append(x)?,
                Label::Float(x) => list.append(x)?,
                Label::Text(x) => list.append(x)?,
            }
        }
        Ok(list)
    }

    /// Number of rows parsed so far.
    #[getter]
    fn n_rows(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(state.rows_taken + with_parser!(&state.parser, p => p.n_ready()) as u64))
    }

    /// Number of features: `n_features`, or the largest seen so far.
    #[getter]
    fn n_columns(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |state| Ok(with_parser!(&state.parser, p => p.n_columns())))
    }

    /// Names of the features, if the text is CSV and its header has been read; else None.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        self.with(py, |state| {
            Ok(match &state.parser {
                AnyParser::Csv32(p) => p.format().feature_names().map(<[String]>::to_vec),
                AnyParser::Csv64(p) => p.format().feature_names().map(<[String]>::to_vec),
                AnyParser::Libsvm32(_) | AnyParser::Libsvm64(_) => None,
            })
        })
    }

    /// Number of lines read so far.
    #[getter]
    fn line(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(with_parser!(&state.parser, p => p.n_lines())))
    }
}

impl Reader {
    /// Runs `job` with the parser, without the GIL.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut ReaderState) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        self.state.with(py, "this Reader is lost: the process was forked while another thread used it", job)
    }
}

/// The options of the formats: `zero_based` is of LIBSVM only; `label_column`, `delimiter`, `decimal`, `header` and
/// `missing_words` are of CSV only.
struct FormatOptions {
    n_features: Option<usize>,
    max_features: usize,
    label_column: Option<i64>,
    delimiter: u8,
    decimal: u8,
    header: Option<bool>,
    missing: bool,
    missing_words: Vec<String>,
    zero_based: bool,
}

impl FormatOptions {
    fn csv<T: Float>(&self) -> PyResult<Csv<T>> {
        let mut format = Csv::new()
            .with_missing(self.missing)
            .with_missing_words(self.missing_words.clone())
            .with_delimiter(self.delimiter)
            .and_then(|format| format.with_decimal(self.decimal))
            .map_err(option_error)?;
        if let Some(header) = self.header {
            format = format.with_header(header);
        }
        if let Some(column) = self.label_column {
            format = format.with_label_column(column);
        }
        match self.n_features {
            Some(n) => format.with_n_features(n),
            None => format.with_max_features(self.max_features),
        }
        .map_err(option_error)
    }

    fn libsvm<T: Float>(&self) -> PyResult<Libsvm<T>> {
        let format = Libsvm::new().with_missing(self.missing).with_zero_based(self.zero_based);
        match self.n_features {
            Some(n) => format.with_n_features(n),
            None => format.with_max_features(self.max_features),
        }
        .map_err(option_error)
    }
}

fn parser<F: Format>(name: &str, task: Task, format: F, labels: Option<Vec<Label>>) -> PyResult<Parser<F>> {
    let parser = Parser::new(name, task, format);
    match labels {
        Some(labels) => parser.with_labels(&labels).map_err(option_error),
        None => Ok(parser),
    }
}

fn read_label(label: &Bound<'_, PyAny>) -> PyResult<Label> {
    if let Ok(x) = label.extract::<i64>() {
        return Ok(Label::Int(x));
    }
    // Not for an integer: one that does not fit into i64 is no valid label.
    if !label.is_instance_of::<PyInt>()
        && let Ok(x) = label.extract::<f64>()
    {
        return Ok(Label::Float(x));
    }
    Ok(Label::Text(label.extract()?))
}
