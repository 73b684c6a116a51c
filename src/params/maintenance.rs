//! The table of budget maintenance strategies. Everything else asks its columns ([`MaintenanceEntry`]).

use super::maintenance_entry::{
    GRAM_PROJECTION, MARGIN, MERGING, MaintenanceEntry, ONE_RULE, PROJECTION, REMOVAL, StrategyState,
};
use crate::error::Result;
use crate::losses::{Rule, Trigger};
use crate::parameter::Named;

/// Defines the enum of strategies and its table: for each strategy its documentation, variant, name, summary, and the
/// columns that differ from the usual ones.
macro_rules! strategies {
    ($($(#[$attribute:meta])* $variant:ident = $name:literal, $summary:literal, { $($columns:tt)* };)+) => {
        /// A strategy of budget maintenance: what happens when the model is over budget.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum Maintenance {
            $($(#[$attribute])* $variant,)+
        }

        impl Maintenance {
            /// Every strategy.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The table entry.
            #[must_use]
            pub const fn entry(self) -> MaintenanceEntry {
                match self {
                    $(Self::$variant => MaintenanceEntry { name: $name, summary: $summary, $($columns)* },)+
                }
            }
        }
    };
}

strategies! {
    /// No maintenance: the model is unbounded.
    None = "none", "the model grows without limit",
    { needs_psd_kernel: false, supports_rate: false, may_be_unbounded: true, discards: false, ..REMOVAL };

    /// No further updates once the budget is full.
    Stop = "stop", "training stops when the model is full",
    { needs_psd_kernel: false, supports_rate: false, ..REMOVAL };

    /// Removal of a random support vector, never the new one.
    Random = "random", "a random support vector is removed, never the newest",
    { needs_psd_kernel: false, draws_at_random: true, ..REMOVAL };

    /// Removal of the oldest support vector.
    Oldest = "oldest", "the oldest support vector is removed",
    { needs_psd_kernel: false, ..REMOVAL };

    /// Removal of the support vector with the smallest weighted norm.
    Smallest = "smallest",
    "the smallest support vector is removed: the one with the smallest ``|c|^2 k(x, x)``, where c are the \
     coefficients of the support vector x",
    { ..REMOVAL };

    /// Projection of the smallest support vector onto all others.
    Project = "project", "the smallest support vector is projected onto all others",
    { ..GRAM_PROJECTION };

    /// Projection onto all others of the support vector whose removal costs least.
    ProjectBest = "project-best",
    "the support vector whose projection changes the model least is projected onto all others",
    { ..GRAM_PROJECTION };

    /// Projection of the smallest support vector onto those most correlated with it.
    ProjectNn = "project-nn",
    "the smallest support vector is projected onto the `n_neighbors` support vectors most correlated with it",
    {
        default_neighbors: Some(4),
        parameters: &["n_neighbors"],
        state: StrategyState::Shortlist,
        ..PROJECTION
    };

    /// Merging of the smallest support vector with its best partner.
    #[default]
    Merge = "merge",
    "the smallest support vector is merged with its best partner, the one whose merging changes the model least \
     (kernels rbf, rational-quadratic)",
    { ..MERGING };

    /// Merging of the new support vector with its best partner.
    MergeNewest = "merge-newest",
    "the newest support vector is merged with its best partner, the one whose merging changes the model least \
     (kernels rbf, rational-quadratic)",
    { supports_rate: false, ..MERGING };

    /// Projection of an old support vector onto the new one (BPA-S).
    Simple = "simple",
    "a support vector is projected onto the newest one and removed: of all except the newest, the one whose projection \
     changes the model least (BPA-S)",
    { rule: Some(Rule::PassiveAggressive), parameters: &["may_discard_new"], ..ONE_RULE };

    /// Projection of an old support vector onto the new one and its nearest neighbours (BPA-NN).
    Nn = "nn",
    "as ``\"simple\"``, but projected onto its nearest neighbours and the newest; the newest is removed instead if \
     this gives a lower objective: half the squared change of the model plus C times the loss of the row (BPA-NN)",
    {
        rule: Some(Rule::PassiveAggressive),
        default_neighbors: Some(1),
        parameters: &["n_neighbors"],
        state: StrategyState::Neighbours,
        ..ONE_RULE
    };

    /// Projection of an old support vector onto all others (BPA-P).
    Joint = "joint", "as ``\"nn\"``, but projected onto all other support vectors (BPA-P)",
    { rule: Some(Rule::PassiveAggressive), state: StrategyState::Gram, ..ONE_RULE };

    /// Removal of the support vector with the largest leave-one-out margin: a cache of fixed size.
    Margin = "margin",
    "the support vector with the largest leave-one-out margin (its margin in the model without it) is removed, never the \
     newest",
    { ..MARGIN };

    /// Removal of every support vector with a large leave-one-out margin: a cache of variable size.
    Distill = "distill",
    "at any size of the model, after each new support vector all others whose leave-one-out margin is at least \
     `margin` are removed (not knowledge distillation); if the model still exceeds the budget, the one with the \
     largest leave-one-out margin is removed too, never the newest",
    { may_be_unbounded: true, parameters: &["margin"], ..MARGIN };

    /// Shrinking of all coefficients and removal of the oldest support vector.
    Forgetron = "forgetron", "all coefficients shrink and the oldest support vector is removed",
    { rule: Some(Rule::Perceptron), discards: true, perceptron_trigger: Some(Trigger::UpTo(0.0)), ..ONE_RULE };

    /// Projection of mistakes near the span of the support vectors or, over budget, of any mistake.
    Projectron = "projectron",
    "a row that updates the model is projected onto the support vectors instead of becoming one, if its distance to \
     their span is at most `eta` or the model is full",
    {
        rule: Some(Rule::Perceptron),
        may_be_unbounded: true,
        parameters: &["eta"],
        perceptron_trigger: Some(Trigger::UpTo(0.0)),
        state: StrategyState::Gram,
        ..ONE_RULE
    };

    /// The Projectron, with steps within the span on correct predictions with a small margin.
    ProjectronPlus = "projectron++",
    "as ``\"projectron\"``, and rows predicted correctly with a margin below 1 are learned too",
    {
        rule: Some(Rule::Perceptron),
        may_be_unbounded: true,
        parameters: &["eta"],
        perceptron_trigger: Some(Trigger::UnderOne),
        state: StrategyState::Gram,
        ..ONE_RULE
    };

    /// Removal of a random support vector and growth of the others.
    Bogd = "bogd",
    "a random support vector is removed, never the newest, and the coefficients of all others except the newest grow \
     (BOGD)",
    { rule: Some(Rule::Ogd), draws_at_random: true, discards: true, parameters: &["max_coef"], ..ONE_RULE };
}

impl Maintenance {
    /// The name that parameters and model files use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The strategy named `name`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self> {
        Self::find_for("maintenance", name)
    }

    /// Whether the strategy has a parameter of that name.
    #[must_use]
    pub fn has(self, parameter: &str) -> bool {
        self.entry().parameters.contains(&parameter)
    }
}

impl Named for Maintenance {
    const EVERY: &'static [Self] = &Self::ALL;
    fn name_of(self) -> &'static str {
        self.name()
    }
}
