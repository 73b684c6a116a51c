//! Learning steps of the linear term.

use super::arow::Arow;
use super::{LinearInput, Rescaling};
use crate::error::Result;
use crate::float::Real;
use crate::persist::Tensors;

/// The step of the linear term along a row, and the squared norm of the row in the linear kernel.
#[derive(Debug, Clone)]
pub(crate) enum LinearStep<T: Real> {
    /// First order: along `(x, 1)`, weighted by `rate = linear / (d + 1)`.
    FirstOrder { linear: f64, rate: f64 },
    /// Second order: along `S (x, 1)`; the covariance S starts as `linear I` (Crammer, Kulesza and Dredze 2009, AROW).
    Arow(Arow<T>),
}

/// `V += factor alpha x`, `v0 += constant alpha`.
type Direction<'a, T> = (f64, f64, LinearInput<'a, T>);

impl<T: Real> LinearStep<T> {
    /// First-order steps, for rows of `features` features.
    pub(crate) fn first_order(linear: f64, features: usize) -> Self {
        Self::FirstOrder { linear, rate: linear / (features as f64 + 1.0) }
    }

    /// Second-order steps, for rows of `features` features, with or without excess.
    pub(crate) fn arow(linear: f64, features: usize, has_excess: bool) -> Self {
        Self::Arow(Arow::new(linear, features, has_excess))
    }

    /// Converts the covariance at a change of the standardisation.
    pub(super) fn rescale(&mut self, change: Rescaling) {
        if let Self::Arow(arow) = self {
            arow.rescale(change);
        }
    }

    /// The squared norm of a row in the linear kernel; second-order steps keep `S (x, 1)` for
    /// [`LinearStep::learn_direction`].
    #[inline(always)]
    pub(super) fn squared_norm(&mut self, x: LinearInput<'_, T>) -> f64 {
        match self {
            Self::FirstOrder { rate, .. } => *rate * (x.squared_norm().to_f64() + 1.0),
            Self::Arow(arow) => arow.squared_norm(x),
        }
    }

    /// Learns the covariance along the row of the last [`LinearStep::squared_norm`]; returns the direction of the step.
    #[inline(always)]
    pub(super) fn learn_direction<'a>(&'a mut self, x: LinearInput<'a, T>) -> Direction<'a, T> {
        match self {
            Self::FirstOrder { rate, .. } => (*rate, *rate, x),
            Self::Arow(arow) => arow.learn_direction(),
        }
    }

    /// Whether the linear term extends beyond the clip of standardisation.
    pub(super) fn has_excess(&self) -> bool {
        match self {
            Self::FirstOrder { .. } => false,
            Self::Arow(arow) => arow.has_excess(),
        }
    }

    /// The largest factor of `|x|^2 + 1` in [`LinearStep::squared_norm`].
    pub(super) fn max_rate(&self) -> f64 {
        match self {
            Self::FirstOrder { rate, .. } => *rate,
            Self::Arow(arow) => arow.variance(),
        }
    }

    /// Appends features; the covariance of the present features does not change.
    pub(super) fn add_features(&mut self, features: usize) {
        match self {
            Self::FirstOrder { linear, rate } => *rate = *linear / (features as f64 + 1.0),
            Self::Arow(arow) => arow.add_features(features),
        }
    }

    /// Writes the covariance.
    pub(super) fn save(&self, out: &mut Tensors) {
        if let Self::Arow(arow) = self {
            arow.save(out);
        }
    }

    /// Restores the covariance.
    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        match self {
            Self::FirstOrder { .. } => Ok(()),
            Self::Arow(arow) => arow.load(from),
        }
    }
}
