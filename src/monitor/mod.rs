//! Monitoring of each row before and after it is learned: progressive error, drift, calibration, and model averaging.

mod adwin;
mod all_monitors;
mod averaging;
mod baselines;
mod calibration;
mod correction;
mod counts;
mod drift;
mod online;
mod prediction_sets;
mod probabilities;
mod progressive_error;
mod recent_rows;
mod thresholds;

use adwin::Adwin;
pub(crate) use all_monitors::AllMonitors;
pub(crate) use averaging::Averaging;
pub use baselines::Baselines;
pub(crate) use calibration::Calibration;
pub(crate) use correction::Correction;
pub use counts::Counts;
use drift::DriftDetector;
pub(crate) use online::OnlineMonitor;
pub(crate) use prediction_sets::PredictionSets;
use probabilities::Probabilities;
pub(crate) use progressive_error::ProgressiveError;
pub(crate) use recent_rows::RecentRows;
pub use thresholds::COVERAGES;
pub(crate) use thresholds::Thresholds;

use crate::batch::Example;
use crate::expansion::{KernelExpansion, OnEdit, Scored};
use crate::float::Real;
use crate::rng::Rng;
use crate::rules::AnyRule;

/// Observes each row before and after it is learned. The plain loop compiles with [`ProgressiveError`].
pub(crate) trait Monitor<T: Real> {
    /// Starts a row: suffix averaging and sampling include the model before the row. The example gets the effective
    /// number of rows before it.
    fn begin_row(&mut self, example: &mut Example, expansion: &mut KernelExpansion<T>, rng: &mut Rng);

    /// Counts a scored row and its prediction error, and updates calibration and drift detection, before the row is
    /// learned. An abrupt drift restarts the means, and may set all coefficients to zero.
    /// Regression with a linear term starts from its first target. The example gets the effective number of rows, and
    /// whether a drift is in progress.
    fn observe(
        &mut self,
        scored: &mut Scored<'_, T>,
        expansion: &mut KernelExpansion<T>,
        rule: &mut AnyRule,
        derived_state: &mut impl OnEdit<T>,
        counts: &mut Counts,
    );

    /// Ends row `t`, whether the row changed the model or not: windows of suffix averaging and sampling may start, and
    /// polynomial-decay averaging includes the model after the row.
    fn end_row(&mut self, t: u64, expansion: &mut KernelExpansion<T>);
}
