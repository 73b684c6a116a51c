//! The conversion of tables to rows of features.

use super::{Column, ColumnData, Columns, Kind, Table};
use crate::error::{Error, Result};
use crate::float::Real;

/// Number of rows that are written column by column: a block fits into the L1 cache.
const BLOCK_ROWS: usize = 128;

impl Columns {
    /// The rows of a table, row-major, with columns matched by name. An unknown category is 0 in all features of its
    /// column; a missing value is NaN in all of them, and so is every value of a column without a known type.
    ///
    /// # Errors
    /// [`Error::Columns`] if columns are new or missing. Neither is an
    /// error if new columns were added before. [`Error::Shape`] if a column is categorical instead of numeric or vice
    /// versa, or the rows do not fit into memory.
    pub fn rows<T: Real>(&self, table: &Table<'_>) -> Result<Vec<T>> {
        let (width, aligned) = (self.n_features(), self.aligned(table)?);
        let features: Vec<Vec<Option<usize>>> =
            aligned.iter().copied().zip(&self.list).map(features_of).collect();
        let mut out = zeros(table.n_rows(), width)?;
        if width == 0 {
            return Ok(out);
        }
        for (block, part) in out.chunks_mut(BLOCK_ROWS * width).enumerate() {
            for ((data, column), features) in aligned.iter().zip(&self.list).zip(&features) {
                if let Some(data) = data {
                    write_column(data, column, features, part, width, block * BLOCK_ROWS);
                }
            }
        }
        Ok(out)
    }

    /// Checks that no value is missing in a categorical column without known categories, where no feature could be NaN.
    /// The error names the first missing value of the table.
    ///
    /// # Errors
    /// [`Error::NotFinite`]; and as [`Columns::rows`].
    pub fn check_no_missing_categories(&self, table: &Table<'_>) -> Result<()> {
        let has_no_features =
            |column: usize| matches!(&self.list[column].kind, Kind::Categorical(known) if known.is_empty());
        if !(0..self.list.len()).any(has_no_features) {
            return Ok(());
        }
        let missing = self.aligned(table)?.into_iter().enumerate();
        let missing: Vec<(usize, usize)> =
            missing.filter_map(|(column, data)| Some((data?.first_missing()?, column))).collect();
        match missing.iter().min() {
            Some(&(row, column)) if missing.iter().any(|&(_, column)| has_no_features(column)) => {
                let (named, got) = (Some(self.list[column].name.to_string()), "NaN".into());
                Err(Error::NotFinite { name: "X", row, column, named, got, instead: None })
            }
            _ => Ok(()),
        }
    }
}

/// Rows of zeros, or an error if they do not fit into memory.
fn zeros<T: Real>(rows: usize, width: usize) -> Result<Vec<T>> {
    let mut all = Vec::new();
    let fits = rows.checked_mul(width).is_some_and(|numbers| all.try_reserve_exact(numbers).is_ok());
    if !fits {
        let got = format!("{rows} rows of {width} features: take fewer at a time");
        return Err(Error::shape("X", "rows that fit into memory", got));
    }
    all.resize(rows * width, T::ZERO);
    Ok(all)
}

/// The feature of each category in the list of a table's column; `None` for unknown categories.
fn features_of((data, column): (Option<&ColumnData<'_>>, &Column)) -> Vec<Option<usize>> {
    match (data, &column.kind) {
        (Some(ColumnData::Categorical { categories, .. }), Kind::Categorical(known)) => {
            categories.iter().map(|category| known.get(category.as_str()).copied()).collect()
        }
        _ => Vec::new(),
    }
}

/// Writes a column into a block of rows. `first` is the row of the table where the block starts.
fn write_column<T: Real>(
    data: &ColumnData<'_>,
    column: &Column,
    features: &[Option<usize>],
    part: &mut [T],
    width: usize,
    first: usize,
) {
    let rows = part.chunks_exact_mut(width);
    let write_missing = |row: &mut [T]| match &column.kind {
        Kind::Numeric(feature) | Kind::Unknown(feature) => row[*feature] = T::from_f64(f64::NAN),
        Kind::Categorical(known) => {
            known.values().copied().for_each(|feature| row[feature] = T::from_f64(f64::NAN));
        }
    };
    match (&column.kind, data) {
        (Kind::Numeric(feature), ColumnData::F32(numbers)) => {
            for (row, &number) in rows.zip(numbers.iter().skip(first)) {
                row[*feature] = T::from_f64(f64::from(number));
            }
        }
        (Kind::Numeric(feature), ColumnData::F64(numbers)) => {
            for (row, &number) in rows.zip(numbers.iter().skip(first)) {
                row[*feature] = T::from_f64(number);
            }
        }
        (Kind::Categorical(_), ColumnData::Categorical { codes, .. }) => {
            for (row, &code) in rows.zip(codes.iter().skip(first)) {
                match usize::try_from(code) {
                    Ok(code) => features[code].into_iter().for_each(|feature| row[feature] = T::ONE),
                    Err(_) => write_missing(row),
                }
            }
        }
        // `aligned` lets a column of another type pass only if all its values are missing.
        (Kind::Unknown(_) | Kind::Categorical(_), _) | (Kind::Numeric(_), ColumnData::Categorical { .. }) => {
            rows.for_each(write_missing);
        }
    }
}
