//! Stochastic gradient descent with step `1/(lambda t)` (Pegasos; Wang, Crammer and Vucetic 2010, Algorithm 1).

use super::{Example, UpdateRule};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Label;
use crate::losses::{Ball, Derivative, Descent};
use crate::persist::{Persist, Tensors};

/// `w <- (1 - 1/t) w - eta_t l'`, `eta_t = 1/(lambda t)`, kept as `v = lambda t w / ball`: an update then adds exactly
/// `-l' / ball` and nothing decays.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sgd {
    pub(crate) loss: Descent,
    /// The papers' lambda.
    pub(crate) alpha: f64,
    /// The product of all projections on the ball since the last folding; 1 where there is no ball.
    pub(crate) ball: f64,
    /// What w is projected on (Le et al. 2016, Theorems 1 and 2; of the latter the loss is half the square).
    pub(crate) projects: Option<Ball>,
    /// The largest `|y|` so far, in regression.
    largest: f64,
}

/// The largest `|alpha|^2 k_tt` of a step, as a share of what the type can hold: sums of so long ones leave room.
const LONGEST: f64 = 1e-4;

/// The product of projections below which it is folded into the coefficients.
const FOLD: f64 = 1e-3;

impl Sgd {
    pub(crate) fn new(loss: Descent, alpha: f64, projects: Option<Ball>) -> Self {
        Self { loss, alpha, ball: 1.0, projects, largest: 0.0 }
    }

    /// That of the ball.
    #[inline(always)]
    fn radius(&self, ball: Ball) -> f64 {
        let most = match ball {
            Ball::Unit => 1.0,
            Ball::LargestTarget => self.largest,
        };
        most / self.alpha.sqrt()
    }
}

impl UpdateRule for Sgd {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, example: &Example<T>, f: &[T], row: &mut [T]) -> bool {
        // The model before example t has scale ball/(lambda (t-1)), and is zero at t = 1: every example updates then.
        let unit = self.alpha * (example.t - 1) as f64 / self.ball;
        let inserts = if example.t == 1 {
            self.loss.descent(example.label, f, 1.0, row)
        } else {
            self.loss.descent(example.label, f, unit, row)
        };
        if let Label::Value(y) = example.label {
            self.largest = self.largest.max(y.abs());
        }
        if !inserts {
            return false;
        }
        let step = example.weight / self.ball;
        if step != 1.0 {
            for a in row.iter_mut() {
                *a *= T::from_f64(step);
            }
        }
        // Only the squared loss, whose model can diverge, has steps like that.
        if let [a] = row {
            let (step, k_tt, longest) = (a.to_f64(), example.k_tt.to_f64(), LONGEST * T::MAX_SQ_NORM);
            if step * step * k_tt > longest {
                *a = T::from_f64((longest / k_tt).sqrt().copysign(step));
            }
        }
        true
    }

    #[inline(always)]
    fn scale(&self, t: u64) -> f64 {
        self.ball / (self.alpha * t as f64)
    }

    #[inline(always)]
    fn project_to_ball(&mut self, t: u64, norm2: f64) -> f64 {
        let Some(ball) = self.projects else { return 1.0 };
        let length = self.scale(t) * norm2.max(0.0).sqrt();
        let radius = self.radius(ball);
        if length > radius {
            self.ball *= radius / length;
        }
        if self.ball < FOLD { std::mem::replace(&mut self.ball, 1.0) } else { 1.0 }
    }

    fn reads_norm(&self) -> bool {
        self.projects.is_some()
    }

    #[inline(always)]
    fn inv_step_size(&self, _t: u64) -> f64 {
        self.ball
    }
}

impl Persist for Sgd {
    fn save(&self, out: &mut Tensors) {
        out.set("ball", self.ball);
        out.set("largest", self.largest);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        (self.ball, self.largest) = (from.finite("ball")?, from.finite("largest")?);
        if !(self.ball > 0.0 && self.ball <= 1.0) {
            return Err(Error::Model(format!("ball must lie in (0, 1], got {}", self.ball).into()));
        }
        if self.largest < 0.0 {
            return Err(Error::Model(format!("largest must be >= 0, got {}", self.largest).into()));
        }
        Ok(())
    }
}
