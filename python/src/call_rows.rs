//! The rows of a call, aligned with the columns of a model.

use crate::array_input::{self, AlignedRows, Input, InputForm, Purpose};
use crate::dict_row;
use crate::error::{error_of_row, to_python};
use crate::float_type::{FloatType, with_float_type};
use crate::named_table::{Known, NamedTable};
use budgetrs::Error;
use budgetrs::columns::Columns;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use std::sync::Arc;

/// Aligns the rows of an argument with what a model knows, and calls `job` with them. Where another call has changed the
/// columns of the model meanwhile, `job` returns None: named values are aligned again, other rows are an error.
pub(crate) fn with_aligned<'py, 'a, R>(
    (x, form): (&Bound<'py, PyAny>, InputForm),
    purpose: Purpose<'_>,
    known: impl Fn() -> PyResult<Known<'a>>,
    job: impl Fn(&AlignedRows<'py>) -> PyResult<Option<R>>,
) -> PyResult<R> {
    let run = || {
        let dict = x.cast::<PyMapping>().ok().filter(|_| form == InputForm::Row);
        let dict = if dict.is_some() && x.hasattr("dtype")? { None } else { dict };
        // A table is read once, since it may be a stream.
        let table = if form == InputForm::Batch { NamedTable::read(x)? } else { None };
        loop {
            let known = known()?;
            let rows = match (&table, dict) {
                (Some(table), _) => table.align(&known, purpose)?,
                (None, Some(dict)) => align_dict(dict, &known, purpose)?,
                (None, None) => align_array(x, form, &known, purpose)?,
            };
            if let Some(result) = job(&rows)? {
                return Ok(result);
            }
            if table.is_none() && dict.is_none() {
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

/// The values of a dict in a new array: read without Python code if they change no columns, else as a table.
fn align_dict<'py>(
    row: &Bound<'py, PyMapping>,
    known: &Known<'_>,
    purpose: Purpose<'_>,
) -> PyResult<AlignedRows<'py>> {
    if known.columns.is_none() && known.float_type.is_some() {
        let expected = "a list of values, because the rows learned before had no column names";
        return Err(to_python(Error::parameter("x", expected, "a dict")));
    }
    if let (Some(columns), Ok(dict)) = (&known.columns, row.cast::<PyDict>()) {
        let float_type = known.float_type.unwrap_or(FloatType::F64);
        let input = with_float_type!(float_type, T => {
            let features = dict_row::encode::<T>(dict, columns, purpose);
            features.map(|features| Input::new(row.py(), features, [1, columns.n_features()])).transpose()?
        });
        if let Some(input) = input {
            return Ok(AlignedRows { input, columns: Some(Arc::clone(columns)) });
        }
    }
    NamedTable::of_row(row)?.align(known, purpose)
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
