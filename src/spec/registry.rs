//! Named algorithms: one list drives Python, the command line, benchmarks, documents and tests.

use super::{Gamma, KernelName, Maintenance, Spec};
use crate::update::Loss;

/// An algorithm under the name that the literature, or this library, gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Algorithm {
    /// Its name.
    pub name: &'static str,
    /// One sentence with its source.
    pub summary: &'static str,
    /// What is done when the model is over budget.
    pub maintenance: Maintenance,
}

const fn sgd(name: &'static str, maintenance: Maintenance, summary: &'static str) -> Algorithm {
    Algorithm { name, summary, maintenance }
}

/// Every algorithm.
pub const ALGORITHMS: &[Algorithm] = &[
    sgd(
        "pegasos",
        Maintenance::None,
        "Kernel SGD on the hinge loss, unbounded (Shalev-Shwartz, Singer and Srebro 2007).",
    ),
    sgd(
        "bsgd-random",
        Maintenance::Random,
        "Budgeted SGD, a random support vector removed (Wang, Crammer and Vucetic 2010; Cesa-Bianchi and Gentile 2006).",
    ),
    sgd(
        "bsgd-smallest",
        Maintenance::Smallest,
        "Budgeted SGD, the smallest support vector removed (Wang, Crammer and Vucetic 2010, section 4.1).",
    ),
    sgd(
        "bsgd-project",
        Maintenance::Project,
        "Budgeted SGD, the smallest support vector projected on the others (Wang, Crammer and Vucetic 2010, (16)).",
    ),
    sgd(
        "bsgd-project-best",
        Maintenance::ProjectBest,
        "Budgeted SGD, the cheapest support vector projected on the others (Wang, Crammer and Vucetic 2010, (17)).",
    ),
    sgd(
        "bsgd-merge",
        Maintenance::Merge,
        "Budgeted SGD, the smallest support vector merged (Wang, Crammer and Vucetic 2010, section 4.3).",
    ),
];

impl Algorithm {
    /// Its parameters: the defaults of the library, and what its name says.
    #[must_use]
    pub fn spec(&self) -> Spec {
        Spec {
            algorithm: self.name,
            budget: (self.maintenance != Maintenance::None).then_some(500),
            maintenance: self.maintenance,
            loss: Loss::Hinge,
            alpha: 1e-4,
            ball: false,
            kernel: KernelName::Rbf,
            gamma: Gamma::Scale,
            degree: 3,
            coef0: 0.0,
            seed: 0,
        }
    }
}
