//! Named algorithms. Estimators, the command line, benchmarks, documentation and tests all read this list.

use super::entries::defaults;
use super::{
    Average, Forget, Gamma, KernelName, KernelParameters, Loss, Maintenance, MetricLearning, Missing, Rule,
    Scaling, Spec,
};

/// A named algorithm: an update rule with a loss and a budget maintenance strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Algorithm {
    /// The name, from the literature if it has one.
    pub name: &'static str,
    /// A short description.
    pub summary: &'static str,
    /// The publications that define the algorithm.
    pub source: &'static str,
    /// The update rule.
    pub rule: Rule,
    /// The loss.
    pub loss: Loss,
    /// The budget maintenance strategy.
    pub maintenance: Maintenance,
    /// Whether `rate` must be specified, because it has no default.
    pub requires_rate: bool,
}

const fn sgd(
    name: &'static str,
    maintenance: Maintenance,
    summary: &'static str,
    source: &'static str,
) -> Algorithm {
    Algorithm { name, summary, source, rule: Rule::Sgd, loss: Loss::Hinge, maintenance, requires_rate: false }
}

/// NBSGD (Le et al. 2016): the model grows with the stream.
const fn growing(
    name: &'static str,
    maintenance: Maintenance,
    summary: &'static str,
    source: &'static str,
) -> Algorithm {
    Algorithm { requires_rate: true, ..sgd(name, maintenance, summary, source) }
}

const fn pa(
    name: &'static str,
    loss: Loss,
    maintenance: Maintenance,
    summary: &'static str,
    source: &'static str,
) -> Algorithm {
    Algorithm {
        name,
        summary,
        source,
        rule: Rule::PassiveAggressive,
        loss,
        maintenance,
        requires_rate: false,
    }
}

const fn perceptron(
    name: &'static str,
    maintenance: Maintenance,
    summary: &'static str,
    source: &'static str,
) -> Algorithm {
    Algorithm {
        name,
        summary,
        source,
        rule: Rule::Perceptron,
        loss: Loss::Hinge,
        maintenance,
        requires_rate: false,
    }
}

const fn mira(
    name: &'static str,
    maintenance: Maintenance,
    summary: &'static str,
    source: &'static str,
) -> Algorithm {
    Algorithm {
        name,
        summary,
        source,
        rule: Rule::Mira,
        loss: Loss::Hinge,
        maintenance,
        requires_rate: false,
    }
}

/// All algorithms.
pub const ALGORITHMS: &[Algorithm] = &[
    perceptron(
        "perceptron",
        Maintenance::None,
        "The kernel Perceptron, unbounded",
        "Rosenblatt 1958; Freund and Schapire 1999; as in Dekel et al. 2008",
    ),
    perceptron(
        "stoptron",
        Maintenance::Stop,
        "Perceptron that stops when it is full",
        "Orabona, Keshet and Caputo 2009",
    ),
    perceptron(
        "rbp",
        Maintenance::Random,
        "Perceptron, a random support vector removed",
        "Cavallanti, Cesa-Bianchi and Gentile 2007",
    ),
    perceptron(
        "forgetron",
        Maintenance::Forgetron,
        "Perceptron, all coefficients shrunk and the oldest support vector removed, self-tuned",
        "Dekel, Shalev-Shwartz and Singer 2008",
    ),
    perceptron(
        "projectron",
        Maintenance::Projectron,
        "Perceptron, mistakes near the span of the support vectors, and over budget all mistakes, projected",
        "Orabona, Keshet and Caputo 2009",
    ),
    perceptron(
        "projectron++",
        Maintenance::ProjectronPlus,
        "Projectron that also updates on small margins",
        "Orabona, Keshet and Caputo 2009",
    ),
    perceptron(
        "budget-perceptron",
        Maintenance::Margin,
        "Aggressive Perceptron, fixed size, the largest leave-one-out margin removed",
        "Crammer, Kandola and Singer 2003",
    ),
    perceptron(
        "budget-perceptron-distill",
        Maintenance::Distill,
        "Aggressive Perceptron, a cache of variable size",
        "Crammer, Kandola and Singer 2003, Figure 1",
    ),
    mira("mira", Maintenance::None, "MIRA, unbounded", "Crammer and Singer 2003"),
    mira(
        "budget-mira",
        Maintenance::Margin,
        "MIRA, fixed size, the largest leave-one-out margin removed",
        "Crammer, Kandola and Singer 2003",
    ),
    mira(
        "budget-mira-distill",
        Maintenance::Distill,
        "MIRA, a cache of variable size",
        "Crammer, Kandola and Singer 2003",
    ),
    mira(
        "mira-merge",
        Maintenance::Merge,
        "MIRA, the smallest support vector merged",
        "Crammer and Singer 2003; Wang, Crammer and Vucetic 2010",
    ),
    Algorithm {
        name: "bogd",
        summary: "Online gradient descent, a random support vector removed, the other coefficients grown",
        source: "Zhao et al. 2012",
        rule: Rule::Ogd,
        loss: Loss::Hinge,
        maintenance: Maintenance::Bogd,
        requires_rate: false,
    },
    sgd(
        "pegasos",
        Maintenance::None,
        "Kernel SGD on the hinge loss, unbounded",
        "Shalev-Shwartz, Singer and Srebro 2007",
    ),
    sgd(
        "bsgd-random",
        Maintenance::Random,
        "Budgeted SGD, a random support vector removed",
        "Wang, Crammer and Vucetic 2010; Cesa-Bianchi and Gentile 2006",
    ),
    sgd(
        "bsgd-smallest",
        Maintenance::Smallest,
        "Budgeted SGD, the smallest support vector removed",
        "Wang, Crammer and Vucetic 2010, section 4.1",
    ),
    sgd(
        "bsgd-project",
        Maintenance::Project,
        "Budgeted SGD, the smallest support vector projected on the others",
        "Wang, Crammer and Vucetic 2010, (16)",
    ),
    sgd(
        "bsgd-project-best",
        Maintenance::ProjectBest,
        "Budgeted SGD, the cheapest support vector projected on the others",
        "Wang, Crammer and Vucetic 2010, (17)",
    ),
    sgd(
        "bsgd-project-nn",
        Maintenance::ProjectNn,
        "Budgeted SGD, the smallest support vector projected on the most correlated ones",
        "Le et al. 2016, section 6.2.2",
    ),
    growing(
        "nbsgd",
        Maintenance::Smallest,
        "Nonparametric budgeted SGD, the smallest support vector removed at a rate",
        "Le et al. 2016, Algorithm 3",
    ),
    growing(
        "nbsgd-project",
        Maintenance::ProjectNn,
        "Nonparametric budgeted SGD, the smallest support vector projected on the most correlated ones at a rate",
        "Le et al. 2016",
    ),
    sgd(
        "bsgd-merge",
        Maintenance::Merge,
        "Budgeted SGD, the smallest support vector merged",
        "Wang, Crammer and Vucetic 2010, section 4.3",
    ),
    Algorithm {
        name: "online-kernel",
        summary: "An online kernel machine without tuning: a learned metric, a linear term, the new support vector merged",
        source: "budgetrs 2026",
        rule: Rule::OnlineKernel,
        loss: Loss::Hinge,
        maintenance: Maintenance::MergeNewest,
        requires_rate: false,
    },
    pa("pa", Loss::Hinge, Maintenance::None, "Passive-aggressive, unbounded", "Crammer et al. 2006, PA-I"),
    pa(
        "pa-ramp",
        Loss::Ramp,
        Maintenance::None,
        "Passive-aggressive on the ramp loss, unbounded",
        "Wang and Vucetic 2010, (15)",
    ),
    pa(
        "pa-random",
        Loss::Hinge,
        Maintenance::Random,
        "Passive-aggressive, a random support vector removed",
        "Wang and Vucetic 2010, section 5",
    ),
    pa(
        "bpa-s",
        Loss::Hinge,
        Maintenance::Simple,
        "Budgeted passive-aggressive, an old support vector projected on the new one",
        "Wang and Vucetic 2010, BPA-S",
    ),
    pa(
        "bpa-nn",
        Loss::Hinge,
        Maintenance::Nn,
        "Budgeted passive-aggressive, an old support vector projected on the new one and its nearest neighbours",
        "Wang and Vucetic 2010, BPA-NN",
    ),
    pa(
        "bpa-p",
        Loss::Hinge,
        Maintenance::Joint,
        "Budgeted passive-aggressive, an old support vector projected on all others",
        "Wang and Vucetic 2010, BPA-P",
    ),
    pa("bpa-s-ramp", Loss::Ramp, Maintenance::Simple, "BPA-S on the ramp loss", "Wang and Vucetic 2010"),
    pa("bpa-nn-ramp", Loss::Ramp, Maintenance::Nn, "BPA-NN on the ramp loss", "Wang and Vucetic 2010"),
    pa("bpa-p-ramp", Loss::Ramp, Maintenance::Joint, "BPA-P on the ramp loss", "Wang and Vucetic 2010"),
    pa(
        "pa-merge",
        Loss::Hinge,
        Maintenance::Merge,
        "Passive-aggressive, the smallest support vector merged",
        "Crammer et al. 2006; Wang, Crammer and Vucetic 2010",
    ),
    pa(
        "pa-ramp-merge",
        Loss::Ramp,
        Maintenance::Merge,
        "PA on the ramp loss, the smallest support vector merged",
        "Wang and Vucetic 2010; Wang et al. 2010",
    ),
];

impl Algorithm {
    /// The parameters of the algorithm: its rule, loss and strategy, otherwise the defaults of the library.
    #[must_use]
    pub fn spec(&self) -> Spec {
        let defaults = defaults(self.name);
        let budget = if self.maintenance == Maintenance::None { None } else { defaults.budget };
        let named = Spec { budget, maintenance: self.maintenance, loss: self.loss, ..defaults };
        match self.rule {
            Rule::OnlineKernel => Spec {
                kernel: KernelName::RationalQuadratic,
                kernel_parameters: KernelParameters { alpha_rq: 2.0, ..KernelParameters::default() },
                gamma: Gamma::Standardized,
                scaling: Scaling::Online,
                missing: Missing::Mean,
                metric_learning: MetricLearning::Auto,
                linear_weight: Some(0.2),
                average: Average::Polynomial,
                forget: Forget::Auto,
                ..named
            },
            Rule::Sgd | Rule::PassiveAggressive | Rule::Perceptron | Rule::Mira | Rule::Ogd => named,
        }
    }
}
