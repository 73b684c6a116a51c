//! Scales of the features: the logarithms of the squared diagonal of A follow the gradient.

use super::schedule::rate_decay;
use crate::constants::{FEW_ROWS, running_weight};
use crate::count::saturating_inc;
use crate::error::{Result, check_model};
use crate::float::Real;
use crate::persist::Tensors;

/// The learning rate of each scale, and the learning rate of the common factor of all scales.
const RATES: [f64; 2] = [0.003, 0.005];

/// The largest absolute value of a logarithm: scales from 1/31 to 31.
const MAX_LOG: f64 = 6.9;

/// `log W`, where W are the squared scales. The gradient of a margin with respect to `log W_i` is
/// `G_i = -sum_j w_j (z_i - s_ji)^2`. The steps of the scales and of their common factor are divided by running root
/// mean squares of the gradient and of its sum, so that they do not depend on the size of the gradient or on gamma.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scales {
    logs: Vec<f64>,
    /// The sum of the steps that are not applied yet.
    pending: Vec<f64>,
    /// The number of steps in `pending`.
    n_pending: u64,
    steps: u64,
    /// The running mean of `mean_i G_i^2`.
    mean_square: f64,
    /// The running mean of `(sum_i G_i)^2`.
    mean_squared_sum: f64,
}

/// The logarithm of a scale after a step.
fn moved(log: f64, step: f64) -> f64 {
    (log + step).clamp(-MAX_LOG, MAX_LOG)
}

impl Scales {
    pub(super) fn new(features: usize) -> Self {
        Self {
            logs: vec![0.0; features],
            pending: vec![0.0; features],
            n_pending: 0,
            steps: 0,
            mean_square: 0.0,
            mean_squared_sum: 0.0,
        }
    }

    /// Adds a step along `G = -squares` to the pending steps.
    pub(super) fn learn<T: Real>(&mut self, squares: &[T]) {
        let (mut total, mut square) = (0.0, 0.0);
        for g in squares.iter().map(|square| -square.to_f64()) {
            total += g;
            square += g * g;
        }
        let weight = running_weight(self.steps + 1);
        self.mean_square += (square / squares.len() as f64 - self.mean_square) * weight;
        self.mean_squared_sum += (total * total - self.mean_squared_sum) * weight;
        saturating_inc(&mut self.steps);
        let [feature_rate, common_rate] = RATES.map(|rate| rate * rate_decay(self.steps));
        let [feature_rms, total_rms] =
            [self.mean_square, self.mean_squared_sum].map(|square| (square + 1e-20).sqrt());
        let (rate, common_step) = (feature_rate / feature_rms, common_rate * total / total_rms);
        for (pending, square) in self.pending.iter_mut().zip(squares) {
            *pending += common_step - rate * square.to_f64();
        }
        saturating_inc(&mut self.n_pending);
    }

    /// Writes the factor of each scale that the pending steps make into `factors`, once there are enough steps. Returns
    /// whether there are.
    pub(super) fn factors<T: Real>(&self, factors: &mut Vec<T>) -> bool {
        factors.clear();
        if self.n_pending >= FEW_ROWS {
            let steps = self.logs.iter().zip(&self.pending);
            factors.extend(steps.map(|(log, step)| T::from_f64((0.5 * (moved(*log, *step) - log)).exp())));
        }
        self.n_pending >= FEW_ROWS
    }

    /// Ends the pending steps, which were applied or rejected.
    pub(super) fn end_steps(&mut self, applied: bool) {
        self.n_pending = 0;
        for (log, pending) in self.logs.iter_mut().zip(&mut self.pending) {
            if applied {
                *log = moved(*log, *pending);
            }
            *pending = 0.0;
        }
    }

    pub(super) fn add_features(&mut self, features: usize) {
        self.logs.resize(features, 0.0);
        self.pending.resize(features, 0.0);
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        out.set("steps", self.steps);
        out.set("n_pending", self.n_pending);
        for (name, numbers) in [("logs", &self.logs), ("pending", &self.pending)] {
            out.put(name, &[numbers.len()], numbers.iter().copied());
        }
        out.set("mean_square", self.mean_square);
        out.set("mean_squared_sum", self.mean_squared_sum);
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        let features = self.logs.len();
        (self.steps, self.n_pending) = (from.count("steps")?, from.count("n_pending")?);
        self.logs = from.get("logs", &[features])?;
        self.pending = from.get("pending", &[features])?;
        self.mean_square = from.finite("mean_square")?;
        self.mean_squared_sum = from.finite("mean_squared_sum")?;
        let is_valid = self.logs.iter().all(|log| log.abs() <= MAX_LOG)
            && self.pending.iter().all(|step| step.is_finite())
            && self.mean_square >= 0.0
            && self.mean_squared_sum >= 0.0;
        check_model(is_valid, "the scales of the metric are invalid")
    }
}
