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
        "Kernel Perceptron without a budget",
        "Rosenblatt 1958; Freund and Schapire 1999; as in Dekel et al. 2008",
    ),
    perceptron(
        "stoptron",
        Maintenance::Stop,
        "Perceptron that stops training when the model is full",
        "Orabona, Keshet and Caputo 2009",
    ),
    perceptron(
        "rbp",
        Maintenance::Random,
        "Perceptron that removes a random support vector",
        "Cavallanti, Cesa-Bianchi and Gentile 2007",
    ),
    perceptron(
        "forgetron",
        Maintenance::Forgetron,
        "Perceptron that shrinks all coefficients and removes the oldest support vector",
        "Dekel, Shalev-Shwartz and Singer 2008",
    ),
    perceptron(
        "projectron",
        Maintenance::Projectron,
        "Perceptron that projects mistakes near the span of the support vectors; when full, all mistakes",
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
        "Perceptron with a margin that removes the largest leave-one-out margin",
        "Crammer, Kandola and Singer 2003",
    ),
    perceptron(
        "budget-perceptron-distill",
        Maintenance::Distill,
        "Perceptron with a margin and a support set of variable size",
        "Crammer, Kandola and Singer 2003, Figure 1",
    ),
    mira("mira", Maintenance::None, "MIRA without a budget", "Crammer and Singer 2003"),
    mira(
        "budget-mira",
        Maintenance::Margin,
        "MIRA that removes the largest leave-one-out margin",
        "Crammer, Kandola and Singer 2003",
    ),
    mira(
        "budget-mira-distill",
        Maintenance::Distill,
        "MIRA with a support set of variable size",
        "Crammer, Kandola and Singer 2003",
    ),
    mira(
        "mira-merge",
        Maintenance::Merge,
        "MIRA that merges the smallest support vector",
        "Crammer and Singer 2003; Wang, Crammer and Vucetic 2010",
    ),
    Algorithm {
        name: "bogd",
        summary: "Online gradient descent that removes a random support vector and grows the other coefficients",
        source: "Zhao et al. 2012",
        rule: Rule::Ogd,
        loss: Loss::Hinge,
        maintenance: Maintenance::Bogd,
        requires_rate: false,
    },
    sgd(
        "pegasos",
        Maintenance::None,
        "Kernel SGD without a budget",
        "Shalev-Shwartz, Singer and Srebro 2007",
    ),
    sgd(
        "bsgd-random",
        Maintenance::Random,
        "Budgeted SGD that removes a random support vector",
        "Wang, Crammer and Vucetic 2010; Cesa-Bianchi and Gentile 2006",
    ),
    sgd(
        "bsgd-smallest",
        Maintenance::Smallest,
        "Budgeted SGD that removes the smallest support vector",
        "Wang, Crammer and Vucetic 2010, section 4.1",
    ),
    sgd(
        "bsgd-project",
        Maintenance::Project,
        "Budgeted SGD that projects the smallest support vector onto the others",
        "Wang, Crammer and Vucetic 2010, (16)",
    ),
    sgd(
        "bsgd-project-best",
        Maintenance::ProjectBest,
        "Budgeted SGD that projects the cheapest support vector onto the others",
        "Wang, Crammer and Vucetic 2010, (17)",
    ),
    sgd(
        "bsgd-project-nn",
        Maintenance::ProjectNn,
        "Budgeted SGD that projects the smallest support vector onto the most correlated ones",
        "Le et al. 2016, section 6.2.2",
    ),
    growing(
        "nbsgd",
        Maintenance::Smallest,
        "Nonparametric budgeted SGD that removes the smallest support vector at a rate",
        "Le et al. 2016, Algorithm 3",
    ),
    growing(
        "nbsgd-project",
        Maintenance::ProjectNn,
        "Nonparametric budgeted SGD that projects the smallest support vector onto the most correlated ones at a rate",
        "Le et al. 2016",
    ),
    sgd(
        "bsgd-merge",
        Maintenance::Merge,
        "Budgeted SGD that merges the smallest support vector",
        "Wang, Crammer and Vucetic 2010, section 4.3",
    ),
    Algorithm {
        name: "online-kernel",
        summary: "Online kernel machine without tuning: metric learning, a linear term, merging of the new support vector",
        source: "budgetrs 2026",
        rule: Rule::OnlineKernel,
        loss: Loss::Hinge,
        maintenance: Maintenance::MergeNewest,
        requires_rate: false,
    },
    pa(
        "pa",
        Loss::Hinge,
        Maintenance::None,
        "Passive-aggressive without a budget",
        "Crammer et al. 2006, PA-I",
    ),
    pa(
        "pa-ramp",
        Loss::Ramp,
        Maintenance::None,
        "Passive-aggressive with the ramp loss, without a budget",
        "Wang and Vucetic 2010, (15)",
    ),
    pa(
        "pa-random",
        Loss::Hinge,
        Maintenance::Random,
        "Passive-aggressive that removes a random support vector",
        "Wang and Vucetic 2010, section 5",
    ),
    pa(
        "bpa-s",
        Loss::Hinge,
        Maintenance::Simple,
        "Budgeted passive-aggressive that projects an old support vector onto the new one",
        "Wang and Vucetic 2010, BPA-S",
    ),
    pa(
        "bpa-nn",
        Loss::Hinge,
        Maintenance::Nn,
        "Budgeted passive-aggressive that projects an old support vector onto the new one and its nearest neighbours",
        "Wang and Vucetic 2010, BPA-NN",
    ),
    pa(
        "bpa-p",
        Loss::Hinge,
        Maintenance::Joint,
        "Budgeted passive-aggressive that projects an old support vector onto all others",
        "Wang and Vucetic 2010, BPA-P",
    ),
    pa("bpa-s-ramp", Loss::Ramp, Maintenance::Simple, "BPA-S with the ramp loss", "Wang and Vucetic 2010"),
    pa("bpa-nn-ramp", Loss::Ramp, Maintenance::Nn, "BPA-NN with the ramp loss", "Wang and Vucetic 2010"),
    pa("bpa-p-ramp", Loss::Ramp, Maintenance::Joint, "BPA-P with the ramp loss", "Wang and Vucetic 2010"),
    pa(
        "pa-merge",
        Loss::Hinge,
        Maintenance::Merge,
        "Passive-aggressive that merges the smallest support vector",
        "Crammer et al. 2006; Wang, Crammer and Vucetic 2010",
    ),
    pa(
        "pa-ramp-merge",
        Loss::Ramp,
        Maintenance::Merge,
        "Passive-aggressive with the ramp loss that merges the smallest support vector",
        "Wang and Vucetic 2010; Wang et al. 2010",
    ),
];

impl Algorithm {
    /// The valid names, in messages.
    pub const EXPECTED: &'static str = "a name in budgetrs.ALGORITHMS";

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
