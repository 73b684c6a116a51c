//! Parameters: [`Spec`] holds them, [`Spec::check`] is the only validation, and later stages do not check again.

mod check;
mod checked;
mod entries;
mod maintenance;
mod maintenance_entry;
mod named;
mod registry;
mod spec;
mod table;
#[cfg(test)]
mod tests;
mod types;

pub use crate::kernel::{Gamma, KernelName, KernelParameters};
pub use crate::losses::{Loss, LossParameters, Rule};
pub use crate::parameter::Value;
pub use checked::CheckedSpec;
pub use maintenance::Maintenance;
pub use maintenance_entry::MaintenanceEntry;
pub(crate) use maintenance_entry::StrategyState;
pub use registry::{ALGORITHMS, Algorithm};
pub use spec::Spec;
pub use table::{Parameter, table};
pub use types::{Average, ClassWeight, Forget, MetricLearning, Missing, MissingValues, Rate, Scaling};
