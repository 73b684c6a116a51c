//! Whether a batch is legal: all of it is looked at before the first row is learned.

use super::balance::{ClassWeights, MAX_WEIGHT};
use super::inclination::LinearStep;
use super::{GammaRule, Learner, Rows, Scaler, Targets};
use crate::count::MAX_COUNT;
use crate::error::{Error, Result};
use crate::float::{Real, max};
use crate::hashing::{FeatureHasher, HashedRow};
use crate::kernel::AnyKernel;
use crate::label::Task;
use crate::parameter::ParameterType;
use crate::params::Gamma;
use crate::row::Row;

#[cfg(test)]
thread_local! {
    /// How often this thread has gone through the values of rows.
    pub(super) static CHECKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl<T: Real> Learner<T> {
    /// Whether a batch is legal: the model's number of features (with `hash_features`: any number of columns), known
    /// classes, weights from 0 to 1e9, finite values (or NaN, where it stands for a missing value), and no row so long
    /// that what is computed from it would overflow. A row `x` of weight `w` is too long where its norm (`|x|^2`,
    /// scaled if the model scales; of the Laplacian kernel `|x|_1`) or `max(1, w)^2 k(x, x)` exceeds 1e28 in `f32`,
    /// 1e140 in `f64`. Rows of weight 0 are skipped and may have any length. Where columns are folded, it is the folded
    /// row that may be too long. Where classes are balanced, w is the largest weight that the row may get by it.
    ///
    /// # Errors
    /// The first thing that is not legal.
    pub fn check(&self, rows: &Rows<'_, T>, targets: Targets<'_>, weights: Option<&[f64]>) -> Result<()> {
        self.check_as(self.task, rows, targets, weights)
    }

    /// The same of a model of this task.
    pub(super) fn check_as(
        &self,
        task: Task,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
    ) -> Result<()> {
        self.check_shape(rows)?;
        if self.counts.n_seen.saturating_add(rows.len() as u64) > MAX_COUNT {
            let expected = format!("rows up to number {MAX_COUNT}");
            return Err(Error::shape(
                "X",
                expected,
                format!("{} more after {}", rows.len(), self.counts.n_seen),
            ));
        }
        targets.check(rows.len(), task)?;
        check_weights(rows.len(), weights)?;
        self.check_values(rows, weights, Some(self.gamma.clone()))
    }

    /// Whether rows that have a legal shape may be learned.
    pub(super) fn takes(&self, rows: &Rows<'_, T>, weights: Option<&[f64]>) -> bool {
        self.check_values(rows, weights, Some(self.gamma.clone())).is_ok()
    }

    /// Whether rows are legal to predict.
    pub(super) fn check_rows(&self, rows: &Rows<'_, T>) -> Result<()> {
        self.check_shape(rows)?;
        self.check_values(rows, None, None)
    }

    /// Rows that are folded may have any width.
    fn check_shape(&self, rows: &Rows<'_, T>) -> Result<()> {
        rows.check_shape(if self.hashing.is_some() { rows.columns() } else { self.store.features() })
    }

    /// Whether the width no longer follows from the number of features.
    pub(super) fn check_gamma_stays(&self) -> Result<()> {
        let given = self.spec.spec().gamma;
        let stays = match given {
            Gamma::Value(_) | Gamma::Standardized => true,
            Gamma::Scale => self.gamma.is_final(),
            Gamma::Auto => false,
        };
        if stays || self.kernel.gamma().is_none() {
            return Ok(());
        }
        let expected = "a number, \"standardized\", or \"scale\" after row 1024, where features are added after the \
                        first row";
        let got = format!("{} after row {}", given.to_value(), self.counts.n_seen);
        Err(Error::parameter("gamma", expected, got))
    }

    /// Whether all values are finite and no row is too long, as the rule of gamma and a running scaling go on through
    /// the batch; without a rule they stay as they are, since nothing is learned.
    fn check_values(
        &self,
        rows: &Rows<'_, T>,
        weights: Option<&[f64]>,
        gamma: Option<GammaRule>,
    ) -> Result<()> {
        #[cfg(test)]
        CHECKS.set(CHECKS.get() + 1);
        let heaviest = weights.into_iter().flatten().fold(1.0, |most, &w| max(most, w));
        let heaviest = if gamma.is_some() { self.heaviest(heaviest) } else { heaviest };
        let reach = self.kernel.max_row_stat(T::MAX_SQ_NORM / (2.0 * heaviest * heaviest));
        let linear = self.longest(heaviest);
        // The factors 2 and 4 leave room for rounding: this fast check never accepts a batch that the exact check
        // would refuse. Rows without a stored value are within any bound, so a bound that is negative or NaN (no row
        // can satisfy it) is left to the exact check.
        let bounds_hold = [reach, linear].iter().all(|bound| *bound >= 0.0);
        let longest = reach.min(T::MAX_SQ_NORM).min(linear) / 4.0;
        let square = T::from_f64(longest / self.store.features() as f64);
        let known = gamma.as_ref().is_none_or(GammaRule::is_final) || reach == f64::INFINITY;
        let within = || match &self.hashing {
            None => rows.within(square, self.scaling.as_ref()),
            Some(_) => rows.folds_within(longest, square, self.scaling.as_ref()),
        };
        if bounds_hold && known && within() {
            return Ok(());
        }
        self.check_each(rows, weights, gamma)
    }

    /// The largest `|x|^2` of a row of that weight that neither the metric nor the linear part makes too long.
    fn longest(&self, weight: f64) -> f64 {
        let unit = self.inclination.as_ref().map_or(0.0, LinearStep::most);
        let linear =
            if unit > 0.0 { T::MAX_SQ_NORM / (4.0 * unit * weight * weight) - 1.0 } else { f64::INFINITY };
        self.metric.as_ref().map_or(linear, |metric| linear.min(T::MAX_SQ_NORM / metric.growth()))
    }

    /// The largest weight that a row of this weight may be learned with.
    fn heaviest(&self, weight: f64) -> f64 {
        self.balance.as_ref().map_or(weight, |_| ClassWeights::most(weight))
    }

    #[cold]
    fn check_each(
        &self,
        rows: &Rows<'_, T>,
        weights: Option<&[f64]>,
        gamma: Option<GammaRule>,
    ) -> Result<()> {
        let (learns, mut gamma) = (gamma.is_some(), gamma.unwrap_or(GammaRule::Fixed));
        let mut scaling = self.scaling.clone();
        let (mut buffer, mut folded, mut scaled) = (Vec::new(), HashedRow::default(), Vec::new());
        let (mut kernel, mut t) = (self.kernel, self.counts.n_seen);
        for row in 0..rows.len() {
            let raw = rows.row(row, &mut buffer);
            raw.check_finite(row, scaling.as_ref().is_some_and(Scaler::accepts_nan))
                .map_err(|error| self.spec.with_remedy(error))?;
            let weight = weights.map_or(1.0, |w| w[row]);
            if weight == 0.0 {
                continue;
            }
            let weight = if learns { self.heaviest(weight) } else { weight };
            let raw = match &self.hashing {
                Some(hashing) => fold_finite(hashing, row, raw, &mut folded)?,
                None => raw,
            };
            let x = match &mut scaling {
                Some(scaling) if learns => scaling.learn(self.store.ops(), (t + 1, 0.0), raw, &mut scaled),
                Some(scaling) => scaling.apply(self.store.ops(), raw, &mut scaled),
                None => raw,
            };
            let norm = kernel.row_stat(x);
            let fits = norm.to_f64() <= T::MAX_SQ_NORM;
            if !fits {
                let most = T::MAX_SQ_NORM;
                return Err(too_large::<T>(row, kernel.accumulation().stat_name(), most, norm.to_f64()));
            }
            let (length, longest) = (x.squared_norm().to_f64(), self.longest(max(weight, 1.0)));
            let fits = length <= longest;
            if !fits {
                return Err(too_large::<T>(row, "|x|^2", longest, length));
            }
            t += 1;
            if let Some(new) = gamma.before(t, x, weight, self.store.features(), scaling.as_ref()) {
                kernel = kernel.with_gamma(new);
                if let GammaRule::Running(_, moments) = &gamma {
                    // It is that of all rows so far.
                    check_length(row, kernel, T::from_f64(moments.max_squared_norm), moments.max_weight)?;
                }
            }
            check_length(row, kernel, norm, weight)?;
        }
        Ok(())
    }
}

/// A folded row, unless a sum of its numbers is too large.
fn fold_finite<'a, T: Real>(
    hashing: &FeatureHasher,
    row: usize,
    raw: Row<'_, T>,
    folded: &'a mut HashedRow<T>,
) -> Result<Row<'a, T>> {
    let x = hashing.hash_row(raw, folded);
    match x.values().iter().find(|x| !x.is_finite()) {
        Some(sum) => {
            Err(too_large::<T>(row, "the columns of a feature, summed,", T::MAX_SQ_NORM, sum.to_f64()))
        }
        None => Ok(x),
    }
}

/// Whether a row of this norm and weight is not too long in feature space.
fn check_length<T: Real>(row: usize, kernel: AnyKernel, norm: T, weight: f64) -> Result<()> {
    let weight = max(weight, 1.0);
    let length = weight * weight * kernel.diag(norm).to_f64();
    if length <= T::MAX_SQ_NORM {
        return Ok(());
    }
    let what = if weight > 1.0 { "sample_weight^2 k(x, x)" } else { "k(x, x)" };
    let width = kernel.gamma().map_or(String::new(), |gamma| format!(" at gamma = {gamma:e}"));
    Err(too_large::<T>(row, &format!("{what}{width}"), T::MAX_SQ_NORM, length))
}

fn too_large<T: Real>(row: usize, what: &str, most: f64, got: f64) -> Error {
    let expected = format!("{what} <= {most:e} in {}", T::NAME);
    Error::TooLarge { row, expected, got: format!("{got:.3e}") }
}

fn check_weights(rows: usize, weights: Option<&[f64]>) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    if weights.len() != rows {
        return Err(Error::shape("sample_weight", format!("{rows} entries"), weights.len()));
    }
    match weights.iter().enumerate().find(|(_, w)| !(0.0..=MAX_WEIGHT).contains(*w)) {
        Some((row, bad)) => Err(Error::entry("sample_weight", "from 0 to 1e9 in every row", bad, row)),
        None => Ok(()),
    }
}
