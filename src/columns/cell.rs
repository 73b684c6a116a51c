//! A row that is given value by value, by the names of the columns.

use super::{Columns, Kind};
use crate::float::Real;

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Missing,
    /// A number; NaN is a missing value.
    Number(f64),
    /// A category.
    Text(&'a str),
}

impl Cell<'_> {
    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        if let Self::Number(x) = self { Some(*x) } else { None }
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a, C: Into<Cell<'a>>> From<Option<C>> for Cell<'a> {
    fn from(value: Option<C>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

impl Columns {
    /// Writes the value of a column into a row of [`Columns::n_features`] zeros, as [`Columns::rows`] does.
    ///
    /// Returns false, and writes nothing, where the value would be an error or change the columns: an unknown column,
    /// a column of another or an unknown type, a new category. Such a row is read as a table of one row.
    ///
    /// ```
    /// use budgetrs::columns::{Cell, ColumnData, Columns, Table};
    ///
    /// let columns = Columns::of(&Table::new(vec![("age".into(), ColumnData::F64([31.0].as_slice().into()))])?);
    /// let mut row = vec![0.0; columns.n_features()];
    /// assert!(columns.write_cell("age", Cell::Number(54.0), &mut row));
    /// assert_eq!(row, [54.0]);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    pub fn write_cell<T: Real>(&self, column: &str, cell: Cell<'_>, row: &mut [T]) -> bool {
        self.index.get(column).is_some_and(|column| self.write_at(*column, cell, row))
    }

    /// Writes the values of all columns, in any order. Returns false where the values must be read as a table
    /// of one row, as for [`Columns::write_cell`], and where a column is absent or occurs twice.
    pub(crate) fn write_row<T: Real>(&self, cells: &[(&str, Cell<'_>)], row: &mut [T]) -> bool {
        let mut written = vec![false; self.list.len()];
        cells.len() == written.len()
            && cells.iter().all(|(name, cell)| {
                let Some(&column) = self.index.get(*name) else { return false };
                !std::mem::replace(&mut written[column], true) && self.write_at(column, *cell, row)
            })
    }

    fn write_at<T: Real>(&self, column: usize, cell: Cell<'_>, row: &mut [T]) -> bool {
        let missing = T::from_f64(f64::NAN);
        match (&self.list[column].kind, cell) {
            (Kind::Numeric(feature), Cell::Number(x)) => row[*feature] = T::from_f64(x),
            (Kind::Numeric(feature), Cell::Missing) => row[*feature] = missing,
            (Kind::Categorical(known), Cell::Text(category)) => match known.get(category) {
                Some(feature) => row[*feature] = T::ONE,
                None => return false,
            },
            (Kind::Categorical(known), Cell::Missing | Cell::Number(_)) => {
                if known.is_empty() || matches!(cell, Cell::Number(x) if !x.is_nan()) {
                    return false;
                }
                for feature in known.values() {
                    row[*feature] = missing;
                }
            }
            (Kind::Unknown(_), _) | (Kind::Numeric(_), Cell::Text(_)) => return false,
        }
        true
    }
}
