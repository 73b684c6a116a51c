//! Rows of tables whose columns have names: read by `budgetrs._frames`, arranged by the core.

use crate::array_input::{AnyInput, FloatType, Form, Input, input};
use crate::arrays::{floats, read};
use crate::error::{refused, to_python};
use crate::float_type::NumpyFloat;
use crate::native_model::NativeModel;
use budgetrs::columns::{Cells, Columns, Table};
use budgetrs::model::Model;
use budgetrs::{CheckedSpec, Error};
use numpy::ndarray::{ArrayView1, ArrayView2, Axis};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString, PyTuple};
use std::sync::Arc;

/// Rows that were arranged: an array, and the columns whose features its columns are.
///
/// The native classes learn and predict them.
#[pyclass(frozen, module = "budgetrs._core")]
pub(crate) struct NamedRows {
    array: Py<PyAny>,
    pub(crate) columns: Arc<Columns>,
}

#[pymethods]
impl NamedRows {
    /// The rows: float32 or float64, of shape (n, d).
    #[getter]
    pub(crate) fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.array.bind(py).clone()
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array.bind(py).getattr("shape")
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array.bind(py).getattr("dtype")
    }

    /// The names of the table's columns, in the order of the first table.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.columns.names().collect()
    }

    /// Return the name of the column that a feature is of.
    fn column_of(&self, feature: usize) -> Option<&str> {
        self.columns.column_of(feature)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.array.bind(py).len()
    }

    /// Some of the rows.
    fn __getitem__(&self, py: Python<'_>, rows: &Bound<'_, PySlice>) -> PyResult<Self> {
        let array = self.array.bind(py).get_item(rows)?.unbind();
        Ok(Self { array, columns: Arc::clone(&self.columns) })
    }
}

/// What a call was given as rows.
pub(crate) enum TableArg<'py> {
    Array(Bound<'py, PyAny>),
    Rows(Bound<'py, NamedRows>),
    Frame(Frame<'py>),
}

impl<'py> TableArg<'py> {
    /// A table is read once, since it may be a stream.
    pub(crate) fn read(x: &Bound<'py, PyAny>, form: Form) -> PyResult<Self> {
        if form == Form::Row {
            return Ok(Self::Array(x.clone()));
        }
        if let Ok(rows) = x.cast::<NamedRows>() {
            return Ok(Self::Rows(rows.clone()));
        }
        Ok(Frame::read(x)?.map_or_else(|| Self::Array(x.clone()), Self::Frame))
    }

    pub(crate) fn py(&self) -> Python<'py> {
        match self {
            Self::Array(x) => x.py(),
            Self::Rows(rows) => rows.py(),
            Self::Frame(frame) => frame.py,
        }
    }

    /// Refuses what cannot be arranged anew for columns that have changed.
    pub(crate) fn retry_or_fail(&self, done: bool) -> PyResult<()> {
        if done || matches!(self, Self::Frame(_)) {
            return Ok(());
        }
        let reason = "another call has given this model other columns or words meanwhile; try again";
        Err(to_python(Error::State(reason.into())))
    }
}

/// A table as `budgetrs._frames` has read it.
pub(crate) struct Frame<'py> {
    py: Python<'py>,
    names: Vec<String>,
    columns: Vec<Bound<'py, PyAny>>,
    /// The same numbers as one array, where they lie in one.
    matrix: Option<Bound<'py, PyAny>>,
    /// The float type that a first batch gives its model.
    pub(crate) dtype: FloatType,
}

/// Columns that are borrowed from Python.
enum Borrowed<'py> {
    F32(PyReadonlyArray2<'py, f32>),
    F64(PyReadonlyArray2<'py, f64>),
    Columns(Vec<Column<'py>>),
}

enum Column<'py> {
    F32(PyReadonlyArray1<'py, f32>),
    F64(PyReadonlyArray1<'py, f64>),
    Words(PyReadonlyArray1<'py, i64>, Vec<String>),
}

impl<'py> Column<'py> {
    fn read(column: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(words) = column.cast::<PyTuple>() {
            let (codes, words): (Bound<'py, PyArray1<i64>>, Vec<String>) = words.extract()?;
            return Ok(Self::Words(codes.try_readonly()?, words));
        }
        if let Ok(numbers) = column.cast::<PyArray1<f32>>() {
            return Ok(Self::F32(numbers.try_readonly()?));
        }
        let numbers = floats::<f64>("X", column)?;
        Ok(Self::F64(numbers.cast_into::<PyArray1<f64>>()?.try_readonly()?))
    }

    fn cells(&self) -> Cells<'_> {
        match self {
            Self::F32(numbers) => Cells::F32(numbers.as_array()),
            Self::F64(numbers) => Cells::F64(numbers.as_array()),
            Self::Words(codes, words) => Cells::Words { codes: codes.as_array(), words: words.clone() },
        }
    }
}

impl<'py> Frame<'py> {
    /// Reads a table; none of what is an array, a list or sparse.
    fn read(x: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        if x.is_exact_instance_of::<PyUntypedArray>() || x.is_exact_instance_of::<PyList>() {
            return Ok(None);
        }
        let frame = x.py().import("budgetrs._frames")?.call_method1("frame_of", (x,))?;
        if frame.is_none() {
            return Ok(None);
        }
        let matrix = frame.getattr("matrix")?;
        let single = frame.getattr("is_single")?.is_truthy()?;
        Ok(Some(Self {
            py: x.py(),
            names: frame.getattr("names")?.extract()?,
            columns: frame.getattr("columns")?.extract()?,
            matrix: (!matrix.is_none()).then_some(matrix),
            dtype: if single { FloatType::F32 } else { FloatType::F64 },
        }))
    }

    /// The cells; of one matrix, it is borrowed as a whole.
    fn borrowed(&self) -> PyResult<Borrowed<'py>> {
        if let Some(matrix) = &self.matrix {
            if let Ok(numbers) = matrix.cast::<PyArray2<f32>>() {
                return Ok(Borrowed::F32(numbers.try_readonly()?));
            }
            if let Ok(numbers) = matrix.cast::<PyArray2<f64>>() {
                return Ok(Borrowed::F64(numbers.try_readonly()?));
            }
        }
        Ok(Borrowed::Columns(self.columns.iter().map(Column::read).collect::<PyResult<_>>()?))
    }

    fn table<'a>(&self, borrowed: &'a Borrowed<'py>) -> PyResult<Table<'a>> {
        let cells: Vec<Cells<'a>> = match borrowed {
            Borrowed::F32(matrix) => columns_of(matrix.as_array()).map(Cells::F32).collect(),
            Borrowed::F64(matrix) => columns_of(matrix.as_array()).map(Cells::F64).collect(),
            Borrowed::Columns(columns) => columns.iter().map(Column::cells).collect(),
        };
        Table::new(self.names.iter().cloned().zip(cells).collect()).map_err(to_python)
    }

    /// The rows for a model with these columns, in its float type; of a model whose columns have no names they stay as
    /// they are. A model that is to learn them knows the columns of the result then.
    pub(crate) fn align(
        &self,
        py: Python<'py>,
        known: KnownSchema,
        aim: Purpose<'_>,
        missing: MissingPolicy<'_>,
        dtype: FloatType,
    ) -> PyResult<(AnyInput<'py>, Option<Arc<Columns>>)> {
        let borrowed = self.borrowed()?;
        let table = self.table(&borrowed)?;
        let (columns, are_names) = match known {
            KnownSchema::Nothing => {
                let columns = Arc::new(Columns::of(&table));
                // Without words, names that no file has room for are left out, as those of an array.
                let kept = columns.has_words() || Model::check_columns(&columns).is_ok();
                (columns, kept)
            }
            KnownSchema::NoNames => {
                let columns = Columns::of(&table);
                if columns.has_words() {
                    let expected = "numbers, as the rows that were learned, whose columns had no names";
                    return Err(to_python(Error::shape("X", expected, "words")));
                }
                (Arc::new(columns), false)
            }
            KnownSchema::Columns(columns) => (columns, true),
        };
        missing.check(&columns, &table)?;
        let grown = match aim {
            Purpose::Learn(weights) => columns.with_words_of(&table, weights).map_err(to_python)?,
            Purpose::Predict => None,
        };
        let columns = match grown {
            Some(grown) => {
                Model::check_columns(&grown).map_err(to_python)?;
                Arc::new(grown)
            }
            None => columns,
        };
        let in_order = !columns.has_words() && columns.names().eq(self.names.iter().map(String::as_str));
        let rows = match &self.matrix {
            Some(matrix) if in_order => input(matrix, Form::Batch, dtype)?,
            _ => match dtype {
                FloatType::F32 => AnyInput::F32(filled(py, &columns, &table)?),
                FloatType::F64 => AnyInput::F64(filled(py, &columns, &table)?),
            },
        };
        Ok((rows, are_names.then_some(columns)))
    }
}

/// What a call does with the rows.
#[derive(Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// It learns them, with these weights: words that are new become features.
    Learn(Option<&'a [f64]>),
    Predict,
}

/// What becomes of words that are missing, in a column of which none is known yet.
#[derive(Clone, Copy)]
pub(crate) enum MissingPolicy<'a> {
    Taken,
    /// They are refused, by a model of these parameters if there is one.
    Refused(Option<&'a CheckedSpec>),
}

impl<'a> MissingPolicy<'a> {
    pub(crate) fn of(spec: &'a CheckedSpec) -> Self {
        if spec.takes_missing() { Self::Taken } else { Self::Refused(Some(spec)) }
    }

    fn check(self, columns: &Columns, table: &Table<'_>) -> PyResult<()> {
        let Self::Refused(spec) = self else { return Ok(()) };
        columns.check_present(table).map_err(|error| {
            to_python(match spec {
                Some(spec) => spec.with_remedy(error),
                None => error,
            })
        })
    }
}

/// What is known of the columns of a model.
pub(crate) enum KnownSchema {
    /// It has not learned yet.
    Nothing,
    /// It has learned rows without names.
    NoNames,
    Columns(Arc<Columns>),
}

/// The columns of a matrix.
fn columns_of<T>(matrix: ArrayView2<'_, T>) -> impl Iterator<Item = ArrayView1<'_, T>> {
    (0..matrix.ncols()).map(move |column| matrix.index_axis_move(Axis(1), column))
}

/// The rows of a table in a new array.
fn filled<'py, T: NumpyFloat>(
    py: Python<'py>,
    columns: &Columns,
    table: &Table<'_>,
) -> PyResult<Input<'py, T>> {
    let rows = py.detach(|| columns.rows::<T>(table)).map_err(to_python)?;
    let array = PyArray1::from_vec(py, rows).reshape([table.n_rows(), columns.n_features()])?;
    Ok(Input::Dense(array.try_readonly()?))
}

/// Arrange the rows of a table as a model learns or predicts them.
///
/// Parameters
/// ----------
/// X : data frame or table
///     The table: of pandas, or with the Arrow C stream interface.
/// like : NamedRows or NativeModel, optional
///     Rows that came before, or the model: its columns, and the words in them, come first.
/// dtype : str, optional
///     "float32" or "float64"; by default that of the table.
/// learns : bool, default=True
///     Whether words that are new become features.
/// sample_weight : array-like of shape (n,), optional
///     The weights of the rows: words of a row of weight 0 become no features.
/// takes_missing : bool, default=True
///     Without a model: whether a word may be missing in a column of which no word is known.
///
/// Returns
/// -------
/// NamedRows or None
///     The rows; None for what is no table with names, and where `like` is a model that knows no names.
#[pyfunction]
#[pyo3(name = "_named_rows", signature = (X, like = None, *, dtype = None, learns = true, sample_weight = None, takes_missing = true))]
#[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
pub(crate) fn named_rows<'py>(
    py: Python<'py>,
    X: &Bound<'py, PyAny>,
    like: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyString>>,
    learns: bool,
    sample_weight: Option<&Bound<'py, PyAny>>,
    takes_missing: bool,
) -> PyResult<Option<NamedRows>> {
    let Some(frame) = Frame::read(X)? else { return Ok(None) };
    let weights = sample_weight.map(|weights| read("sample_weight", weights)).transpose()?;
    let (mut known, mut spec) = (None, None);
    if let Some(like) = like {
        if let Ok(rows) = like.cast::<NamedRows>() {
            known = Some(Arc::clone(&rows.get().columns));
        } else if let Ok(model) = like.cast::<NativeModel>() {
            let (columns, has_learned) = model.get().shared.read(py, |state| {
                spec = Some(state.model.spec.clone());
                Ok((state.model.columns.clone(), state.model.trained.is_some()))
            })?;
            if columns.is_none() && has_learned {
                return Ok(None);
            }
            known = columns;
        } else {
            return Err(refused("like must be rows with names or a model", Some("like"), None));
        }
    }
    let dtype = match dtype.map(|name| name.to_str()).transpose()? {
        Some("float32") => FloatType::F32,
        Some("float64") => FloatType::F64,
        Some(_) => return Err(refused("dtype must be \"float32\" or \"float64\"", Some("dtype"), None)),
        None => frame.dtype,
    };
    let known = known.map_or(KnownSchema::Nothing, KnownSchema::Columns);
    let aim = if learns { Purpose::Learn(weights.as_deref()) } else { Purpose::Predict };
    let missing = match &spec {
        Some(spec) => MissingPolicy::of(spec),
        None if takes_missing => MissingPolicy::Taken,
        None => MissingPolicy::Refused(None),
    };
    let (rows, columns) = frame.align(py, known, aim, missing, dtype)?;
    let array = match rows {
        AnyInput::F32(rows) => rows.array(),
        AnyInput::F64(rows) => rows.array(),
    };
    Ok(array.zip(columns).map(|(array, columns)| NamedRows { array: array.unbind(), columns }))
}
