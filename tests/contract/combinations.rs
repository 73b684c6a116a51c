//! Every combination that the specification admits, and that it admits no other.

use budgetrs::model::{AnyLearner, Model};
use budgetrs::spec::{Gamma, KernelName, Maintenance};
use budgetrs::{CheckedSpec, Classes, Learner, Real, Spec};
use std::fmt;

/// Support vectors at most, few enough that all maintenance has much to do.
pub const BUDGET: usize = 9;

/// One legal combination.
#[derive(Clone)]
pub struct Combination {
    pub spec: CheckedSpec,
    pub classes: usize,
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spec { maintenance, kernel, gamma, ball, .. } = self.spec.spec();
        write!(f, "{maintenance:?} {kernel:?} {gamma:?} ball {ball}, {} classes", self.classes)
    }
}

impl Combination {
    /// An empty model.
    pub fn build<T: Float>(&self, features: usize) -> Learner<T> {
        self.spec.build(features, self.classes).expect("a small model can be built")
    }

    /// The bytes of a model's file.
    pub fn bytes<T: Float>(&self, learner: &Learner<T>) -> Vec<u8> {
        let labels = (0..self.classes as i64).collect();
        let trained = Some(T::wrap(learner.clone()));
        let model = Model { spec: self.spec.clone(), classes: Some(Classes::Int(labels)), trained };
        model.to_bytes().expect("a model that was built can be saved")
    }

    /// The model of a file.
    pub fn load<T: Float>(&self, bytes: &[u8]) -> Learner<T> {
        let model = Model::from_bytes(bytes).unwrap_or_else(|error| panic!("{self}: {error}"));
        T::unwrap(model.trained.expect("what was saved had learned"))
    }
}

/// The float types of models.
pub trait Float: Real {
    fn wrap(learner: Learner<Self>) -> AnyLearner;
    fn unwrap(learner: AnyLearner) -> Learner<Self>;
}

impl Float for f32 {
    fn wrap(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F32(learner)
    }
    fn unwrap(learner: AnyLearner) -> Learner<Self> {
        match learner {
            AnyLearner::F32(learner) => learner,
            AnyLearner::F64(_) => panic!("another type came back"),
        }
    }
}

impl Float for f64 {
    fn wrap(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F64(learner)
    }
    fn unwrap(learner: AnyLearner) -> Learner<Self> {
        match learner {
            AnyLearner::F64(learner) => learner,
            AnyLearner::F32(_) => panic!("another type came back"),
        }
    }
}

fn spec(maintenance: Maintenance, kernel: KernelName, gamma: Gamma, ball: bool) -> Spec {
    let budget = (maintenance != Maintenance::None).then_some(BUDGET);
    let base = Spec::named("bsgd-merge").expect("an algorithm of the registry");
    Spec { budget, maintenance, kernel, gamma, ball, alpha: 0.05, coef0: 0.5, degree: 2, seed: 3, ..base }
}

fn all_specs() -> impl Iterator<Item = Spec> {
    let widths = [Gamma::Scale, Gamma::Value(0.3)];
    let pairs = Maintenance::ALL.into_iter().flat_map(|m| KernelName::ALL.map(|kernel| (m, kernel)));
    pairs.flat_map(move |(m, kernel)| {
        widths.into_iter().flat_map(move |gamma| [false, true].map(|ball| spec(m, kernel, gamma, ball)))
    })
}

/// Every legal combination.
pub fn legal() -> Vec<Combination> {
    all_specs()
        .filter_map(|spec| spec.check().ok())
        .flat_map(|spec| [2, 3, 5].map(|classes| Combination { spec: spec.clone(), classes }))
        .collect()
}

#[test]
fn the_legal_combinations_are_those_of_the_rules() {
    let mut count = 0;
    for spec in all_specs() {
        let (maintenance, kernel) = (spec.maintenance.name(), spec.kernel.name());
        let measures = ["smallest", "project", "project-best", "merge"].contains(&maintenance);
        let expected = (maintenance != "merge" || kernel == "rbf") && (kernel != "sigmoid" || !measures);
        assert_eq!(spec.check().is_ok(), expected, "{maintenance} {kernel}");
        count += usize::from(expected);
    }
    // 4 strategies with six kernels, 3 with five, merging with one; two widths, ball or not.
    assert_eq!(count, (4 * 6 + 3 * 5 + 1) * 4);
    assert_eq!(legal().len(), 3 * count);
}
