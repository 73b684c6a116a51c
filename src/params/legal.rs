//! What parameters may be, in the words of their errors.

/// The legal values of `budget`.
pub(super) const BUDGET: &str = "an integer from 1 to 16777216, or None";
/// The legal values of `alpha`: squares and products of what follows from them fit into single precision.
pub(super) const ALPHA: &str = "a number from 1e-20 to 1e20";
/// The legal values of `gamma`: its product with a distance is a number in single precision.
pub(super) const GAMMA: &str = "\"scale\", \"auto\" or a number from 1e-30 to 1e30";
/// The legal values of `rate`.
pub(super) const RATE: &str = "a number > 0, \"auto\" or None";
/// The legal values of `max_size`.
pub(super) const MAX_SIZE: &str = "an integer from 1 to 16777216, or None";
/// The legal values of `stream_length`.
pub(super) const STREAM_LENGTH: &str = "an integer from 1 to 2^53, or None";
/// The legal values of `average`.
pub(super) const AVERAGE: &str = "False, True, a number from 0.001 to 1, or \"random\"";
/// The legal values of `degree`.
pub(super) const DEGREE: &str = "an integer from 1 to 100";
/// The legal values of `coef0`.
pub(super) const COEF0: &str = "a finite number >= 0";
/// The legal values of `C`.
pub(super) const C: &str = "a number from 1e-20 to 1e15";
/// The legal values of `epsilon`.
pub(super) const EPSILON: &str = "a number from 0 to 1e15";
/// The legal values of `delta`.
pub(super) const DELTA: &str = "a number from 1e-15 to 1e15";
/// The legal values of `quantile`.
pub(super) const QUANTILE: &str = "a number between 0 and 1";
/// The legal values of `grad_tol`.
pub(super) const GRAD_TOL: &str = "a number from 0 to 1";
/// The legal values of `margin`.
pub(super) const MARGIN: &str = "a number from 0 to 1e6, or None";
/// The legal values of `eta`.
pub(super) const ETA: &str = "a number from 0 to 1e15";
/// The legal values of `eta0`.
pub(super) const ETA0: &str = "a number from 1e-10 to 1000";
/// The legal values of `clip`.
pub(super) const CLIP: &str = "a number from 1 to 1e6";
/// The legal values of `n_neighbors`.
pub(super) const N_NEIGHBORS: &str = "an integer from 1 to 64, or None";
