//! The rows of a call, aligned with the columns of a model.

use crate::array_input::{self, AlignedRows, Input, InputForm, Purpose};
use crate::dict_row;
use crate::error::{error_of_row, to_python};
use crate::float_type::{FloatMatrix, FloatType};
use crate::named_table::{Known, NamedTable};
use budgetrs::Error;
use budgetrs::columns::Columns;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use std::sync::Arc;

/// The rows of a call, as they were given.
enum CallRows<'py> {
    /// An array, a list or a sparse matrix.
    Array(Bound<'py, PyAny>, InputForm),
    /// A row as a dict of values by the names of the columns.
    Dict(Bound<'py, PyMapping>),
    /// A data frame or a table, which is read once, since it may be a stream.
    Table(NamedTable<'py>),
}

/// Aligns the rows of an argument with what a model knows, and calls `job` with them. Where another call has changed the
/// columns of the model meanwhile, `job` returns None: named values are aligned again, other rows are an error.
pub(crate) fn with_aligned<'py, 'a, R>(
    (x, form): (&Bound<'py, PyAny>, InputForm),
    purpose: Purpose<'_>,
    known: impl Fn() -> PyResult<Known<'a>>,
    job: impl Fn(&AlignedRows<'py>) -> PyResult<Option<R>>,
) -> PyResult<R> {
    let run = || {
        let rows = CallRows::read(x, form)?;
        loop {
            if let Some(result) = job(&rows.align(&known()?, purpose)?)? {
                return Ok(result);
            }
            if matches!(rows, CallRows::Array(..)) {
                let reason = "another call changed the columns of this model; try again";
                return Err(to_python(Error::State(reason.into())));
            }
        }
    };
    match form {
        InputForm::Batch => run(),
        InputForm::Row => run().map_err(|error| error_of_row(x.py(), error)),
    }
}

impl<'py> CallRows<'py> {
    fn read(x: &Bound<'py, PyAny>, form: InputForm) -> PyResult<Self> {
        Ok(match form {
            InputForm::Row => match x.cast::<PyMapping>() {
                Ok(row) if !x.hasattr("dtype")? => Self::Dict(row.clone()),
                _ => Self::Array(x.clone(), form),
            },
            InputForm::Batch => {
                NamedTable::read(x)?.map_or_else(|| Self::Array(x.clone(), form), Self::Table)
            }
        })
    }

    fn align(&self, known: &Known<'_>, purpose: Purpose<'_>) -> PyResult<AlignedRows<'py>> {
        match self {
            Self::Array(x, form) => align_array(x, *form, known, purpose),
            Self::Dict(row) => match encoded(row, known, purpose)? {
                Some(aligned) => Ok(aligned),
                None => NamedTable::of_row(row)?.align(known, purpose),
            },
            Self::Table(table) => table.align(known, purpose),
        }
    }
}

fn align_array<'py>(
    x: &Bound<'py, PyAny>,
    form: InputForm,
    known: &Known<'_>,
    purpose: Purpose<'_>,
) -> PyResult<AlignedRows<'py>> {
    let columns = known.columns.as_deref();
    let categorical = columns.filter(|columns| columns.has_categorical());
    if let (InputForm::Row, Some(columns), None) = (form, columns, categorical) {
        // A single row is read by position.
        if x.get_type().name()? == "Series" {
            let names: Vec<&str> = columns.names().collect();
            x.py().import("budgetrs._arrays")?.call_method1("check_series", (x, names))?;
        }
    }
    let input = array_input::read(x, form, known.float_type, purpose);
    if let Some(columns) = categorical {
        let fits = |width| known.is_hashed() || width == columns.n_features();
        if !input.as_ref().is_ok_and(|input| fits(input.rows().n_features())) {
            return Err(to_python(rows_without_names(columns, form)));
        }
    }
    input.map(|input| AlignedRows { input, columns: None })
}

/// A dict in a new array, if it changes no columns and is read without Python code.
fn encoded<'py>(
    row: &Bound<'py, PyMapping>,
    known: &Known<'_>,
    purpose: Purpose<'_>,
) -> PyResult<Option<AlignedRows<'py>>> {
    let Some(columns) = &known.columns else {
        if known.float_type.is_some() {
            let expected = "a list of values, because the rows learned before had no column names";
            return Err(to_python(Error::parameter("x", expected, "a dict")));
        }
        return Ok(None);
    };
    let Ok(dict) = row.cast::<PyDict>() else { return Ok(None) };
    let shape = [1, columns.n_features()];
    let encoded = match known.float_type {
        Some(FloatType::F32) => {
            dict_row::encode(dict, columns, purpose).map(|features| FloatMatrix::F32(features, shape))
        }
        Some(FloatType::F64) | None => {
            dict_row::encode(dict, columns, purpose).map(|features| FloatMatrix::F64(features, shape))
        }
    };
    let Some(encoded) = encoded else { return Ok(None) };
    let input = Input::new(row.py(), encoded)?;
    Ok(Some(AlignedRows { input, columns: Some(Arc::clone(columns)) }))
}

/// The error of rows without names for a model with categorical columns.
fn rows_without_names(columns: &Columns, form: InputForm) -> Error {
    let shown: Vec<_> = columns.names().take(5).map(|name| format!("{name:?}")).collect();
    let more = if columns.names().nth(5).is_some() { ", ..." } else { "" };
    let (name, named) = match form {
        InputForm::Batch => ("X", "a data frame"),
        InputForm::Row => ("x", "a dict"),
    };
    let expected = format!(
        "{named} with the columns {}{more} (some are categorical), or {} features in the order of \
         get_feature_names_out()",
        shown.join(", "),
        columns.n_features(),
    );
    Error::parameter(name, expected, "values without names")
}
