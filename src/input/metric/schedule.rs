//! The step sizes of a metric.

/// The learning rate decays with the number of steps as `1/sqrt(1 + steps/DECAY_STEPS)`.
const DECAY_STEPS: f64 = 2000.0;

/// The minimum number of steps that are applied together.
pub(super) const MIN_STEPS: u64 = 32;

/// The smallest weight of a step in the running mean squares of the gradient.
const MIN_STEP_WEIGHT: f64 = 0.001;

/// The weight of step `steps + 1` in a running mean.
pub(super) fn step_weight(steps: u64) -> f64 {
    (1.0 / (steps + 1) as f64).max(MIN_STEP_WEIGHT)
}

/// The factor of the learning rate at step number `steps`.
pub(super) fn rate_decay(steps: u64) -> f64 {
    1.0 / (1.0 + steps as f64 / DECAY_STEPS).sqrt()
}
