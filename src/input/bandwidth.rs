//! The kernel's width from the data: `1/(d var)` or `8 / mean |x|^2`, from the rows seen so far or from a whole batch.

use super::Scaler;
use crate::batch::{Row, Rows};
use crate::component::{Component, Loading};
use crate::error::{Error, Result};
use crate::float::{Real, max};
use crate::kernel::{GAMMA_RANGE, STANDARDIZED_GAMMA};
use crate::persist::Tensors;

/// Where the kernel's width comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Bandwidth {
    /// A number, or `1/d`.
    Fixed,
    /// Before the rows 2, 4, ..., 1024 it becomes what all rows so far say, and is frozen then.
    Running(GammaOf, Moments),
}

/// What gamma is taken from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum GammaOf {
    /// `1/(d var)`, var over all numbers; `1/d` where they are equal.
    Variance,
    /// `8 / mean |x|^2`, in which features that are zero change nothing; 8 where all are zero.
    Length,
}

/// Mean and squared deviations of all numbers of the rows seen, and what those rows can be at most.
///
/// Only the numbers that are not zero are gone through (Welford's rule, in row order); the zeros are counted. So a row
/// that is stored sparsely gives the same bits as a dense one. Where rows are scaled but not shifted, because the
/// kernel does not see a shift, these are the moments of the shifted numbers all the same: of their distances from the
/// centre.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Moments {
    pub(crate) rows: u64,
    /// How many numbers are not zero.
    pub(crate) nonzero: u64,
    /// Their mean.
    pub(crate) mean: f64,
    /// The sum of their squared deviations from it.
    pub(crate) m2: f64,
    /// The sums of the centres and of the squared centres of the numbers that are not zero.
    pub(crate) sum_centres: [f64; 2],
    /// The largest `|x|^2`.
    pub(crate) max_squared_norm: f64,
    /// The largest weight, at least 1.
    pub(crate) max_weight: f64,
}

/// The row before which gamma is set for the last time.
pub(crate) const LAST_GAMMA_ROW: u64 = 1024;

impl Bandwidth {
    /// The width to take from row `t` on, if it changes there; then counts the row.
    #[inline(always)]
    pub(crate) fn before<T: Real>(
        &mut self,
        t: u64,
        x: Row<'_, T>,
        weight: f64,
        features: usize,
        scaling: Option<&Scaler<T>>,
    ) -> Option<f64> {
        match self {
            Self::Fixed => None,
            Self::Running(of, moments) => {
                if t > LAST_GAMMA_ROW {
                    return None;
                }
                let centre = scaling.map_or(&[][..], Scaler::centre);
                let gamma = (t >= 2 && t.is_power_of_two()).then(|| moments.gamma(*of, features, centre));
                moments.observe(x, weight, centre);
                gamma
            }
        }
    }

    /// Whether rows to come cannot change the width.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Fixed => true,
            Self::Running(_, moments) => moments.rows >= LAST_GAMMA_ROW,
        }
    }
}

impl Moments {
    fn observe<T: Real>(&mut self, row: Row<'_, T>, weight: f64, centre: &[f64]) {
        self.rows += 1;
        let mut length = 0.0;
        for (i, x) in row.values().iter().enumerate() {
            let x = x.to_f64();
            if x != 0.0 {
                length += x * x;
                let x = if centre.is_empty() { x } else { x - self.pass(centre[row.feature(i)]) };
                self.nonzero += 1;
                let delta = x - self.mean;
                self.mean += delta * (1.0 / self.nonzero as f64);
                self.m2 += delta * (x - self.mean);
            }
        }
        self.max_squared_norm = max(self.max_squared_norm, length);
        self.max_weight = max(max(self.max_weight, 1.0), weight);
    }

    /// Counts the centre of a number that is not zero.
    fn pass(&mut self, centre: f64) -> f64 {
        self.sum_centres[0] += centre;
        self.sum_centres[1] += centre * centre;
        centre
    }

    /// Within the legal widths.
    fn gamma(&self, of: GammaOf, features: usize, centre: &[f64]) -> f64 {
        let gamma = match of {
            GammaOf::Variance => self.over_variance(features, centre),
            GammaOf::Length => self.over_length(centre),
        };
        // Sums that overflow come from numbers as far apart as numbers can be.
        if gamma.is_nan() { GAMMA_RANGE.min } else { GAMMA_RANGE.clamp(gamma) }
    }

    fn over_length(&self, centre: &[f64]) -> f64 {
        let zeros = self.rows as f64 * centre.iter().map(|c| c * c).sum::<f64>() - self.sum_centres[1];
        let m2 = self.m2 + self.nonzero as f64 * self.mean * self.mean + zeros.max(0.0);
        if m2 == 0.0 { STANDARDIZED_GAMMA } else { STANDARDIZED_GAMMA / (m2 / self.rows as f64) }
    }

    fn over_variance(&self, features: usize, centre: &[f64]) -> f64 {
        let (all, nonzero) = (self.rows as f64 * features as f64, self.nonzero as f64);
        // The zeros are a group of their own (Chan's rule for joining two groups), without deviation but for that of
        // their centres.
        let zeros = nonzero * ((all - nonzero) / all);
        let (mean, m2) = self.zeros(all - nonzero, centre);
        let apart = self.mean - mean;
        let variance = (self.m2 + m2 + apart * zeros * apart) / all;
        1.0 / (features as f64 * if variance == 0.0 { 1.0 } else { variance })
    }

    /// Mean and squared deviations of the shifted zeros, so many of them.
    fn zeros(&self, observe: f64, centre: &[f64]) -> (f64, f64) {
        if centre.is_empty() || observe == 0.0 {
            return (0.0, 0.0);
        }
        let (rows, [passed, passed_squares]) = (self.rows as f64, self.sum_centres);
        let sum = rows * centre.iter().sum::<f64>() - passed;
        let m2 = rows * centre.iter().map(|c| c * c).sum::<f64>() - passed_squares;
        let mean = sum / observe;
        (-mean, (m2 - sum * mean).max(0.0))
    }
}

impl Moments {
    fn save(&self, out: &mut Tensors) {
        out.set("rows", self.rows);
        out.set("nonzero", self.nonzero);
        out.set("mean", self.mean);
        out.set("squares", self.m2);
        out.set("centres", self.sum_centres[0]);
        out.set("squared_centres", self.sum_centres[1]);
        out.set("longest", self.max_squared_norm);
        out.set("heaviest", self.max_weight);
    }

    fn load(from: &Tensors, features: usize) -> Result<Self> {
        const MAX_SIZE: f64 = 1e150;
        let moments = Self {
            rows: from.u64("rows")?,
            nonzero: from.u64("nonzero")?,
            mean: from.finite("mean")?,
            m2: from.finite("squares")?,
            sum_centres: [from.finite("centres")?, from.finite("squared_centres")?],
            max_squared_norm: from.finite("longest")?,
            max_weight: from.finite("heaviest")?,
        };
        let numbers = moments.rows.checked_mul(features as u64);
        // Only rows that learning refuses have larger sums, and those would overflow.
        let legal = numbers.is_some_and(|numbers| moments.nonzero <= numbers)
            && [moments.mean, moments.sum_centres[0]].iter().all(|x| x.abs() <= MAX_SIZE)
            && [moments.m2, moments.sum_centres[1], moments.max_squared_norm, moments.max_weight]
                .iter()
                .all(|x| (0.0..=MAX_SIZE * MAX_SIZE).contains(x));
        if legal { Ok(moments) } else { Err(Error::Model("the sums of gamma do not fit together".into())) }
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
                return Err(Error::Model("the rows of gamma are not the rows that were learned".into()));
            }
        }
        Ok(())
    }
}

/// `gamma = "scale"` of a whole batch: `1/(d var)` of all its numbers, `1/d` where they are equal, and never beyond the
/// legal widths. The same bits from dense and sparse rows.
///
/// # Errors
/// When there are no numbers, or some that are not finite.
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
