//! The columns of the table of strategies.

use crate::losses::{Rule, Trigger};

/// The table entry of a strategy.
#[expect(clippy::struct_excessive_bools, reason = "each is a column of a table")]
#[derive(Debug, Clone, Copy)]
pub struct MaintenanceEntry {
    /// The name that parameters and model files use.
    pub name: &'static str,
    /// A description for the documentation.
    pub summary: &'static str,
    /// The only update rule that the strategy can be combined with; `None` if it works with every rule.
    pub rule: Option<Rule>,
    /// True if the kernel must be positive semi-definite, because the strategy measures norms in feature space.
    pub needs_psd_kernel: bool,
    /// True if maintenance is one removal that can run at any time, so that a rate can let the model grow.
    pub supports_rate: bool,
    /// True if the strategy works without a budget.
    pub may_be_unbounded: bool,
    /// True if the strategy merges support vectors, which only some kernels allow.
    pub merges: bool,
    /// True if the strategy chooses at random, so that models with different seeds differ.
    pub draws_at_random: bool,
    /// True if the contribution of a removed support vector, or of a rejected one, is lost.
    pub discards: bool,
    /// True if the strategy computes leave-one-out margins, which need class labels.
    pub needs_margins: bool,
    /// True if `metric_learning` and `linear_weight` are allowed: the strategy keeps no kernel values, which metric
    /// learning would make invalid, and does not compute the coefficients of the step itself.
    pub allows_metric_and_linear: bool,
    /// Default number of neighbours (`None`: the strategy uses none).
    pub default_neighbors: Option<usize>,
    /// The names of the parameters of the strategy.
    pub parameters: &'static [&'static str],
    /// The trigger that the strategy sets for the Perceptron (`None`: the parameter `margin` does).
    pub(crate) perceptron_trigger: Option<Trigger>,
    /// The state that the strategy keeps, for the memory estimate.
    pub(crate) state: StrategyState,
}

/// The state that a strategy keeps between examples, apart from the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StrategyState {
    /// Nothing that grows with the budget.
    None,
    /// A Gram factor of the support vectors.
    Gram,
    /// The nearest neighbours and, for several of them, the kernel values of all pairs.
    Neighbours,
    /// The kernel values of all pairs.
    KernelMatrix,
    /// The buffers of the search for a partner to merge with.
    MergeSearch,
    /// A list of the support vectors most correlated with another one.
    Shortlist,
}

/// The common columns of strategies that remove one support vector and work with every rule.
pub(super) const REMOVAL: MaintenanceEntry = MaintenanceEntry {
    name: "",
    summary: "",
    rule: None,
    needs_psd_kernel: true,
    supports_rate: true,
    may_be_unbounded: false,
    merges: false,
    draws_at_random: false,
    discards: true,
    needs_margins: false,
    allows_metric_and_linear: true,
    default_neighbors: None,
    parameters: &[],
    perceptron_trigger: None,
    state: StrategyState::None,
};

/// The common columns of strategies that project or merge one support vector.
pub(super) const PROJECTION: MaintenanceEntry = MaintenanceEntry { discards: false, ..REMOVAL };

/// The common columns of strategies that project onto all support vectors, with a Gram factor.
pub(super) const GRAM_PROJECTION: MaintenanceEntry =
    MaintenanceEntry { allows_metric_and_linear: false, state: StrategyState::Gram, ..PROJECTION };

/// The common columns of strategies that merge support vectors.
pub(super) const MERGING: MaintenanceEntry =
    MaintenanceEntry { merges: true, state: StrategyState::MergeSearch, ..PROJECTION };

/// The common columns of strategies that compute leave-one-out margins.
pub(super) const MARGIN: MaintenanceEntry = MaintenanceEntry {
    supports_rate: false,
    needs_margins: true,
    allows_metric_and_linear: false,
    state: StrategyState::KernelMatrix,
    ..REMOVAL
};

/// The common columns of strategies that work with one rule only.
pub(super) const ONE_RULE: MaintenanceEntry =
    MaintenanceEntry { supports_rate: false, allows_metric_and_linear: false, ..PROJECTION };
