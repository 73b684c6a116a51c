//! Parameters: [`Spec`] holds them, [`Spec::check`] is the only validation, and later stages do not check again.

mod average;
mod check;
mod checked;
mod class_weight;
mod entries;
mod forget;
mod maintenance;
mod maintenance_entry;
mod metric_learning;
mod missing;
mod named;
mod rate;
mod registry;
mod scaling;
mod spec;
mod table;
#[cfg(test)]
mod tests;

pub use crate::kernel::{Gamma, KernelName, KernelParameters};
pub use crate::losses::{Loss, LossParameters, Rule};
pub use crate::parameter::Value;
pub use average::Average;
pub use checked::CheckedSpec;
pub use class_weight::ClassWeight;
pub use forget::Forget;
pub use maintenance::Maintenance;
pub use maintenance_entry::MaintenanceEntry;
pub(crate) use maintenance_entry::StrategyState;
pub use metric_learning::MetricLearning;
pub use missing::{Missing, MissingValues};
pub use rate::Rate;
pub use registry::{ALGORITHMS, Algorithm};
pub use scaling::Scaling;
pub use spec::Spec;
pub use table::{Parameter, table};
