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
pub(crate) use progressive_error::observe_error;
pub(crate) use recent_rows::RecentRows;
pub use thresholds::COVERAGES;
pub(crate) use thresholds::Thresholds;
