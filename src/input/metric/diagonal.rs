//! The scales of the features: the logarithms of the squared diagonal of A follow the gradient.

use super::{fall, share};
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::persist::Tensors;

/// The rate of each scale, and that of all together.
const RATES: [f64; 2] = [0.003, 0.005];

/// How strongly a logarithm is drawn back to 0.
const DECAY: f64 = 0.05;

/// The longest step of a logarithm.
const LONGEST: f64 = 0.2;

/// The largest size of a logarithm: scales from 1/31 to 31.
const LARGEST: f64 = 6.9;

/// Steps that are made together at least.
const EVERY: u64 = 16;

/// `log W`, W the squares of the scales; the gradient of a margin with respect to `log W_i` is
/// `G_i = -sum_j w_j (z_i - s_ji)^2`. Each is divided by its running root mean square, so that its size, and a starting
/// gamma, do not matter; and so is their sum, by which all scales move together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scales {
    logs: Vec<f64>,
    /// Steps to be taken with the next ones.
    pending: Vec<f64>,
    waiting: u64,
    steps: u64,
    /// The running means of `mean_i G_i^2` and of `(sum_i G_i)^2`.
    squares: [f64; 2],
}

impl Scales {
    pub(super) fn new(features: usize) -> Self {
        Self {
            logs: vec![0.0; features],
            pending: vec![0.0; features],
            waiting: 0,
            steps: 0,
            squares: [0.0; 2],
        }
    }

    /// Takes a step along `G = -squares`, to be made with the next ones.
    pub(super) fn learn<T: Real>(&mut self, squares: &[T]) {
        let (mut total, mut square) = (0.0, 0.0);
        for g in squares.iter().map(|square| -square.to_f64()) {
            total += g;
            square += g * g;
        }
        let share = share(self.steps);
        let now = [square / squares.len() as f64, total * total];
        for (mean, now) in self.squares.iter_mut().zip(now) {
            *mean += (now - *mean) * share;
        }
        saturating_inc(&mut self.steps);
        let [each, all] = RATES.map(|rate| rate * fall(self.steps));
        let [per_feature, of_all] = self.squares.map(|square| (square + 1e-20).sqrt());
        let (rate, together) = (each / per_feature, all * total / of_all);
        for ((pending, log), square) in self.pending.iter_mut().zip(&self.logs).zip(squares) {
            let step = together - rate * square.to_f64();
            *pending += step.clamp(-LONGEST, LONGEST) - DECAY * each * log;
        }
        saturating_inc(&mut self.waiting);
    }

    /// Makes the steps that wait, once they are enough. Whether the scales move; then `factors` has what they are
    /// multiplied with.
    pub(super) fn make_steps<T: Real>(&mut self, factors: &mut Vec<T>) -> bool {
        if self.waiting < EVERY {
            return false;
        }
        self.waiting = 0;
        factors.clear();
        for (log, pending) in self.logs.iter_mut().zip(&mut self.pending) {
            let new = (*log + *pending).clamp(-LARGEST, LARGEST);
            factors.push(T::from_f64((0.5 * (new - *log)).exp()));
            (*log, *pending) = (new, 0.0);
        }
        true
    }

    pub(super) fn widen(&mut self, features: usize) {
        self.logs.resize(features, 0.0);
        self.pending.resize(features, 0.0);
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        out.set("steps", self.steps);
        out.set("waiting", self.waiting);
        for (name, numbers) in [("logs", &self.logs), ("pending", &self.pending)] {
            out.put(name, &[numbers.len()], numbers.iter().copied());
        }
        out.set("square", self.squares[0]);
        out.set("square_of_all", self.squares[1]);
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        let features = self.logs.len();
        (self.steps, self.waiting) = (from.count("steps")?, from.count("waiting")?);
        self.logs = from.get("logs", &[features])?;
        self.pending = from.get("pending", &[features])?;
        self.squares = [from.finite("square")?, from.finite("square_of_all")?];
        let legal = self.logs.iter().all(|log| log.abs() <= LARGEST)
            && self.pending.iter().all(|step| step.is_finite())
            && self.squares.iter().all(|square| *square >= 0.0);
        if legal { Ok(()) } else { Err(Error::Model("the scales of a metric must be those of a run".into())) }
    }
}
