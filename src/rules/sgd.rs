//! Stochastic gradient descent with step size `1/(lambda t)` (Pegasos; Wang, Crammer and Vucetic 2010, Algorithm 1).

use super::UpdateRule;
use crate::batch::Label;
use crate::error::{Error, Result};
use crate::expansion::Scored;
use crate::float::Real;
use crate::losses::{Ball, SgdLoss};
use crate::persist::{Persist, Tensors};

/// Stochastic gradient descent: `w <- (1 - 1/t) w - eta_t l'` with `eta_t = 1/(lambda t)`. The unscaled model is
/// `lambda t w / p` with the projection factor p, so that an update adds `-l' / p` and no coefficient decays.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sgd {
    pub(crate) loss: SgdLoss,
    lambda: f64,
    /// p, the product of all projections onto the ball since the last folding; 1 without a ball.
    projection_factor: f64,
    /// The ball that w is projected onto (Le et al. 2016, Theorems 1 and 2; the loss in the latter is half the squared
    /// error).
    ball: Option<Ball>,
    /// In regression, the largest `|y|` so far.
    max_abs_target: f64,
}

/// The largest `|alpha|^2 k_tt` of a step, as a share of the largest squared norm of the type: sums of such steps do
/// not overflow.
const MAX_STEP_SHARE: f64 = 1e-4;

/// A projection factor below this moves into the coefficients.
const FOLD_BELOW: f64 = 1e-3;

impl Sgd {
    pub(crate) fn new(loss: SgdLoss, lambda: f64, ball: Option<Ball>) -> Self {
        Self { loss, lambda, projection_factor: 1.0, ball, max_abs_target: 0.0 }
    }

    #[inline(always)]
    fn radius(&self, ball: Ball) -> f64 {
        let numerator = match ball {
            Ball::InvSqrtLambda => 1.0,
            Ball::LargestTarget => self.max_abs_target,
        };
        numerator / self.lambda.sqrt()
    }
}

impl UpdateRule for Sgd {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool {
        let Scored { example, f, k_tt, .. } = scored;
        // Before example t the scale is p/(lambda (t - 1)). At t = 1 all scores are zero, so that 1 will do for a
        // divisor.
        let inv_scale = self.lambda * (example.t - 1) as f64 / self.projection_factor;
        let updates = if example.t == 1 {
            self.loss.neg_gradient(example.label, f, 1.0, alpha)
        } else {
            self.loss.neg_gradient(example.label, f, inv_scale, alpha)
        };
        if let Label::Value(y) = example.label {
            self.max_abs_target = self.max_abs_target.max(y.abs());
        }
        if !updates {
            return false;
        }
        let step = example.weight / self.projection_factor;
        if step != 1.0 {
            for a in alpha.iter_mut() {
                *a *= T::from_f64(step);
            }
        }
        // Mostly the squared error reaches the limit, because its gradient is unbounded. Losses of several classes have
        // bounded gradients.
        if let [a] = alpha {
            let (step, k_tt) = (a.to_f64(), k_tt.to_f64());
            let max_sq_norm = MAX_STEP_SHARE * T::MAX_SQ_NORM;
            if step * step * k_tt > max_sq_norm {
                *a = T::from_f64((max_sq_norm / k_tt).sqrt().copysign(step));
            }
        }
        true
    }
}

impl Sgd {
    #[inline(always)]
    pub(super) fn scale(&self, t: u64) -> f64 {
        self.projection_factor / (self.lambda * t as f64)
    }

    #[inline(always)]
    pub(super) fn project_to_ball(&mut self, t: u64, sq_norm: f64) -> f64 {
        let Some(ball) = self.ball else { return 1.0 };
        let norm = self.scale(t) * sq_norm.max(0.0).sqrt();
        let radius = self.radius(ball);
        if norm > radius {
            self.projection_factor *= radius / norm;
        }
        if self.projection_factor < FOLD_BELOW {
            std::mem::replace(&mut self.projection_factor, 1.0)
        } else {
            1.0
        }
    }

    pub(super) fn reads_norm(&self) -> bool {
        self.ball.is_some()
    }

    #[inline(always)]
    pub(super) fn gradient_error_factor(&self) -> f64 {
        self.projection_factor
    }
}

impl Persist for Sgd {
    fn save(&self, out: &mut Tensors) {
        out.set("projection_factor", self.projection_factor);
        out.set("max_abs_target", self.max_abs_target);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        (self.projection_factor, self.max_abs_target) =
            (from.finite("projection_factor")?, from.finite("max_abs_target")?);
        if !(self.projection_factor > 0.0 && self.projection_factor <= 1.0) {
            return Err(Error::Model(
                format!("projection_factor must lie in (0, 1], got {}", self.projection_factor).into(),
            ));
        }
        if self.max_abs_target < 0.0 {
            return Err(Error::Model(
                format!("max_abs_target must be >= 0, got {}", self.max_abs_target).into(),
            ));
        }
        Ok(())
    }
}
