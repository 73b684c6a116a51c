//! The table of budget maintenance strategies.

use crate::error::Result;
use crate::losses::Rule;
use crate::parameter::Named;

/// A strategy of budget maintenance: what happens when the model is over budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Maintenance {
    /// No maintenance: the model is unbounded.
    None,
    /// No further updates once the budget is full.
    Stop,
    /// Removal of a random support vector, never the new one.
    Random,
    /// Removal of the oldest support vector.
    Oldest,
    /// Removal of the support vector with the smallest weighted norm.
    Smallest,
    /// Projection of the smallest support vector onto all others.
    Project,
    /// Projection onto all others of the support vector whose removal costs least.
    ProjectBest,
    /// Projection of the smallest support vector onto those most correlated with it.
    ProjectNn,
    /// Merging of the smallest support vector with its best partner.
    #[default]
    Merge,
    /// Merging of the new support vector with its best partner.
    MergeNewest,
    /// Projection of an old support vector onto the new one (BPA-S).
    Simple,
    /// Projection of an old support vector onto the new one and its nearest neighbours (BPA-NN).
    Nn,
    /// Projection of an old support vector onto all others (BPA-P).
    Joint,
    /// Removal of the support vector with the largest leave-one-out margin: a cache of fixed size.
    Margin,
    /// Removal of every support vector with a large leave-one-out margin: a cache of variable size.
    Distill,
    /// Shrinking of all coefficients and removal of the oldest support vector.
    Forgetron,
    /// Projection of mistakes near the span of the support vectors or, over budget, of any mistake.
    Projectron,
    /// The Projectron, with steps within the span on correct predictions with a small margin.
    ProjectronPlus,
    /// Removal of a random support vector and growth of the others.
    Bogd,
}

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
    /// True if the strategy caches no kernel values and does not change the step; only then are `metric` and `linear`
    /// allowed.
    pub allows_metric_and_linear: bool,
    /// Default number of neighbours (`None`: the strategy uses none).
    pub default_neighbors: Option<usize>,
    /// The names of the parameters of the strategy.
    pub parameters: &'static [&'static str],
}

/// The common columns of strategies that remove one support vector and work with every rule.
const REMOVAL: MaintenanceEntry = MaintenanceEntry {
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
};

/// The common columns of strategies that project or merge one support vector.
const PROJECTION: MaintenanceEntry = MaintenanceEntry { discards: false, ..REMOVAL };

/// The common columns of strategies that compute leave-one-out margins.
const MARGIN: MaintenanceEntry = MaintenanceEntry {
    supports_rate: false,
    needs_margins: true,
    allows_metric_and_linear: false,
    ..REMOVAL
};

/// The common columns of strategies that work with one rule only.
const fn of(rule: Rule, name: &'static str, summary: &'static str) -> MaintenanceEntry {
    MaintenanceEntry {
        name,
        summary,
        rule: Some(rule),
        supports_rate: false,
        allows_metric_and_linear: false,
        ..PROJECTION
    }
}

impl Maintenance {
    /// Every strategy.
    pub const ALL: [Self; 19] = [
        Self::None,
        Self::Stop,
        Self::Random,
        Self::Oldest,
        Self::Smallest,
        Self::Project,
        Self::ProjectBest,
        Self::ProjectNn,
        Self::Merge,
        Self::MergeNewest,
        Self::Simple,
        Self::Nn,
        Self::Joint,
        Self::Margin,
        Self::Distill,
        Self::Forgetron,
        Self::Projectron,
        Self::ProjectronPlus,
        Self::Bogd,
    ];

    /// The table entry.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "one table")]
    pub const fn entry(self) -> MaintenanceEntry {
        match self {
            Self::None => MaintenanceEntry {
                name: "none",
                summary: "nothing is removed",
                needs_psd_kernel: false,
                supports_rate: false,
                may_be_unbounded: true,
                discards: false,
                ..REMOVAL
            },
            Self::Stop => MaintenanceEntry {
                name: "stop",
                summary: "learning stops",
                needs_psd_kernel: false,
                supports_rate: false,
                ..REMOVAL
            },
            Self::Random => MaintenanceEntry {
                name: "random",
                summary: "a random one is removed",
                needs_psd_kernel: false,
                draws_at_random: true,
                ..REMOVAL
            },
            Self::Oldest => MaintenanceEntry {
                name: "oldest",
                summary: "the oldest is removed",
                needs_psd_kernel: false,
                ..REMOVAL
            },
            Self::Smallest => {
                MaintenanceEntry { name: "smallest", summary: "the smallest is removed", ..REMOVAL }
            }
            Self::Project => MaintenanceEntry {
                name: "project",
                summary: "the smallest is projected on all others",
                allows_metric_and_linear: false,
                ..PROJECTION
            },
            Self::ProjectBest => MaintenanceEntry {
                name: "project-best",
                summary: "the one whose removal costs least is projected on all others",
                allows_metric_and_linear: false,
                ..PROJECTION
            },
            Self::ProjectNn => MaintenanceEntry {
                name: "project-nn",
                summary: "the smallest is projected on those most correlated with it",
                default_neighbors: Some(4),
                parameters: &["n_neighbors"],
                ..PROJECTION
            },
            Self::Merge => MaintenanceEntry {
                name: "merge",
                summary: "the smallest is merged with its best partner (kernels rbf, rational-quadratic)",
                merges: true,
                ..PROJECTION
            },
            Self::MergeNewest => MaintenanceEntry {
                name: "merge-newest",
                summary: "the new support vector is merged with its best partner (kernels rbf, rational-quadratic)",
                supports_rate: false,
                merges: true,
                ..PROJECTION
            },
            Self::Simple => MaintenanceEntry {
                parameters: &["newcomer_may_leave"],
                ..of(
                    Rule::PassiveAggressive,
                    "simple",
                    "one old support vector is projected on the newest and removed (BPA-S)",
                )
            },
            Self::Nn => MaintenanceEntry {
                default_neighbors: Some(1),
                parameters: &["n_neighbors"],
                ..of(
                    Rule::PassiveAggressive,
                    "nn",
                    "as ``\"simple\"``, but on its nearest neighbours and the newest, and the newest is removed instead where \
                     that has the lower objective (BPA-NN)",
                )
            },
            Self::Joint => of(Rule::PassiveAggressive, "joint", "as ``\"nn\"``, on all others (BPA-P)"),
            Self::Margin => MaintenanceEntry {
                name: "margin",
                summary: "the one with the largest leave-one-out margin is removed",
                ..MARGIN
            },
            Self::Distill => MaintenanceEntry {
                name: "distill",
                summary: "every one with a leave-one-out margin of at least `margin` is removed, and over budget the one with the largest",
                may_be_unbounded: true,
                parameters: &["margin"],
                ..MARGIN
            },
            Self::Forgetron => MaintenanceEntry {
                discards: true,
                ..of(Rule::Perceptron, "forgetron", "all shrink and the oldest is removed")
            },
            Self::Projectron => MaintenanceEntry {
                may_be_unbounded: true,
                parameters: &["eta"],
                ..of(
                    Rule::Perceptron,
                    "projectron",
                    "a new example within `eta` of the span of the support vectors, or any once the budget is full, is projected on them",
                )
            },
            Self::ProjectronPlus => MaintenanceEntry {
                may_be_unbounded: true,
                parameters: &["eta"],
                ..of(
                    Rule::Perceptron,
                    "projectron++",
                    "as ``\"projectron\"``, and correct predictions with a margin below 1 are learned too",
                )
            },
            Self::Bogd => MaintenanceEntry {
                draws_at_random: true,
                discards: true,
                parameters: &["clip"],
                ..of(
                    Rule::Ogd,
                    "bogd",
                    "a random one is removed and the others grow (online gradient descent)",
                )
            },
        }
    }

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
