//! `NamedRows`: rows that are aligned with named columns before they are learned or predicted.

use crate::array_input::{self, AlignedRows, InputForm, Purpose, read_floats};
use crate::error::{parameter_error, to_python};
use crate::float_type::FloatType;
use crate::named_table::{Known, NamedTable};
use crate::native_model::NativeModel;
use crate::warnings::Warnings;
use budgetrs::Spec;
use budgetrs::columns::Columns;
use budgetrs::params::Missing;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use std::sync::Arc;

/// Rows that are aligned with named columns: an array with a column per feature, and the names.
///
/// The native classes learn and predict them.
#[pyclass(frozen, module = "budgetrs._core")]
pub(crate) struct NamedRows {
    array: Py<PyAny>,
    columns: Arc<Columns>,
    /// The number of rows of all tables that the categories are from.
    table_rows: u64,
}

impl NamedRows {
    pub(crate) fn align<'py>(
        &self,
        py: Python<'py>,
        float_type: Option<FloatType>,
        purpose: Purpose<'_>,
    ) -> PyResult<AlignedRows<'py>> {
        let input = array_input::read(self.array.bind(py), InputForm::Batch, float_type, purpose)?;
        let columns = Some(Arc::clone(&self.columns));
        // Parts of a table may have the categories of the whole table.
        Ok(AlignedRows { table_rows: self.table_rows, ..AlignedRows::new(input, columns) })
    }
}

#[pymethods]
impl NamedRows {
    /// The rows: float32 or float64, of shape (n, d).
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.array.bind(py).clone()
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array.bind(py).getattr("shape")
    }

    /// The names of the table's columns, in the order of the first table.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.columns.names().collect()
    }

    /// Return the name of the column that a feature belongs to.
    fn column_of(&self, feature: usize) -> Option<&str> {
        self.columns.column_of(feature)
    }

    /// The warnings about columns that should probably not be categorical.
    fn _warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let check = py.import("budgetrs._column_warnings")?;
        let warnings = self.columns.many_categories(30, 200).into_iter().map(|column| {
            check.call_method1(
                "categories_warning",
                (column.name, column.sample, column.count, self.table_rows),
            )
        });
        warnings.filter(|warning| warning.as_ref().map_or(true, |warning| !warning.is_none())).collect()
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.array.bind(py).len()
    }

    /// Return other rows with the same features.
    fn with_array(&self, array: Py<PyAny>) -> Self {
        Self { array, columns: Arc::clone(&self.columns), table_rows: self.table_rows }
    }

    /// Some of the rows.
    fn __getitem__(&self, py: Python<'_>, rows: &Bound<'_, PySlice>) -> PyResult<Self> {
        Ok(self.with_array(self.array.bind(py).get_item(rows)?.unbind()))
    }
}

/// Align the rows of a table with the columns of a model, as it learns or predicts them.
///
/// Parameters
/// ----------
/// X : data frame or table
///     The table: of pandas, or with the Arrow C stream interface.
/// like : NamedRows or NativeModel, optional
///     Earlier rows, or the model: their columns and categories come first.
/// dtype : str, optional
///     "float32" or "float64"; by default the type of the table.
/// learns : bool, default=True
///     Whether new categories become features.
/// sample_weight : array-like of shape (n,), optional
///     The weights of the rows: new categories of a row of weight 0 do not become features.
/// takes_missing : bool, default=True
///     Without a model: whether values may be missing in a categorical column of which no category is known.
///
/// Returns
/// -------
/// NamedRows or None
///     The rows. None if `X` is no table with names, or `like` is a model whose columns have no names.
#[pyfunction]
#[pyo3(name = "_named_rows", signature = (X, like = None, *, dtype = None, learns = true, sample_weight = None, takes_missing = true))]
#[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
pub(crate) fn named_rows(
    py: Python<'_>,
    X: &Bound<'_, PyAny>,
    like: Option<&Bound<'_, PyAny>>,
    dtype: Option<&str>,
    learns: bool,
    sample_weight: Option<&Bound<'_, PyAny>>,
    takes_missing: bool,
) -> PyResult<Option<NamedRows>> {
    let Some(table) = NamedTable::read(X)? else { return Ok(None) };
    let weights = sample_weight.map(|weights| read_floats("sample_weight", weights)).transpose()?;
    let mut spec = Spec::named("online-kernel").map_err(to_python)?;
    spec.missing = if takes_missing { Missing::Mean } else { Missing::Error };
    let (spec, warnings) = (spec.check().map_err(to_python)?, Warnings::default());
    let (mut known, mut table_rows) = (Known::new(&spec, (None, None), &warnings), 0);
    if let Some(like) = like {
        if let Ok(rows) = like.cast::<NamedRows>() {
            known.columns = Some(Arc::clone(&rows.get().columns));
            table_rows = rows.get().table_rows;
        } else if let Ok(native) = like.cast::<NativeModel>() {
            known = native.get().known(py)?;
            if known.columns.is_none() && known.has_learned {
                return Ok(None);
            }
        } else {
            return Err(parameter_error("like must be rows with names or a model", Some("like"), None));
        }
    }
    known.float_type = dtype.map(FloatType::of_name);
    known.can_add_columns = false;
    let purpose = if learns {
        Purpose::Learn { weights: weights.as_deref(), add_features: false }
    } else {
        Purpose::Predict
    };
    let AlignedRows { input, columns, table_rows: n_rows } = table.align(&known, purpose)?;
    // Rows without new categories, which may be read again, do not count.
    table_rows += if learns { n_rows } else { 0 };
    let rows = input.array().zip(columns);
    Ok(rows.map(|(array, columns)| NamedRows { array: array.unbind(), columns, table_rows }))
}
