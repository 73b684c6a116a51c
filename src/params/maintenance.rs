//! The strategies of budget maintenance by name.

use crate::error::Result;
use crate::losses::Rule;
use crate::parameter::Named;

/// What is done when the model is over budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Maintenance {
    /// Nothing: the model is unbounded.
    None,
    /// Once full, no further update.
    Stop,
    /// A uniform one of the old support vectors is removed.
    Random,
    /// The oldest support vector is removed.
    Oldest,
    /// The smallest support vector is removed.
    Smallest,
    /// The smallest support vector is projected on all others.
    Project,
    /// The support vector whose removal costs least is projected on all others.
    ProjectBest,
    /// The smallest support vector is projected on those that are most correlated with it.
    ProjectNn,
    /// The smallest support vector is merged with its best partner.
    #[default]
    Merge,
    /// The newcomer is merged with its best partner.
    MergeNewest,
    /// The newcomer takes what it can of the cheapest old support vector (BPA-S).
    Simple,
    /// The newcomer and its nearest neighbours take what they can of the cheapest (BPA-NN).
    Nn,
    /// All others take what they can of the cheapest (BPA-P).
    Joint,
    /// The support vector with the largest leave-one-out margin makes room for the newcomer: a cache of fixed size.
    Margin,
    /// Every support vector with a large leave-one-out margin is removed: a cache of variable size.
    Distill,
    /// All shrink and the oldest is removed.
    Forgetron,
    /// A mistake near the span of the support vectors, or over budget, is projected there.
    Projectron,
    /// So it is, and correct predictions with a small margin move within the span.
    ProjectronPlus,
    /// A uniform one of the old ones is removed and the others grow.
    Bogd,
}

/// What is to be known of a strategy.
#[expect(clippy::struct_excessive_bools, reason = "each is a column of a table")]
struct MaintenanceRow {
    name: &'static str,
    /// What it does, for documents.
    summary: &'static str,
    /// The one rule that it goes with; none where it goes with every one.
    rule: Option<Rule>,
    /// Whether it measures lengths in feature space, which an indefinite kernel does not have.
    definite: bool,
    /// Whether one removal, whenever it comes, is all it does, so that the model can grow at a rate.
    rate: bool,
    /// Whether the model may do without a budget.
    unbounded: bool,
    /// Whether it merges support vectors, which few kernels allow.
    merges: bool,
    /// Of how many neighbours it takes a share by itself, where it asks for neighbours.
    neighbors: Option<usize>,
    /// Whether it asks how sure the model is of a label, which must be one of a class.
    margins: bool,
    /// Whether it keeps nothing that follows from kernel values and takes the newcomer's step as it is, so that the
    /// model may have a linear part and a learned metric.
    free: bool,
}

/// A strategy of every rule that removes one support vector.
const REMOVAL: MaintenanceRow = MaintenanceRow {
    name: "",
    summary: "",
    rule: None,
    definite: true,
    rate: true,
    unbounded: false,
    merges: false,
    neighbors: None,
    margins: false,
    free: true,
};
/// A strategy that needs neither lengths nor a budget of its own.
const PLAIN: MaintenanceRow = MaintenanceRow { definite: false, rate: false, ..REMOVAL };
/// A strategy of one rule.
const fn of(rule: Rule, name: &'static str, summary: &'static str) -> MaintenanceRow {
    MaintenanceRow { name, summary, rule: Some(rule), rate: false, free: false, ..REMOVAL }
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

    const fn row(self) -> MaintenanceRow {
        match self {
            Self::None => {
                MaintenanceRow { name: "none", summary: "nothing is removed", unbounded: true, ..PLAIN }
            }
            Self::Stop => MaintenanceRow { name: "stop", summary: "learning stops", ..PLAIN },
            Self::Random => {
                MaintenanceRow { name: "random", summary: "a random one is removed", rate: true, ..PLAIN }
            }
            Self::Oldest => {
                MaintenanceRow { name: "oldest", summary: "the oldest is removed", rate: true, ..PLAIN }
            }
            Self::Smallest => {
                MaintenanceRow { name: "smallest", summary: "the smallest is removed", ..REMOVAL }
            }
            Self::Project => MaintenanceRow {
                name: "project",
                summary: "the smallest is projected on all others",
                free: false,
                ..REMOVAL
            },
            Self::ProjectBest => MaintenanceRow {
                name: "project-best",
                summary: "the one whose removal costs least is projected on all others",
                free: false,
                ..REMOVAL
            },
            Self::ProjectNn => MaintenanceRow {
                name: "project-nn",
                summary: "the smallest is projected on those most correlated with it",
                neighbors: Some(4),
                ..REMOVAL
            },
            Self::Merge => MaintenanceRow {
                name: "merge",
                summary: "the smallest is merged with its best partner (kernels rbf, rational-quadratic)",
                merges: true,
                ..REMOVAL
            },
            Self::MergeNewest => MaintenanceRow {
                name: "merge-newest",
                summary: "the newcomer is merged with its best partner (kernels rbf, rational-quadratic)",
                rate: false,
                merges: true,
                ..REMOVAL
            },
            Self::Simple => of(
                Rule::PassiveAggressive,
                "simple",
                "one old support vector is projected on the newest and removed (BPA-S)",
            ),
            Self::Nn => MaintenanceRow {
                neighbors: Some(1),
                ..of(
                    Rule::PassiveAggressive,
                    "nn",
                    "as ``\"simple\"``, but on its nearest neighbours and the newest, and the newest is removed instead where \
                     that has the lower objective (BPA-NN)",
                )
            },
            Self::Joint => of(Rule::PassiveAggressive, "joint", "as ``\"nn\"``, on all others (BPA-P)"),
            Self::Margin => MaintenanceRow {
                name: "margin",
                summary: "the one with the largest leave-one-out margin is removed",
                rate: false,
                margins: true,
                free: false,
                ..REMOVAL
            },
            Self::Distill => MaintenanceRow {
                name: "distill",
                summary: "every one with a leave-one-out margin of at least `margin` is removed, and over budget the one with the largest",
                rate: false,
                margins: true,
                free: false,
                unbounded: true,
                ..REMOVAL
            },
            Self::Forgetron => of(Rule::Perceptron, "forgetron", "all shrink and the oldest is removed"),
            Self::Projectron => MaintenanceRow {
                unbounded: true,
                ..of(
                    Rule::Perceptron,
                    "projectron",
                    "a new example within `eta` of the span of the support vectors, or any once the budget is full, is projected on them",
                )
            },
            Self::ProjectronPlus => MaintenanceRow {
                unbounded: true,
                ..of(
                    Rule::Perceptron,
                    "projectron++",
                    "as ``\"projectron\"``, and correct predictions with a margin below 1 are learned too",
                )
            },
            Self::Bogd => {
                of(Rule::Ogd, "bogd", "a random one is removed and the others grow (online gradient descent)")
            }
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What it does, in words.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.row().summary
    }

    /// The strategy of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        Self::find_for("maintenance", name)
    }

    /// The only update rule that the strategy can be combined with; `None` if it works with every rule.
    #[must_use]
    pub fn rule(self) -> Option<Rule> {
        self.row().rule
    }

    /// Whether it measures lengths in feature space, which an indefinite kernel does not have.
    pub(crate) fn needs_definite(self) -> bool {
        self.row().definite
    }

    /// Whether it merges support vectors, which few kernels allow.
    pub(crate) fn merges(self) -> bool {
        self.row().merges
    }

    /// Whether it can let the model grow at a rate.
    pub(crate) fn takes_rate(self) -> bool {
        self.row().rate
    }

    /// Of how many neighbours it takes a share by itself, where it asks for neighbours.
    pub(crate) fn neighbors(self) -> Option<usize> {
        self.row().neighbors
    }

    /// Whether it asks how sure the model is of a label, which must be one of a class.
    pub(crate) fn asks_margins(self) -> bool {
        self.row().margins
    }

    /// Whether the model may do without a budget.
    #[must_use]
    pub fn may_be_unbounded(self) -> bool {
        self.row().unbounded
    }

    /// Whether it goes with a linear part and a learned metric.
    pub(crate) fn is_free(self) -> bool {
        self.row().free
    }

    /// Whether it projects newcomers that lie near the span of the support vectors.
    pub(crate) fn projects_newcomers(self) -> bool {
        match self {
            Self::Projectron | Self::ProjectronPlus => true,
            Self::None
            | Self::Stop
            | Self::Random
            | Self::Oldest
            | Self::Smallest
            | Self::Project
            | Self::ProjectBest
            | Self::ProjectNn
            | Self::Merge
            | Self::MergeNewest
            | Self::Simple
            | Self::Nn
            | Self::Joint
            | Self::Margin
            | Self::Distill
            | Self::Forgetron
            | Self::Bogd => false,
        }
    }
}

impl Named for Maintenance {
    const EVERY: &'static [Self] = &Self::ALL;
    fn name_of(self) -> &'static str {
        self.name()
    }
}
