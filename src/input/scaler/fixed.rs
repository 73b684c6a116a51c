//! Standardisation by given means and standard deviations.

use super::bound::all_bounded;
use crate::batch::Row;
use crate::error::{Error, Result, check_model};
use crate::float::Real;
use crate::persist::Tensors;

/// The largest absolute value of a centre, so that sums of squared centres stay finite.
const MAX_CENTRE: f64 = 1e100;

/// `(x_j - shift_j) factor_j`. Without a shift, sparse rows stay sparse.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FixedScaler<T: Real> {
    /// Empty if the kernel needs no shift.
    shift: Vec<T>,
    factor: Vec<T>,
    /// The mean of every standardised feature, if the kernel needs no shift: `gamma = "scale"` is computed from shifted
    /// rows. Empty otherwise.
    pub(super) centre: Vec<f64>,
}

impl<T: Real> FixedScaler<T> {
    pub(crate) fn new(mean: &[f64], deviation: &[f64], features: usize, shifted: bool) -> Result<Self> {
        for (name, values) in [("mean", mean), ("std", deviation)] {
            if values.len() != features {
                return Err(Error::shape(name, format!("{features} entries"), values.len()));
            }
        }
        if let Some(got) = mean.iter().find(|m| !T::from_f64(**m).is_finite()) {
            return Err(Error::parameter("mean", "finite in every feature", got));
        }
        let factor: Vec<T> =
            deviation.iter().map(|&d| if d == 0.0 { T::ONE } else { T::from_f64(1.0 / d) }).collect();
        if let Some(i) = factor.iter().position(|f| !(f.is_finite() && *f > T::ZERO)) {
            return Err(Error::parameter("std", "finite and >= 0 in every feature", deviation[i]));
        }
        if shifted {
            let shift = mean.iter().map(|&m| T::from_f64(m)).collect();
            return Ok(Self { shift, factor, centre: Vec::new() });
        }
        let centre: Vec<f64> =
            mean.iter().zip(&factor).map(|(mean, factor)| mean * factor.to_f64()).collect();
        if let Some(i) = centre.iter().position(|centre| centre.abs() > MAX_CENTRE) {
            return Err(Error::parameter("mean", format!("at most {MAX_CENTRE:e} deviations"), mean[i]));
        }
        Ok(Self { shift: Vec::new(), factor, centre })
    }

    /// The standardised row, in `buffer`.
    #[inline(always)]
    pub(crate) fn transform<'a>(&self, x: Row<'a, T>, buffer: &'a mut Vec<T>) -> Row<'a, T> {
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

    /// Whether the square of every standardised value is at most `bound`; false for sparse rows with a shift.
    pub(crate) fn is_bounded(&self, x: Row<'_, T>, bound: T) -> bool {
        match x {
            Row::Dense(x) if self.shift.is_empty() => {
                let scaled = x.iter().zip(&self.factor).map(|(&x, &factor)| x * factor);
                all_bounded(scaled, bound)
            }
            Row::Dense(x) => {
                let shifted = x.iter().zip(&self.shift).map(|(&x, &shift)| x - shift);
                let scaled = shifted.zip(&self.factor).map(|(x, &factor)| x * factor);
                all_bounded(scaled, bound)
            }
            Row::Sparse(indices, values) => {
                let scaled = indices.iter().zip(values).map(|(&j, &x)| x * self.factor[j as usize]);
                self.shift.is_empty() && all_bounded(scaled, bound)
            }
        }
    }

    /// A scaler before its values are loaded from a file; `shifted` if the kernel needs a shift.
    pub(crate) fn unloaded(shifted: bool) -> Self {
        let shift = if shifted { vec![T::ZERO] } else { Vec::new() };
        Self { shift, factor: Vec::new(), centre: Vec::new() }
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        out.put("factor", &[self.factor.len()], self.factor.iter().copied());
        out.put("shift", &[self.shift.len()], self.shift.iter().copied());
        out.put("centre", &[self.centre.len()], self.centre.iter().copied());
    }

    pub(super) fn load(&mut self, from: &Tensors, features: usize) -> Result<()> {
        let shifted = if self.shift.is_empty() { 0 } else { features };
        self.factor = from.get("factor", &[features])?;
        self.shift = from.get("shift", &[shifted])?;
        self.centre = from.get("centre", &[features - shifted])?;
        let valid = self.factor.iter().all(|f| f.is_finite() && *f > T::ZERO)
            && self.shift.iter().all(|x| x.is_finite())
            && self.centre.iter().all(|x| x.abs() <= MAX_CENTRE);
        check_model(valid, "the scaling must be finite and positive")
    }

    /// New features are neither shifted nor scaled.
    pub(crate) fn add_features(&mut self, features: usize) {
        self.factor.resize(features, T::ONE);
        if self.shift.is_empty() {
            self.centre.resize(features, 0.0);
        } else {
            self.shift.resize(features, T::ZERO);
        }
    }
}
