//! Rows as a user has them.

use crate::batch::Rows;
use crate::columns::{Cell, ColumnData, Columns, Table};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::model::{AnyLearner, Model, Purpose};
use ndarray::{Array2, ArrayView2};
use std::sync::Arc;

/// Rows to learn or to predict: numbers by position, or values by column name.
///
/// Made from a slice (one row), a two-dimensional array, [`Rows`] (which may be sparse), a [`Table`], or
/// pairs of column names and values (one row). The first rows that a model learns decide whether it has
/// names, and whether it computes in `f32` or `f64`: `f32` takes half the memory and is faster. Later rows
/// are converted.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// Rows of `f32`.
    F32(Rows<'a, f32>),
    /// Rows of `f64`.
    F64(Rows<'a, f64>),
    /// A table with column names.
    Table(&'a Table<'a>),
    /// One row of values by column name.
    Named(&'a [(&'a str, Cell<'a>)]),
}

macro_rules! inputs {
    ($($float:ty => $variant:ident),*) => { $(
        impl<'a> From<&'a Array2<$float>> for Input<'a> {
            fn from(x: &'a Array2<$float>) -> Self {
                Self::$variant(Rows::Dense(x.view()))
            }
        }

        impl<'a> From<ArrayView2<'a, $float>> for Input<'a> {
            fn from(x: ArrayView2<'a, $float>) -> Self {
                Self::$variant(Rows::Dense(x))
            }
        }

        impl<'a> From<Rows<'a, $float>> for Input<'a> {
            fn from(x: Rows<'a, $float>) -> Self {
                Self::$variant(x)
            }
        }

        impl<'a> From<&'a [$float]> for Input<'a> {
            fn from(x: &'a [$float]) -> Self {
                Self::$variant(Rows::one(x))
            }
        }

        impl<'a, const N: usize> From<&'a [$float; N]> for Input<'a> {
            fn from(x: &'a [$float; N]) -> Self {
                Self::$variant(Rows::one(x))
            }
        }

        impl<'a> From<&'a Vec<$float>> for Input<'a> {
            fn from(x: &'a Vec<$float>) -> Self {
                Self::$variant(Rows::one(x))
            }
        }
    )* };
}

inputs! { f32 => F32, f64 => F64 }

impl<'a> From<&'a Table<'a>> for Input<'a> {
    fn from(table: &'a Table<'a>) -> Self {
        Self::Table(table)
    }
}

impl<'a> From<&'a [(&'a str, Cell<'a>)]> for Input<'a> {
    fn from(row: &'a [(&'a str, Cell<'a>)]) -> Self {
        Self::Named(row)
    }
}

impl<'a, const N: usize> From<&'a [(&'a str, Cell<'a>); N]> for Input<'a> {
    fn from(row: &'a [(&'a str, Cell<'a>); N]) -> Self {
        Self::Named(row)
    }
}

/// Rows in the float type and the columns of a model.
pub(super) struct Aligned<'a> {
    pub(super) rows: AlignedRows<'a>,
    pub(super) columns: Option<Arc<Columns>>,
}

pub(super) enum AlignedRows<'a> {
    F32(Rows<'a, f32>),
    F64(Rows<'a, f64>),
    NewF32(NewRows<'a, f32>),
    NewF64(NewRows<'a, f64>),
}

/// Rows that were encoded or converted.
pub(super) enum NewRows<'a, T: Real> {
    Dense(Array2<T>),
    Sparse { indptr: &'a [usize], indices: &'a [u32], values: Vec<T>, columns: usize },
}

impl<'a, T: Real> NewRows<'a, T> {
    pub(super) fn rows(&self) -> Rows<'_, T> {
        match self {
            Self::Dense(x) => Rows::Dense(x.view()),
            Self::Sparse { indptr, indices, values, columns } => {
                Rows::Sparse { indptr, indices, values, columns: *columns }
            }
        }
    }

    fn converted<U: Real>(rows: Rows<'a, U>) -> Self {
        let convert = |x: &U| T::from_f64(x.to_f64());
        match rows {
            Rows::Dense(x) => Self::Dense(x.map(convert)),
            Rows::Sparse { indptr, indices, values, columns } => {
                Self::Sparse { indptr, indices, values: values.iter().map(convert).collect(), columns }
            }
        }
    }

    fn of_table(table: &Table<'_>, columns: &Columns) -> Result<Self> {
        let shape = (table.n_rows(), columns.n_features());
        let rows = Array2::from_shape_vec(shape, columns.rows(table)?);
        rows.map(Self::Dense).map_err(|error| Error::State(error.to_string().into()))
    }
}

/// Evaluates an expression that is generic over the float type of aligned rows.
macro_rules! with_rows {
    ($aligned:expr, $rows:ident => $op:expr) => {
        match &$aligned.rows {
            $crate::api::input::AlignedRows::F32($rows) => $op,
            $crate::api::input::AlignedRows::F64($rows) => $op,
            $crate::api::input::AlignedRows::NewF32(new) => {
                let $rows = &new.rows();
                $op
            }
            $crate::api::input::AlignedRows::NewF64(new) => {
                let $rows = &new.rows();
                $op
            }
        }
    };
}
pub(super) use with_rows;

impl<'a> Input<'a> {
    /// The rows in the float type and the columns of a model.
    pub(super) fn align(self, model: &Model, purpose: Purpose<'_>) -> Result<Aligned<'a>> {
        let rows = match (self, &model.trained) {
            (Self::F32(rows), None | Some(AnyLearner::F32(_))) => AlignedRows::F32(rows),
            (Self::F64(rows), None | Some(AnyLearner::F64(_))) => AlignedRows::F64(rows),
            (Self::F32(rows), Some(AnyLearner::F64(_))) => AlignedRows::NewF64(NewRows::converted(rows)),
            (Self::F64(rows), Some(AnyLearner::F32(_))) => AlignedRows::NewF32(NewRows::converted(rows)),
            (Self::Table(table), _) => return align_table(table, model, purpose),
            (Self::Named(row), _) => return align_named(row, model, purpose),
        };
        Ok(Aligned { rows, columns: None })
    }
}

fn align_table<'r>(table: &Table<'_>, model: &Model, purpose: Purpose<'_>) -> Result<Aligned<'r>> {
    let known = (model.columns.as_ref(), model.learner().is_some());
    let columns = model.spec.columns_of(table, known, purpose);
    let (columns, has_names) = columns.map_err(|error| model.spec.with_remedy(error))?;
    let is_single = match &model.trained {
        Some(learner) => matches!(learner, AnyLearner::F32(_)),
        None => table.columns().iter().all(|(_, data)| matches!(data, ColumnData::F32(_))),
    };
    let rows = if is_single {
        AlignedRows::NewF32(NewRows::of_table(table, &columns)?)
    } else {
        AlignedRows::NewF64(NewRows::of_table(table, &columns)?)
    };
    Ok(Aligned { rows, columns: has_names.then_some(columns) })
}

/// A row of named values, written cell by cell if the model knows its columns and categories, else as a table.
fn align_named<'r>(row: &[(&str, Cell<'_>)], model: &Model, purpose: Purpose<'_>) -> Result<Aligned<'r>> {
    if let (Some(columns), Some(learner)) = (&model.columns, &model.trained) {
        let mut features = vec![0.0; columns.n_features()];
        if columns.write_row(row, &mut features) {
            let features = Array2::from_shape_fn((1, features.len()), |(_, j)| features[j]);
            let rows = match learner {
                AnyLearner::F32(_) => AlignedRows::NewF32(NewRows::Dense(features.map(|x| *x as f32))),
                AnyLearner::F64(_) => AlignedRows::NewF64(NewRows::Dense(features)),
            };
            return Ok(Aligned { rows, columns: Some(Arc::clone(columns)) });
        }
    }
    let is_text = |(name, cell): &(&str, Cell<'_>)| match cell {
        Cell::Text(_) => true,
        Cell::Missing => model.columns.as_ref().is_some_and(|columns| columns.has_categories(name)),
        Cell::Number(_) => false,
    };
    let numbers: Vec<f64> = row.iter().map(|(_, cell)| cell.number().unwrap_or(f64::NAN)).collect();
    let (known, missing) = ([0], [-1]);
    let columns = row.iter().zip(numbers.chunks(1)).map(|(named, number)| {
        let data = match named.1 {
            Cell::Text(text) => ColumnData::categorical(&known, vec![text.to_owned()]),
            _ if is_text(named) => ColumnData::categorical(&missing, Vec::new()),
            _ => ColumnData::F64(number.into()),
        };
        (named.0.to_owned(), data)
    });
    align_table(&Table::new(columns.collect())?, model, purpose)
}
