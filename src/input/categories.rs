//! The weight of one-hot encoded columns.

use super::Excess;
use crate::batch::Row;
use crate::component::{Component, Loading};
use crate::error::{Result, check_model};
use crate::float::Real;
use crate::persist::Tensors;

/// The number of categories up to which a column keeps its weight.
const MAX_CATEGORIES: f64 = 10.0;

/// A feature of no categorical column, in a model file.
const NUMERIC: u32 = u32::MAX;

/// Factors of one-hot features. Standardised, a column of L categories has L times the weight of a number, so with more
/// than 10 categories its features are multiplied by `sqrt(10 / L)`.
///
/// L counts the categories in the rows learned so far, the present one included, so that results do not depend on the
/// batches, which may have introduced more columns. Support vectors keep the factors that they were inserted with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Categories<T: Real> {
    /// For each feature, the number of its categorical column.
    columns: Vec<Option<u32>>,
    /// For each feature, whether a row had its category.
    seen: Vec<bool>,
    /// For each column, the number of seen categories.
    counts: Vec<u32>,
    /// The factor of each feature.
    factors: Vec<T>,
    /// The number of categories that no row had yet; 0 if the factors are frozen.
    n_unseen: usize,
    frozen: bool,
}

impl<T: Real> Categories<T> {
    /// The columns of `features` features before the first row, none of them categorical.
    pub(crate) fn new(features: usize) -> Self {
        Self {
            columns: vec![None; features],
            seen: vec![false; features],
            counts: Vec::new(),
            factors: vec![T::ONE; features],
            n_unseen: 0,
            frozen: false,
        }
    }

    /// Whether a feature is a category of a column.
    pub(crate) fn is_categorical(&self, feature: usize) -> bool {
        self.columns.get(feature).is_some_and(Option::is_some)
    }

    /// Sets the categorical column of each feature; known features keep their columns.
    pub(crate) fn set_columns(&mut self, columns: &[Option<u32>]) {
        self.columns.copy_from_slice(columns);
        let n = columns.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        self.counts.resize(n, 0);
        self.update();
    }

    /// Recomputes the factors and the number of unseen categories.
    fn update(&mut self) {
        for (factor, column) in self.factors.iter_mut().zip(&self.columns) {
            let count = column.map_or(0, |column| self.counts[column as usize]);
            *factor = T::from_f64((MAX_CATEGORIES / f64::from(count).max(MAX_CATEGORIES)).sqrt());
        }
        let unseen = self.columns.iter().zip(&self.seen).filter(|(column, seen)| column.is_some() && !**seen);
        self.n_unseen = if self.frozen { 0 } else { unseen.count() };
    }

    /// A copy that does not change.
    pub(crate) fn frozen(&self) -> Self {
        Self { frozen: true, n_unseen: 0, ..self.clone() }
    }

    /// Whether two transforms have equal factors.
    pub(crate) fn has_equal_factors(&self, other: &Self) -> bool {
        self.factors == other.factors
    }

    /// Counts the new categories of a raw row that is about to be learned.
    #[inline(always)]
    pub(crate) fn observe(&mut self, raw: Row<'_, T>) {
        if self.n_unseen > 0 {
            self.observe_new(raw);
        }
    }

    #[inline(never)]
    fn observe_new(&mut self, raw: Row<'_, T>) {
        let mut changed = false;
        for (i, x) in raw.values().iter().enumerate() {
            let feature = raw.feature(i);
            let Some(column) = self.columns[feature] else { continue };
            if *x != T::ZERO && !self.seen[feature] {
                self.seen[feature] = true;
                self.counts[column as usize] += 1;
                changed = true;
            }
        }
        if changed {
            self.update();
        }
    }

    /// The factor of a feature.
    pub(super) fn factor(&self, feature: usize) -> f64 {
        self.factors[feature].to_f64()
    }

    /// A standardised value and its excess as [`Categories::apply`] changes them.
    #[inline(always)]
    pub(super) fn apply_to_value(&self, feature: usize, (x, excess): (T, T)) -> (T, T) {
        let excess = if self.columns[feature].is_none() { excess } else { T::ZERO };
        (x * self.factors[feature], excess)
    }

    /// Multiplies a standardised row by the factors. Categories have no excess: it would tell rare ones from
    /// frequent ones.
    #[inline(always)]
    pub(crate) fn apply(&self, x: &mut [T], excess: &mut Excess<T>) {
        x.iter_mut().zip(&self.factors).for_each(|(x, factor)| *x *= *factor);
        excess.retain(|feature| self.columns[feature].is_none());
    }
}

impl<T: Real> Component<T> for Categories<T> {
    fn add_features(&mut self, features: usize) {
        self.columns.resize(features, None);
        self.seen.resize(features, false);
        self.factors.resize(features, T::ONE);
    }

    fn save(&self, out: &mut Tensors) {
        let out = out.scope_mut("categories");
        out.put(
            "columns",
            &[self.columns.len()],
            self.columns.iter().map(|column| column.unwrap_or(NUMERIC)),
        );
        out.put("seen", &[self.seen.len()], self.seen.iter().map(|seen| u32::from(*seen)));
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        let from = from.scope("categories")?;
        let columns: Vec<u32> = from.get("columns", &[head.features])?;
        let seen: Vec<u32> = from.get("seen", &[head.features])?;
        let columns: Vec<Option<u32>> =
            columns.into_iter().map(|column| (column != NUMERIC).then_some(column)).collect();
        let is_valid = columns.iter().flatten().all(|column| (*column as usize) < head.features)
            && columns.iter().zip(&seen).all(|(column, seen)| *seen == 0 || *seen == 1 && column.is_some());
        check_model(is_valid, "the columns of the categories are invalid")?;
        self.add_features(head.features);
        self.seen = seen.iter().map(|seen| *seen == 1).collect();
        let n = columns.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        self.counts = vec![0; n];
        for (column, _) in columns.iter().zip(&self.seen).filter(|(_, seen)| **seen) {
            self.counts[column.unwrap_or(0) as usize] += 1;
        }
        self.set_columns(&columns);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A numeric feature, and columns of 40 and of 2 categories, mixed.
    fn columns() -> Vec<Option<u32>> {
        let mut columns = vec![None; 43];
        columns[1..41].fill(Some(0));
        columns[41..].fill(Some(1));
        columns
    }

    fn one_hot(feature: usize) -> Vec<f64> {
        (0..43).map(|j| if j == 0 || j == feature { 1.0 } else { 0.0 }).collect()
    }

    #[test]
    fn factors_fall_with_the_categories_of_rows_learned() {
        let mut categories = Categories::new(43);
        categories.set_columns(&columns());
        for (n, factor) in [(10, 1.0), (20, 0.5f64.sqrt()), (40, 0.5)] {
            for feature in 1..=n {
                categories.observe(Row::Dense(&one_hot(feature)));
                categories.observe(Row::Sparse(&[0, 41], &[3.0, 1.0]));
            }
            let mut x = vec![2.0; 43];
            categories.apply(&mut x, &mut Excess::default());
            assert_eq!((x[0], x[42]), (2.0, 2.0));
            assert!(x[1..41].iter().all(|x| (x - 2.0 * factor).abs() < 1e-12), "{n}: {x:?}");
        }
        let mut frozen = categories.frozen();
        categories.observe(Row::Dense(&one_hot(42)));
        frozen.observe(Row::Dense(&one_hot(42)));
        assert_eq!((categories.counts[1], frozen.counts[1]), (2, 1));
    }

    #[test]
    fn saved_categories_continue_and_invalid_ones_raise() {
        let mut categories: Categories<f64> = Categories::new(43);
        categories.set_columns(&columns());
        (5..30).for_each(|feature| categories.observe(Row::Dense(&one_hot(feature))));
        let mut saved = Tensors::new();
        categories.save(&mut saved);
        let head = Loading { task: crate::batch::Task::Regression, features: 43, n_seen: 25, max_size: 1 };
        let mut loaded = Categories::new(0);
        loaded.load(&saved, &head).unwrap();
        assert_eq!(loaded, categories);
        for (name, values) in [("seen", vec![1u32; 43]), ("columns", vec![43u32; 43])] {
            let mut damaged = saved.clone();
            damaged.scope_mut("categories").replace(name, &[43], values);
            assert!(Categories::<f64>::new(0).load(&damaged, &head).is_err(), "{name}");
        }
    }
}
