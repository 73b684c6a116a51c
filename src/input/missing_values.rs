//! The numbers that are missing values.

use super::Categories;
use crate::batch::Row;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::params::CheckedSpec;

/// The numbers that are replaced by NaN before standardisation.
#[derive(Debug, Clone)]
pub(crate) struct MissingValues<T: Real>(Vec<T>);

impl<T: Real> MissingValues<T> {
    /// The numbers of a specification; `None` if there are none. A number beyond the range of `T` equals no value.
    pub(crate) fn of(spec: &CheckedSpec) -> Option<Self> {
        let numbers: Vec<_> = spec.spec().missing_values.numbers().iter().map(|x| T::from_f64(*x)).collect();
        (!numbers.is_empty()).then_some(Self(numbers))
    }

    pub(super) fn contains(&self, x: T) -> bool {
        x.is_finite() && self.0.contains(&x)
    }

    /// Checks that a row has none of the numbers; `row` is the index of the row in its batch.
    pub(crate) fn check_none(
        &self,
        raw: Row<'_, T>,
        categories: Option<&Categories<T>>,
        row: usize,
    ) -> Result<()> {
        let is_missing = |(i, x): (usize, &T)| {
            let feature = raw.feature(i);
            (self.contains(*x) && !categories.is_some_and(|each| each.is_categorical(feature)))
                .then_some((feature, *x))
        };
        match raw.values().iter().enumerate().find_map(is_missing) {
            None => Ok(()),
            Some((column, x)) => {
                let got = format!("{}, a missing value (missing_values)", x.to_f64());
                Err(Error::NotFinite { name: "X", row, column, named: None, got, instead: None })
            }
        }
    }

    /// The row with NaN for missing values, in `buffer`. One-hot features have no missing numbers.
    #[inline(never)]
    pub(crate) fn mark<'a>(
        &self,
        row: Row<'a, T>,
        categories: Option<&Categories<T>>,
        features: usize,
        buffer: &'a mut Vec<T>,
    ) -> Row<'a, T> {
        let is_missing =
            |feature, x| self.contains(x) && !categories.is_some_and(|each| each.is_categorical(feature));
        buffer.clear();
        match row {
            // The features that a sparse row leaves out are 0.
            Row::Sparse(..) if self.contains(T::ZERO) => {
                buffer.resize(features, T::ZERO);
                row.scatter(buffer);
            }
            _ => buffer.extend_from_slice(row.values()),
        }
        let marked = match row {
            Row::Sparse(indices, _) if indices.len() == buffer.len() => Some(indices),
            _ => None,
        };
        for (i, x) in buffer.iter_mut().enumerate() {
            if is_missing(marked.map_or(i, |indices| indices[i] as usize), *x) {
                *x = T::from_f64(f64::NAN);
            }
        }
        marked.map_or(Row::Dense(buffer), |indices| Row::Sparse(indices, buffer))
    }
}
