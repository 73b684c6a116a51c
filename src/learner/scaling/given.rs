//! Scaler by numbers that were given.

use super::all_within;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::row::Row;

/// The largest size of a centre: sums of squares of so many stay finite.
pub(crate) const FARTHEST: f64 = 1e100;

/// `(x_j - shift_j) factor_j`; without a shift sparse rows stay sparse.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FixedScaler<T: Real> {
    /// Empty where the kernel needs no shift.
    pub(crate) shift: Vec<T>,
    pub(crate) factor: Vec<T>,
    /// Where the kernel needs no shift, what it would take of every scaled number: `gamma = "scale"` is that of the
    /// shifted rows. Else empty.
    pub(crate) centre: Vec<f64>,
}

impl<T: Real> FixedScaler<T> {
    pub(crate) fn new(mean: &[f64], deviation: &[f64], features: usize, shifted: bool) -> Result<Self> {
        for (name, values) in [("mean", mean), ("std", deviation)] {
            if values.len() != features {
                return Err(Error::shape(name, format!("{features} entries"), values.len()));
            }
        }
        if let Some(bad) = mean.iter().find(|m| !T::from_f64(**m).is_finite()) {
            return Err(Error::parameter("mean", "finite in every feature", bad));
        }
        let factor: Vec<T> =
            deviation.iter().map(|&d| if d == 0.0 { T::ONE } else { T::from_f64(1.0 / d) }).collect();
        if let Some(at) = factor.iter().position(|f| !(f.is_finite() && *f > T::ZERO)) {
            return Err(Error::parameter("std", "finite and >= 0 in every feature", deviation[at]));
        }
        if shifted {
            let shift = mean.iter().map(|&m| T::from_f64(m)).collect();
            return Ok(Self { shift, factor, centre: Vec::new() });
        }
        let centre: Vec<f64> =
            mean.iter().zip(&factor).map(|(mean, factor)| mean * factor.to_f64()).collect();
        if let Some(at) = centre.iter().position(|centre| centre.abs() > FARTHEST) {
            return Err(Error::parameter("mean", format!("at most {FARTHEST:e} deviations"), mean[at]));
        }
        Ok(Self { shift: Vec::new(), factor, centre })
    }

    /// The scaled row, in `buffer`.
    #[inline(always)]
    pub(crate) fn apply<'a>(&self, x: Row<'a, T>, buffer: &'a mut Vec<T>) -> Row<'a, T> {
        buffer.clear();
        match x {
            Row::Sparse(indices, values) if self.shift.is_empty() => {
                buffer.extend(indices.iter().zip(values).map(|(&j, &x)| x * self.factor[j as usize]));
                Row::Sparse(indices, buffer)
            }
            x => {
                buffer.resize(self.factor.len(), T::ZERO);
                x.scatter(buffer);
                for (x, &shift) in buffer.iter_mut().zip(&self.shift) {
                    *x -= shift;
                }
                for (x, &factor) in buffer.iter_mut().zip(&self.factor) {
                    *x *= factor;
                }
                Row::Dense(buffer)
            }
        }
    }

    /// Whether the square of every scaled number is `square` at most; no where zeros would have to be shifted.
    pub(crate) fn is_bounded(&self, x: Row<'_, T>, square: T) -> bool {
        match x {
            Row::Dense(x) if self.shift.is_empty() => {
                let scaled = x.iter().zip(&self.factor).map(|(&x, &factor)| x * factor);
                all_within(scaled, square)
            }
            Row::Dense(x) => {
                let shifted = x.iter().zip(&self.shift).map(|(&x, &shift)| x - shift);
                let scaled = shifted.zip(&self.factor).map(|(x, &factor)| x * factor);
                all_within(scaled, square)
            }
            Row::Sparse(indices, values) => {
                let scaled = indices.iter().zip(values).map(|(&j, &x)| x * self.factor[j as usize]);
                self.shift.is_empty() && all_within(scaled, square)
            }
        }
    }

    /// New features are neither shifted nor scaled.
    pub(crate) fn widen(&mut self, features: usize) {
        self.factor.resize(features, T::ONE);
        if self.shift.is_empty() {
            self.centre.resize(features, 0.0);
        } else {
            self.shift.resize(features, T::ZERO);
        }
    }
}
