//! Gamma from the data: `1/(d var)` or `8 / mean |x|^2`, from the rows seen so far or from a whole batch.

use super::Scaler;
use crate::batch::{Row, Rows};
use crate::component::{Component, Loading};
use crate::error::{Error, Result};
use crate::float::{Real, max};
use crate::kernel::{GAMMA_RANGE, STANDARDIZED_GAMMA};
use crate::persist::Tensors;

/// The source of gamma.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Bandwidth {
    /// Rows do not change gamma: it is a given number, `1/d` or a copy of another model's gamma, or the kernel has
    /// none.
    Constant,
    /// Gamma is computed from all rows so far before rows 2, 4, ..., 1024, and is final after that.
    Running(GammaOf, Moments),
}

/// The statistic that gamma is computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum GammaOf {
    /// `1/(d var)`, var over all values; `1/d` if the variance is zero.
    Variance,
    /// `8 / mean |x|^2`, which does not depend on features that are zero; 8 if all values are zero.
    MeanSquaredNorm,
}

/// Mean and squared deviations of all values of the rows seen, and upper bounds of norms and weights.
///
/// Welford's rule runs over the non-zero values in row order, and zeros are only counted: sparse and dense rows are
/// bit-identical. If rows are scaled but not shifted, because the kernel is invariant to shifts, the moments are still
/// the moments of the shifted values.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Moments {
    pub(crate) rows: u64,
    /// The number of non-zero values.
    pub(crate) nonzero: u64,
    /// The mean of the non-zero values.
    pub(crate) mean: f64,
    /// The sum of the squared deviations of the non-zero values from their mean.
    pub(crate) m2: f64,
    /// The sums of the centres and of the squared centres of the non-zero values.
    pub(crate) sum_centres: [f64; 2],
    /// The largest `|x|^2`.
    pub(crate) max_squared_norm: f64,
    /// The largest weight, at least 1.
    pub(crate) max_weight: f64,
}

/// Gamma is set for the last time before this row.
pub(crate) const LAST_GAMMA_ROW: u64 = 1024;

impl Bandwidth {
    /// Observes row `t`, and returns the new gamma if gamma changes before this row. `max_weight` is kept for the
    /// checks of rows.
    #[inline(always)]
    pub(crate) fn observe<T: Real>(
        &mut self,
        t: u64,
        x: Row<'_, T>,
        max_weight: f64,
        features: usize,
        scaler: Option<&Scaler<T>>,
    ) -> Option<f64> {
        match self {
            Self::Constant => None,
            Self::Running(of, moments) => {
                if t > LAST_GAMMA_ROW {
                    return None;
                }
                let centre = scaler.map_or(&[][..], Scaler::centre);
                let gamma = (t >= 2 && t.is_power_of_two()).then(|| moments.gamma(*of, features, centre));
                moments.observe(x, max_weight, centre);
                gamma
            }
        }
    }

    /// Whether no later row changes gamma.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Constant => true,
            Self::Running(_, moments) => moments.rows >= LAST_GAMMA_ROW,
        }
    }
}

impl Moments {
    fn observe<T: Real>(&mut self, row: Row<'_, T>, max_weight: f64, centre: &[f64]) {
        self.rows += 1;
        let mut squared_norm = 0.0;
        for (i, x) in row.values().iter().enumerate() {
            let x = x.to_f64();
            if x != 0.0 {
                squared_norm += x * x;
                let x = if centre.is_empty() { x } else { x - self.add_centre(centre[row.feature(i)]) };
                self.nonzero += 1;
                let delta = x - self.mean;
                self.mean += delta * (1.0 / self.nonzero as f64);
                self.m2 += delta * (x - self.mean);
            }
        }
        self.max_squared_norm = max(self.max_squared_norm, squared_norm);
        self.max_weight = max(max(self.max_weight, 1.0), max_weight);
    }

    /// Adds the centre of a non-zero value to the sums, and returns the centre.
    fn add_centre(&mut self, centre: f64) -> f64 {
        self.sum_centres[0] += centre;
        self.sum_centres[1] += centre * centre;
        centre
    }

    /// Gamma of the rows so far, clipped to the valid range.
    fn gamma(&self, of: GammaOf, features: usize, centre: &[f64]) -> f64 {
        let gamma = match of {
            GammaOf::Variance => self.inv_variance(features, centre),
            GammaOf::MeanSquaredNorm => self.inv_squared_norm(centre),
        };
        // Sums overflow only for extremely distant values, so gamma is minimal.
        if gamma.is_nan() { GAMMA_RANGE.min } else { GAMMA_RANGE.clamp(gamma) }
    }

    fn inv_squared_norm(&self, centre: &[f64]) -> f64 {
        let zeros = self.rows as f64 * centre.iter().map(|c| c * c).sum::<f64>() - self.sum_centres[1];
        let sum = self.m2 + self.nonzero as f64 * self.mean * self.mean + zeros.max(0.0);
        if sum == 0.0 { STANDARDIZED_GAMMA } else { STANDARDIZED_GAMMA / (sum / self.rows as f64) }
    }

    fn inv_variance(&self, features: usize, centre: &[f64]) -> f64 {
        let (all, nonzero) = (self.rows as f64 * features as f64, self.nonzero as f64);
        // Chan's rule joins the groups of non-zero and zero values; shifted zeros deviate by their centres.
        let weight = nonzero * ((all - nonzero) / all);
        let (mean, m2) = self.zeros(all - nonzero, centre);
        let delta = self.mean - mean;
        let variance = (self.m2 + m2 + delta * weight * delta) / all;
        1.0 / (features as f64 * if variance == 0.0 { 1.0 } else { variance })
    }

    /// Mean and squared deviations of the `count` shifted zeros.
    fn zeros(&self, count: f64, centre: &[f64]) -> (f64, f64) {
        if centre.is_empty() || count == 0.0 {
            return (0.0, 0.0);
        }
        let (rows, [nonzero_sum, nonzero_squares]) = (self.rows as f64, self.sum_centres);
        let sum = rows * centre.iter().sum::<f64>() - nonzero_sum;
        let squares = rows * centre.iter().map(|c| c * c).sum::<f64>() - nonzero_squares;
        let mean = sum / count;
        (-mean, (squares - sum * mean).max(0.0))
    }
}

impl Moments {
    fn save(&self, out: &mut Tensors) {
        out.set("rows", self.rows);
        out.set("nonzero", self.nonzero);
        out.set("mean", self.mean);
        out.set("m2", self.m2);
        out.set("centres", self.sum_centres[0]);
        out.set("squared_centres", self.sum_centres[1]);
        out.set("max_squared_norm", self.max_squared_norm);
        out.set("max_weight", self.max_weight);
    }

    fn load(from: &Tensors, features: usize) -> Result<Self> {
        const MAX_VALUE: f64 = 1e150;
        let moments = Self {
            rows: from.u64("rows")?,
            nonzero: from.u64("nonzero")?,
            mean: from.finite("mean")?,
            m2: from.finite("m2")?,
            sum_centres: [from.finite("centres")?, from.finite("squared_centres")?],
            max_squared_norm: from.finite("max_squared_norm")?,
            max_weight: from.finite("max_weight")?,
        };
        let values = moments.rows.checked_mul(features as u64);
        // The check of rows keeps the sums of valid rows below these bounds; larger sums could overflow.
        let is_valid = values.is_some_and(|values| moments.nonzero <= values)
            && [moments.mean, moments.sum_centres[0]].iter().all(|x| x.abs() <= MAX_VALUE)
            && [moments.m2, moments.sum_centres[1], moments.max_squared_norm, moments.max_weight]
                .iter()
                .all(|x| (0.0..=MAX_VALUE * MAX_VALUE).contains(x));
        if is_valid { Ok(moments) } else { Err(Error::Model("the moments of gamma are inconsistent".into())) }
    }
}

impl<T: Real> Component<T> for Bandwidth {
    fn save(&self, out: &mut Tensors) {
        if let Self::Running(_, moments) = self {
            moments.save(out.scope_mut("moments"));
        }
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        if let Self::Running(_, moments) = self {
            *moments = Moments::load(from.scope("moments")?, head.features)?;
            if moments.rows != head.n_seen.min(LAST_GAMMA_ROW) {
                return Err(Error::Model(
                    "the moments of gamma have another number of rows than the model".into(),
                ));
            }
        }
        Ok(())
    }
}

/// `gamma = "scale"` of a whole batch: `1/(d var)` over all values, `1/d` if the variance is zero, clipped to the valid
/// range. Dense and sparse rows are bit-identical.
///
/// # Errors
/// If there are no values, or a value is not finite.
pub fn scale_gamma<T: Real>(rows: &Rows<'_, T>) -> Result<f64> {
    rows.check_shape(rows.columns())?;
    if rows.is_empty() || rows.columns() == 0 {
        let got = format!("{} rows of {} features", rows.len(), rows.columns());
        return Err(Error::shape("X", "at least 1 row of 1 feature", got));
    }
    let (mut moments, mut buffer) = (Moments::default(), Vec::new());
    for i in 0..rows.len() {
        let row = rows.row(i, &mut buffer);
        row.check_finite(i, false)?;
        moments.observe(row, 1.0, &[]);
    }
    Ok(moments.gamma(GammaOf::Variance, rows.columns(), &[]))
}
