//! The rows of a table as features.

use super::{Cells, Column, Columns, Kind, Table};
use crate::error::{Error, Result};
use crate::float::Real;

/// Rows that are written together: their numbers stay in a processor's nearest memory.
const BLOCK: usize = 128;

impl Columns {
    /// The rows of a table, whatever the order of its columns: one after the other, each with every feature. Words that
    /// are not known are 0 everywhere; where a word is missing, all that are known of its column are NaN.
    ///
    /// # Errors
    /// [`Error::Shape`] when a column is missing or new, or holds words instead of numbers or the other way round; and when
    /// the rows do not fit into memory.
    pub fn rows<T: Real>(&self, table: &Table<'_>) -> Result<Vec<T>> {
        let (width, placed) = (self.n_features(), self.placed(table)?);
        let features: Vec<Vec<Option<usize>>> = placed.iter().zip(&self.list).map(features_of).collect();
        let mut out = zeros(table.n_rows(), width)?;
        if width == 0 {
            return Ok(out);
        }
        for (block, part) in out.chunks_mut(BLOCK * width).enumerate() {
            for ((cells, column), features) in placed.iter().zip(&self.list).zip(&features) {
                write(cells, column, features, part, width, block * BLOCK);
            }
        }
        Ok(out)
    }

    /// Refuses a table with a missing word in a column of which no word is known: no feature can be NaN to say so. The
    /// error is that of the first value that is missing at all.
    ///
    /// # Errors
    /// [`Error::NotFinite`]; and as [`Columns::rows`].
    pub fn check_present(&self, table: &Table<'_>) -> Result<()> {
        let is_unknown =
            |column: usize| matches!(&self.list[column].kind, Kind::Words(words) if words.is_empty());
        if !(0..self.list.len()).any(is_unknown) {
            return Ok(());
        }
        let missing = self.placed(table)?.into_iter().enumerate();
        let missing: Vec<(usize, usize)> =
            missing.filter_map(|(column, cells)| Some((cells.first_missing()?, column))).collect();
        match missing.iter().min() {
            Some(&(row, column)) if missing.iter().any(|&(_, column)| is_unknown(column)) => {
                let (named, got) = (Some(self.list[column].name.clone()), "NaN".into());
                Err(Error::NotFinite { name: "X", row, column, named, got, instead: None })
            }
            _ => Ok(()),
        }
    }
}

/// Rows of zeros, if they fit into memory.
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

/// The feature of each word in the list of a table's column.
fn features_of((cells, column): (&&Cells<'_>, &Column)) -> Vec<Option<usize>> {
    match (cells, &column.kind) {
        (Cells::Words { words, .. }, Kind::Words(known)) => {
            words.iter().map(|word| known.get(word).copied()).collect()
        }
        _ => Vec::new(),
    }
}

/// Writes a column into a block of rows, the first of which is row `first` of the table.
fn write<T: Real>(
    cells: &Cells<'_>,
    column: &Column,
    features: &[Option<usize>],
    part: &mut [T],
    width: usize,
    first: usize,
) {
    let rows = part.chunks_exact_mut(width);
    let miss = |row: &mut [T]| match &column.kind {
        Kind::Numbers(feature) => row[*feature] = T::from_f64(f64::NAN),
        Kind::Words(known) => {
            known.values().copied().for_each(|feature| row[feature] = T::from_f64(f64::NAN));
        }
    };
    match (&column.kind, cells) {
        (Kind::Numbers(feature), Cells::F32(numbers)) => {
            for (row, &number) in rows.zip(numbers.iter().skip(first)) {
                row[*feature] = T::from_f64(f64::from(number));
            }
        }
        (Kind::Numbers(feature), Cells::F64(numbers)) => {
            for (row, &number) in rows.zip(numbers.iter().skip(first)) {
                row[*feature] = T::from_f64(number);
            }
        }
        (Kind::Words(_), Cells::Words { codes, .. }) => {
            for (row, &code) in rows.zip(codes.iter().skip(first)) {
                match usize::try_from(code) {
                    Ok(code) => features[code].into_iter().for_each(|feature| row[feature] = T::ONE),
                    Err(_) => miss(row),
                }
            }
        }
        // A column of another type holds nothing.
        (Kind::Numbers(_), Cells::Words { .. }) | (Kind::Words(_), _) => rows.for_each(miss),
    }
}
