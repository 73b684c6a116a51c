//! Tables: columns with names.

use crate::error::{Error, Result};
use ndarray::ArrayView1;
use std::collections::HashSet;

/// The values of one column.
#[derive(Debug, Clone)]
pub enum ColumnData<'a> {
    /// Numbers in single precision; NaN is a missing value.
    F32(ArrayView1<'a, f32>),
    /// Numbers in double precision; NaN is a missing value.
    F64(ArrayView1<'a, f64>),
    /// Categories, dictionary-encoded.
    Categorical {
        /// For each row the index of its category; negative for a missing value.
        codes: ArrayView1<'a, i64>,
        /// The list of categories, which may contain duplicates and unused ones.
        categories: Vec<String>,
    },
}

impl<'a> ColumnData<'a> {
    /// A categorical column from indices into a list of categories; a negative index is a missing value.
    #[must_use]
    pub fn categorical(codes: &'a [i64], categories: Vec<String>) -> Self {
        Self::Categorical { codes: codes.into(), categories }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::F32(data) => data.len(),
            Self::F64(data) => data.len(),
            Self::Categorical { codes, .. } => codes.len(),
        }
    }

    pub(super) fn is_categorical(&self) -> bool {
        matches!(self, Self::Categorical { .. })
    }

    /// The first row with a missing value.
    pub(super) fn first_missing(&self) -> Option<usize> {
        match self {
            Self::F32(data) => data.iter().position(|x| x.is_nan()),
            Self::F64(data) => data.iter().position(|x| x.is_nan()),
            Self::Categorical { codes, .. } => codes.iter().position(|&code| code < 0),
        }
    }

    /// Whether a number is not missing in a row that counts.
    pub(super) fn has_value(&self, counts: impl Fn(usize) -> bool) -> bool {
        match self {
            Self::F32(data) => data.iter().enumerate().any(|(row, x)| !x.is_nan() && counts(row)),
            Self::F64(data) => data.iter().enumerate().any(|(row, x)| !x.is_nan() && counts(row)),
            Self::Categorical { codes, .. } => {
                codes.iter().enumerate().any(|(row, &code)| code >= 0 && counts(row))
            }
        }
    }

    /// Whether all values are missing.
    pub(super) fn is_all_missing(&self) -> bool {
        !self.has_value(|_| true)
    }
}

/// Columns of equal length with different names.
#[derive(Debug, Clone)]
pub struct Table<'a> {
    columns: Vec<(String, ColumnData<'a>)>,
    rows: usize,
}

impl<'a> Table<'a> {
    /// A table of columns with their names.
    ///
    /// # Errors
    /// If two columns have equal names or different lengths, or an index exceeds the list of categories.
    pub fn new(columns: Vec<(String, ColumnData<'a>)>) -> Result<Self> {
        let rows = columns.first().map_or(0, |(_, data)| data.len());
        Self::with_rows(columns, rows)
    }

    /// A table of a number of rows, which may have no columns.
    ///
    /// # Errors
    /// As [`Table::new`].
    pub fn with_rows(columns: Vec<(String, ColumnData<'a>)>, rows: usize) -> Result<Self> {
        let mut names = HashSet::new();
        for (name, data) in &columns {
            if !names.insert(name) {
                return Err(Error::shape(
                    "X",
                    "a unique name for each column",
                    format!("two named {name:?}"),
                ));
            }
            if data.len() != rows {
                let expected = format!("{rows} rows in the column {name:?}");
                return Err(Error::shape("X", expected, data.len()));
            }
            if let ColumnData::Categorical { codes, categories } = data
                && let Some(code) = codes.iter().find(|&&code| code >= categories.len() as i64)
            {
                let expected = format!("places below {} in the column {name:?}", categories.len());
                return Err(Error::shape("X", expected, code));
            }
        }
        Ok(Self { columns, rows })
    }

    /// The columns with their names.
    #[must_use]
    pub fn columns(&self) -> &[(String, ColumnData<'a>)] {
        &self.columns
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.rows
    }
}
