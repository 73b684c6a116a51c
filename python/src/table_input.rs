//! The rows of a call, aligned with the columns of a model: arrays, [`NamedRows`] or tables.

use crate::array_input::{self, AlignedInput, AnyInput, InputForm, Purpose};
use crate::error::to_python;
use crate::float_type::FloatType;
use crate::frame::{Frame, KnownSchema, MissingPolicy};
use crate::named_rows::NamedRows;
use budgetrs::columns::Columns;
use budgetrs::{CheckedSpec, Error};
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// The argument of a call that holds the rows.
pub(crate) enum TableArg<'py> {
    /// Also a list or a sparse matrix.
    Array(Bound<'py, PyAny>),
    Rows(Bound<'py, NamedRows>),
    Frame(Frame<'py>),
}

impl<'py> TableArg<'py> {
    /// Reads a table once, since it may be a stream.
    pub(crate) fn read(x: &Bound<'py, PyAny>, form: InputForm) -> PyResult<Self> {
        if form == InputForm::Row {
            if let Ok(row) = x.cast::<PyMapping>()
                && !x.hasattr("dtype")?
            {
                return Frame::of_row(row).map(Self::Frame);
            }
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

    /// Aligns the rows and calls `job` with them. Where another call has changed the columns meanwhile, `job` returns
    /// None: a table is aligned again, other rows are an error.
    pub(crate) fn retry_or_fail<R>(
        &self,
        align: impl Fn(&Self) -> PyResult<AlignedInput<'py>>,
        job: impl Fn(&AnyInput<'py>, Option<&Arc<Columns>>) -> PyResult<Option<R>>,
    ) -> PyResult<R> {
        loop {
            let (input, columns) = align(self)?;
            if let Some(result) = job(&input, columns.as_ref())? {
                return Ok(result);
            }
            if !matches!(self, Self::Frame(_)) {
                let reason = "another call changed the columns of this model; try again";
                return Err(to_python(Error::State(reason.into())));
            }
        }
    }

    /// The rows for a model with this float type and these columns, where these are known already. `warned`
    /// has the columns with a warning about unseen categories.
    pub(crate) fn align(
        &self,
        form: InputForm,
        purpose: Purpose<'_>,
        (float_type, columns): (Option<FloatType>, Option<Arc<Columns>>),
        spec: &CheckedSpec,
        warned: &Mutex<BTreeSet<String>>,
    ) -> PyResult<AlignedInput<'py>> {
        match self {
            Self::Array(x) => {
                let categorical = columns.as_ref().filter(|columns| columns.has_categorical());
                if let (InputForm::Row, Some(columns), None) = (form, &columns, categorical) {
                    check_names_of_row(x, columns)?;
                }
                let float_type = float_type.map_or_else(|| array_input::float_type_of(x), Ok)?;
                let input = array_input::read(x, form, float_type, purpose);
                if let Some(columns) = categorical {
                    let is_hashed = spec.spec().hash_features.is_some();
                    let n_features = input.as_ref().map_or(0, |input| input.rows().n_features());
                    if input.is_err() || !(is_hashed || n_features == columns.n_features()) {
                        return Err(to_python(rows_without_names(columns, form)));
                    }
                }
                Ok((input?, None))
            }
            Self::Rows(rows) => {
                let array = rows.get().array(rows.py());
                let float_type = float_type.map_or_else(|| array_input::float_type_of(&array), Ok)?;
                let input = array_input::read(&array, form, float_type, purpose)?;
                Ok((input, Some(Arc::clone(&rows.get().columns))))
            }
            Self::Frame(frame) => {
                let known = match columns {
                    Some(columns) => KnownSchema::Columns(columns),
                    None if float_type.is_some() => KnownSchema::NoNames,
                    None => KnownSchema::Nothing,
                };
                let float_type = float_type.unwrap_or(frame.float_type);
                frame.align(known, purpose, MissingPolicy::of(spec), float_type, Some(warned))
            }
        }
    }
}

/// Raises where a series has other names than the features, or another order: a single row is read by position.
fn check_names_of_row(x: &Bound<'_, PyAny>, columns: &Columns) -> PyResult<()> {
    if x.get_type().name()? != "Series" {
        return Ok(());
    }
    let names = x.getattr("index").and_then(|index| index.call_method0("tolist"));
    let Ok(names) = names.and_then(|names| names.extract::<Vec<String>>()) else { return Ok(()) };
    let mut pairs = names.iter().zip(columns.names());
    let Some((got, known)) = pairs.find(|(got, known)| got.as_str() != *known) else { return Ok(()) };
    let expected = "a row in the order of feature_names_in_: x[model.feature_names_in_]";
    Err(to_python(Error::parameter("x", expected, format!("a Series with {got:?} instead of {known:?}"))))
}

/// The error of rows without names for a model with categorical columns.
fn rows_without_names(columns: &Columns, form: InputForm) -> Error {
    let shown: Vec<_> = columns.names().take(5).map(|name| format!("{name:?}")).collect();
    let more = if columns.names().nth(5).is_some() { ", ..." } else { "" };
    let (columns, numbers) = (shown.join(", "), columns.n_features());
    match form {
        InputForm::Batch => {
            let expected = format!(
                "a data frame with the columns {columns}{more} (some are categorical), or arrays of {numbers} features in the \
                 order of get_feature_names_out()"
            );
            Error::parameter("X", expected, "rows without names")
        }
        InputForm::Row => {
            let expected = format!(
                "{numbers} features in the order of get_feature_names_out(); some of the columns {columns}{more} are \
                 categorical, so pass a dict of values by the names of the columns"
            );
            Error::parameter("x", expected, "a row without names")
        }
    }
}
