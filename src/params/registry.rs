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

/// The table of algorithms. Each has a name, a rule, a loss and a strategy, whether `rate` must be specified, a summary
/// and the publications.
macro_rules! algorithms {
    ($($name:literal: $rule:ident, $loss:ident, $maintenance:ident, $requires_rate:literal,
        $summary:literal, $source:literal;)+) => {
        /// All algorithms.
        pub const ALGORITHMS: &[Algorithm] = &[$(Algorithm {
            name: $name,
            summary: $summary,
            source: $source,
            rule: Rule::$rule,
            loss: Loss::$loss,
            maintenance: Maintenance::$maintenance,
            requires_rate: $requires_rate,
        }),+];
    };
}

algorithms! {
    "perceptron": Perceptron, Hinge, None, false,
        "Kernel Perceptron without a budget",
        "Rosenblatt 1958; Freund and Schapire 1999; as in Dekel et al. 2008";
    "stoptron": Perceptron, Hinge, Stop, false,
        "Perceptron that stops training when the model is full", "Orabona, Keshet and Caputo 2009";
    "rbp": Perceptron, Hinge, Random, false,
        "Perceptron that removes a random support vector", "Cavallanti, Cesa-Bianchi and Gentile 2007";
    "forgetron": Perceptron, Hinge, Forgetron, false,
        "Perceptron that shrinks all coefficients and removes the oldest support vector",
        "Dekel, Shalev-Shwartz and Singer 2008";
    "projectron": Perceptron, Hinge, Projectron, false,
        "Perceptron that projects mistakes near the span of the support vectors; when full, all mistakes",
        "Orabona, Keshet and Caputo 2009";
    "projectron++": Perceptron, Hinge, ProjectronPlus, false,
        "Projectron that also updates on small margins", "Orabona, Keshet and Caputo 2009";
    "budget-perceptron": Perceptron, Hinge, Margin, false,
        "Perceptron with a margin that removes the largest leave-one-out margin",
        "Crammer, Kandola and Singer 2003";
    "budget-perceptron-distill": Perceptron, Hinge, Distill, false,
        "Perceptron with a margin and a support set of variable size",
        "Crammer, Kandola and Singer 2003, Figure 1";
    "mira": Mira, Hinge, None, false,
        "MIRA without a budget", "Crammer and Singer 2003";
    "budget-mira": Mira, Hinge, Margin, false,
        "MIRA that removes the largest leave-one-out margin", "Crammer, Kandola and Singer 2003";
    "budget-mira-distill": Mira, Hinge, Distill, false,
        "MIRA with a support set of variable size", "Crammer, Kandola and Singer 2003";
    "mira-merge": Mira, Hinge, Merge, false,
        "MIRA that merges the smallest support vector",
        "Crammer and Singer 2003; Wang, Crammer and Vucetic 2010";
    "bogd": Ogd, Hinge, Bogd, false,
        "Online gradient descent that removes a random support vector and grows the other coefficients",
        "Zhao et al. 2012";
    "pegasos": Sgd, Hinge, None, false,
        "Kernel SGD without a budget", "Shalev-Shwartz, Singer and Srebro 2007";
    "bsgd-random": Sgd, Hinge, Random, false,
        "Budgeted SGD that removes a random support vector",
        "Wang, Crammer and Vucetic 2010; Cesa-Bianchi and Gentile 2006";
    "bsgd-smallest": Sgd, Hinge, Smallest, false,
        "Budgeted SGD that removes the smallest support vector",
        "Wang, Crammer and Vucetic 2010, section 4.1";
    "bsgd-project": Sgd, Hinge, Project, false,
        "Budgeted SGD that projects the smallest support vector onto the others",
        "Wang, Crammer and Vucetic 2010, (16)";
    "bsgd-project-best": Sgd, Hinge, ProjectBest, false,
        "Budgeted SGD that projects the cheapest support vector onto the others",
        "Wang, Crammer and Vucetic 2010, (17)";
    "bsgd-project-nn": Sgd, Hinge, ProjectNn, false,
        "Budgeted SGD that projects the smallest support vector onto the most correlated ones",
        "Le et al. 2016, section 6.2.2";
    "nbsgd": Sgd, Hinge, Smallest, true,
        "Nonparametric budgeted SGD that removes the smallest support vector at a rate",
        "Le et al. 2016, Algorithm 3";
    "nbsgd-project": Sgd, Hinge, ProjectNn, true,
        "Nonparametric budgeted SGD that projects the smallest support vector onto the most correlated ones at a rate",
        "Le et al. 2016";
    "bsgd-merge": Sgd, Hinge, Merge, false,
        "Budgeted SGD that merges the smallest support vector", "Wang, Crammer and Vucetic 2010, section 4.3";
    "online-kernel": OnlineKernel, Hinge, MergeNewest, false,
        "Online kernel machine without tuning: metric learning, a linear term, merging of the new support vector",
        "budgetrs 2026";
    "pa": PassiveAggressive, Hinge, None, false,
        "Passive-aggressive without a budget", "Crammer et al. 2006, PA-I";
    "pa-ramp": PassiveAggressive, Ramp, None, false,
        "Passive-aggressive with the ramp loss, without a budget", "Wang and Vucetic 2010, (15)";
    "pa-random": PassiveAggressive, Hinge, Random, false,
        "Passive-aggressive that removes a random support vector", "Wang and Vucetic 2010, section 5";
    "bpa-s": PassiveAggressive, Hinge, Simple, false,
        "Budgeted passive-aggressive that projects an old support vector onto the new one",
        "Wang and Vucetic 2010, BPA-S";
    "bpa-nn": PassiveAggressive, Hinge, Nn, false,
        "Budgeted passive-aggressive that projects an old support vector onto the new one and its nearest neighbours",
        "Wang and Vucetic 2010, BPA-NN";
    "bpa-p": PassiveAggressive, Hinge, Joint, false,
        "Budgeted passive-aggressive that projects an old support vector onto all others",
        "Wang and Vucetic 2010, BPA-P";
    "bpa-s-ramp": PassiveAggressive, Ramp, Simple, false,
        "BPA-S with the ramp loss", "Wang and Vucetic 2010";
    "bpa-nn-ramp": PassiveAggressive, Ramp, Nn, false,
        "BPA-NN with the ramp loss", "Wang and Vucetic 2010";
    "bpa-p-ramp": PassiveAggressive, Ramp, Joint, false,
        "BPA-P with the ramp loss", "Wang and Vucetic 2010";
    "pa-merge": PassiveAggressive, Hinge, Merge, false,
        "Passive-aggressive that merges the smallest support vector",
        "Crammer et al. 2006; Wang, Crammer and Vucetic 2010";
    "pa-ramp-merge": PassiveAggressive, Ramp, Merge, false,
        "Passive-aggressive with the ramp loss that merges the smallest support vector",
        "Wang and Vucetic 2010; Wang et al. 2010";
}

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
