//! A table: columns with names.

use crate::error::{Error, Result};
use ndarray::ArrayView1;
use std::collections::HashSet;

/// The cells of one column.
#[derive(Debug, Clone)]
pub enum Cells<'a> {
    /// Numbers; NaN where one is missing.
    F32(ArrayView1<'a, f32>),
    /// The same in double precision.
    F64(ArrayView1<'a, f64>),
    /// Words: for each row the place of its word in a list, or a negative number where it is missing.
    Words {
        /// The places.
        codes: ArrayView1<'a, i64>,
        /// The list; it may hold words that stand nowhere.
        words: Vec<String>,
    },
}

impl<'a> Cells<'a> {
    /// Words by their places in a list; a negative place where one is missing.
    #[must_use]
    pub fn words(codes: &'a [i64], words: Vec<String>) -> Self {
        Self::Words { codes: codes.into(), words }
    }

    fn len(&self) -> usize {
        match self {
            Self::F32(cells) => cells.len(),
            Self::F64(cells) => cells.len(),
            Self::Words { codes, .. } => codes.len(),
        }
    }

    pub(super) fn is_words(&self) -> bool {
        matches!(self, Self::Words { .. })
    }

    /// The first row that has nothing in it.
    pub(super) fn first_missing(&self) -> Option<usize> {
        match self {
            Self::F32(cells) => cells.iter().position(|x| x.is_nan()),
            Self::F64(cells) => cells.iter().position(|x| x.is_nan()),
            Self::Words { codes, .. } => codes.iter().position(|&code| code < 0),
        }
    }

    /// Whether no row has anything in it.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            Self::F32(cells) => cells.iter().all(|x| x.is_nan()),
            Self::F64(cells) => cells.iter().all(|x| x.is_nan()),
            Self::Words { codes, .. } => codes.iter().all(|&code| code < 0),
        }
    }
}

/// Columns of equal length with different names.
#[derive(Debug, Clone)]
pub struct Table<'a> {
    columns: Vec<(String, Cells<'a>)>,
    rows: usize,
}

impl<'a> Table<'a> {
    /// A table of these columns.
    ///
    /// # Errors
    /// When two columns have the same name or other lengths, or a place is beyond the end of its list of words.
    pub fn new(columns: Vec<(String, Cells<'a>)>) -> Result<Self> {
        let rows = columns.first().map_or(0, |(_, cells)| cells.len());
        let mut names = HashSet::new();
        for (name, cells) in &columns {
            if !names.insert(name) {
                return Err(Error::shape(
                    "X",
                    "a name of its own for each column",
                    format!("two named {name:?}"),
                ));
            }
            if cells.len() != rows {
                let expected = format!("{rows} rows in the column {name:?}");
                return Err(Error::shape("X", expected, cells.len()));
            }
            if let Cells::Words { codes, words } = cells
                && let Some(code) = codes.iter().find(|&&code| code >= words.len() as i64)
            {
                let expected = format!("places below {} in the column {name:?}", words.len());
                return Err(Error::shape("X", expected, code));
            }
        }
        Ok(Self { columns, rows })
    }

    /// The columns with their names.
    #[must_use]
    pub fn columns(&self) -> &[(String, Cells<'a>)] {
        &self.columns
    }

    /// How many rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.rows
    }
}
