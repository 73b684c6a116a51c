//! The step sizes of a metric.

/// The learning rate decays with the number of steps as `1/sqrt(1 + steps/DECAY_STEPS)`.
const DECAY_STEPS: f64 = 2000.0;

/// The factor of the learning rate at step number `steps`.
pub(super) fn rate_decay(steps: u64) -> f64 {
    1.0 / (1.0 + steps as f64 / DECAY_STEPS).sqrt()
}
