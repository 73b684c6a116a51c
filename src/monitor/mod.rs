//! Monitoring of each row before and after it is learned: progressive error, drift, calibration, and model averaging.

mod adwin;
mod averaging;
mod baselines;
mod calibration;
mod correction;
mod counts;
mod drift;
mod monitoring;
mod online;
mod prediction_sets;
mod probabilities;
mod progressive;
mod recent_rows;
mod thresholds;

use adwin::Adwin;
pub(crate) use averaging::Averaging;
pub use baselines::Baselines;
pub(crate) use calibration::Calibration;
pub(crate) use correction::Correction;
pub use counts::Counts;
use drift::DriftDetector;
pub(crate) use monitoring::Monitoring;
pub(crate) use online::OnlineMonitor;
pub(crate) use prediction_sets::PredictionSets;
use probabilities::Probabilities;
pub(crate) use progressive::Progressive;
pub(crate) use recent_rows::RecentRows;
pub use thresholds::COVERAGES;
pub(crate) use thresholds::Thresholds;

use crate::batch::Label;
use crate::float::Real;
use crate::rng::Rng;
use crate::rules::AnyRule;
use crate::store::{KernelExpansion, OnEdit, Query, RowScores};

/// A row that has been scored and is about to be learned.
#[derive(Clone, Copy)]
pub(crate) struct Observation<'a, T: Real> {
    /// The number of the row, from 1 on.
    pub(crate) t: u64,
    pub(crate) label: Label,
    pub(crate) query: &'a Query<'a, T>,
    /// `k(x, x)`, including the linear kernel if the model has a linear term.
    pub(crate) k_tt: T,
    /// The weight, > 0.
    pub(crate) weight: f64,
    /// Whether the row was learned before, in an earlier pass: its error is no estimate of the error on new rows.
    pub(crate) repeated: bool,
}

/// The result of an observation, for the rule that learns the row.
pub(crate) struct Feedback<T: Real> {
    /// The effective number of rows, including the observed row: t without forgetting, and smaller after drift.
    pub(crate) effective_n: f64,
    /// Whether the last model is better than the mean, as during a drift.
    pub(crate) drifting: bool,
    /// The `k(x, x)` of the observation, unless the start of the linear term has changed it.
    pub(crate) k_tt: T,
}

/// Observes each row before and after it is learned. The plain loop compiles with [`Progressive`].
pub(crate) trait Monitor<T: Real> {
    /// The effective number of rows before row `t`, for the statistics of the input; 0 without an online monitor.
    fn effective_n_before(&self, t: u64) -> f64;

    /// Starts row `t`: suffix averaging and sampling include the model before the row.
    fn begin_row(&mut self, t: u64, model: &mut KernelExpansion<T>, rng: &mut Rng);

    /// Counts a scored row and its prediction error, and updates calibration and drift detection, before the row is
    /// learned. An abrupt drift restarts averages and rule, and may set all coefficients to zero.
    /// Regression with a linear term starts from its first target.
    fn observe(
        &mut self,
        row: Observation<'_, T>,
        scores: &mut RowScores<T>,
        model: &mut KernelExpansion<T>,
        rule: &mut AnyRule,
        derived_state: &mut impl OnEdit<T>,
        counts: &mut Counts,
    ) -> Feedback<T>;

    /// Ends row `t`, whether the row changed the model or not: windows of suffix averaging and sampling may start, and
    /// polynomial-decay averaging includes the model after the row.
    fn end_row(&mut self, t: u64, model: &mut KernelExpansion<T>);
}
