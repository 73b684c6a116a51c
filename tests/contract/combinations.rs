//! The combinations of rule, strategy and kernel that the tests run.

use crate::stream::Stream;
use budgetrs::model::{AnyLearner, Model};
use budgetrs::params::{
    Average, ClassWeight, Forget, Gamma, KernelName, KernelParameters, Loss, Maintenance, MetricLearning,
    Missing, Rate, Rule, Scaling,
};
use budgetrs::{CheckedSpec, Classes, Learner, Real, Spec};
use std::fmt;

/// The budget, small enough that maintenance runs often.
pub(crate) const BUDGET: usize = 9;

/// A valid combination, and a number of classes.
#[derive(Clone)]
pub(crate) struct Combination {
    pub(crate) spec: CheckedSpec,
    pub(crate) classes: usize,
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spec {
            algorithm,
            maintenance,
            loss,
            kernel,
            gamma,
            project_to_ball,
            rate,
            average,
            metric_learning,
            linear_weight,
            ..
        } = self.spec.spec();
        write!(
            f,
            "{algorithm} {maintenance:?} {loss:?} {kernel:?} {gamma:?} ball {project_to_ball} {rate:?} {average:?} {metric_learning:?} {linear_weight:?}"
        )?;
        write!(f, ", {} classes", self.classes)
    }
}

impl Combination {
    /// Maximum number of support vectors; `None` if unbounded.
    pub(crate) fn max_support(&self) -> Option<usize> {
        let Spec { budget, max_size, .. } = self.spec.spec();
        max_size.or(*budget)
    }

    /// Whether rows may contain NaN as a missing value.
    pub(crate) fn accepts_nan(&self) -> bool {
        let Spec { scaling, missing, .. } = self.spec.spec();
        (*scaling, *missing) == (Scaling::Online, Missing::Mean)
    }

    /// An empty model.
    pub(crate) fn build<T: Float>(&self, features: usize) -> Learner<T> {
        self.spec.build(features, self.classes).expect("a small model can be built")
    }

    /// The bytes of a model's file.
    pub(crate) fn bytes<T: Float>(&self, learner: &Learner<T>) -> Vec<u8> {
        let labels = (0..self.classes as i64).collect();
        let trained = Some(T::wrap(learner.clone()));
        let model = Model { classes: Some(Classes::Int(labels)), trained, ..Model::new(self.spec.clone()) };
        model.to_bytes().expect("a model that was built can be saved")
    }

    /// The model of a file.
    pub(crate) fn load<T: Float>(&self, bytes: &[u8]) -> Learner<T> {
        let model = Model::from_bytes(bytes).unwrap_or_else(|error| panic!("{self}: {error}"));
        T::unwrap(model.trained.expect("the saved model was trained"))
    }
}

/// The float types of models.
pub(crate) trait Float: Real {
    /// The half of the combinations that run in this type: 0 or 1.
    const HALF: usize;
    fn wrap(learner: Learner<Self>) -> AnyLearner;
    fn unwrap(learner: AnyLearner) -> Learner<Self>;
}

macro_rules! float {
    ($float:ident, $variant:ident, $half:literal) => {
        impl Float for $float {
            const HALF: usize = $half;
            fn wrap(learner: Learner<Self>) -> AnyLearner {
                AnyLearner::$variant(learner)
            }
            fn unwrap(learner: AnyLearner) -> Learner<Self> {
                let AnyLearner::$variant(learner) = learner else { panic!("the float type changed") };
                learner
            }
        }
    };
}
float!(f32, F32, 0);
float!(f64, F64, 1);

/// Several settings of each rule: width, ball or loss, and averaging.
fn variants() -> Vec<Spec> {
    let named = |name: &str| Spec::named(name).expect("an algorithm of the registry");
    let (wide, narrow) = (Gamma::Scale, Gamma::Value(0.3));
    let sgd = [(wide, false), (wide, true), (narrow, false), (narrow, true)];
    let sgd = sgd.map(|(gamma, project_to_ball)| Spec {
        gamma,
        project_to_ball,
        alpha: 0.05,
        ..named("bsgd-merge")
    });
    let log = Spec {
        gamma: narrow,
        loss: Loss::LogLoss,
        alpha: 0.05,
        project_to_ball: true,
        ..named("bsgd-merge")
    };
    let smooth = Spec { gamma: narrow, loss: Loss::ModifiedHuber, alpha: 0.05, ..named("bsgd-merge") };
    let sampled = Spec { gamma: narrow, alpha: 0.05, average: Average::Random, ..named("bsgd-merge") };
    let late = Spec {
        gamma: wide,
        average: Average::Polynomial,
        class_weight: ClassWeight::Balanced,
        ..sampled.clone()
    };
    let growing = Spec {
        rate: Some(Rate::Value(6.0)),
        max_size: Some(BUDGET + 5),
        average: Average::Suffix(0.4),
        stream_length: Some(50),
        project_to_ball: true,
        gamma: wide,
        ..sampled.clone()
    };
    let pa = [(wide, Loss::Hinge), (narrow, Loss::Ramp), (narrow, Loss::SquaredHinge)];
    let pa = pa.map(|(gamma, loss)| Spec { gamma, loss, may_discard_new: true, ..named("bpa-s") });
    let two = Spec {
        gamma: narrow,
        n_neighbors: Some(2),
        c: 0.1,
        class_weight: ClassWeight::Balanced,
        ..named("bpa-nn")
    };
    let perceptron = Spec { gamma: narrow, eta: 0.6, ..named("perceptron") };
    let aggressive = Spec {
        gamma: wide,
        margin: Some(0.2),
        eta: 0.0,
        class_weight: ClassWeight::Balanced,
        ..named("budget-perceptron")
    };
    let mira = Spec { gamma: narrow, margin: Some(0.5), c: 0.3, ..named("mira") };
    let ogd = Spec {
        gamma: narrow,
        eta0: 0.5,
        alpha: 0.1,
        max_coef: 1.2,
        class_weight: ClassWeight::Balanced,
        ..named("bogd")
    };
    let online = Spec { noise_margin: Some(0.1), scaling: Scaling::None, ..named("online-kernel") };
    let plain = Spec {
        metric_learning: MetricLearning::None,
        gamma: wide,
        class_weight: ClassWeight::Balanced,
        c_decay: false,
        c0: 0.5,
        forget: Forget::Rows(20),
        ..online.clone()
    };
    let linear = Spec { linear_weight: Some(0.5), average: Average::Suffix(0.4), ..late.clone() };
    // Averages of every rule and of the linear term, and a random model.
    let mean = Average::Suffix(0.4);
    let means = [
        Spec { average: mean, stream_length: Some(50), ..two.clone() },
        Spec { average: Average::Polynomial, ..perceptron.clone() },
        Spec { average: Average::Suffix(1.0), ..mira.clone() },
        Spec { average: mean, ..ogd.clone() },
        Spec { gamma: wide, loss: Loss::Ramp, average: Average::Random, ..named("bpa-s") },
        Spec { gamma: narrow, linear_weight: Some(0.5), average: Average::Polynomial, ..named("pa") },
    ];
    let metric = Spec {
        metric_learning: MetricLearning::Diagonal,
        scaling: Scaling::Online,
        missing: Missing::Mean,
        class_weight: ClassWeight::Balanced,
        ..mira.clone()
    };
    sgd.into_iter()
        .chain(pa)
        .chain([log, smooth, sampled, late, growing, two, perceptron, aggressive, mira, ogd])
        .chain([online, plain, linear, metric])
        .chain(means)
        .collect()
}

/// The strategies that run with every kernel: one that works with every kernel, and one that keeps a Gram matrix.
const WITH_EVERY_KERNEL: [Maintenance; 2] = [Maintenance::Oldest, Maintenance::Project];

/// Whether the tests run a strategy with a kernel. Kernels of one class differ in their formula only, so a strategy
/// runs with the first kernel of each class. A strategy that merges depends on the formula, and runs with every kernel.
pub(crate) fn is_tested(maintenance: Maintenance, kernel: KernelName) -> bool {
    let first = KernelName::ALL.into_iter().find(|other| other.class() == kernel.class());
    first == Some(kernel) || maintenance.entry().merges || WITH_EVERY_KERNEL.contains(&maintenance)
}

/// Every strategy with every kernel.
pub(crate) fn pairs() -> impl Iterator<Item = (Maintenance, KernelName)> {
    Maintenance::ALL.into_iter().flat_map(|maintenance| KernelName::ALL.map(|kernel| (maintenance, kernel)))
}

/// The budget of a strategy in these tests.
pub(crate) fn budget(maintenance: Maintenance) -> Option<usize> {
    (maintenance != Maintenance::None).then_some(BUDGET)
}

fn specs(pairs: impl Iterator<Item = (Maintenance, KernelName)>) -> impl Iterator<Item = Spec> {
    pairs.flat_map(move |(maintenance, kernel)| {
        let kernel_parameters = KernelParameters { degree: 2, coef0: 0.5, alpha_rq: 0.7 };
        let shared = move |spec| Spec {
            budget: budget(maintenance),
            maintenance,
            kernel,
            kernel_parameters,
            seed: 3,
            ..spec
        };
        variants().into_iter().map(shared)
    })
}

/// The valid combinations that the tests run, each with two classes and with more (three or five).
fn all_combinations() -> impl Iterator<Item = Combination> {
    let class_counts = [[2, 3], [2, 3], [2, 5], [2, 5]].into_iter().cycle();
    specs(pairs().filter(|(maintenance, kernel)| is_tested(*maintenance, *kernel)))
        .filter_map(|spec| spec.check().ok())
        .zip(class_counts)
        .flat_map(|(spec, counts)| counts.map(|classes| Combination { spec: spec.clone(), classes }))
}

/// The combinations that run in a float type. Both types share one source, so each combination runs in one of them: a
/// specification with two classes in one type, with more classes in the other, in turns.
pub(crate) fn combinations<T: Float>() -> impl Iterator<Item = Combination> {
    let numbered = all_combinations().enumerate();
    numbered.filter(|(i, _)| (i / 2 + i) % 2 == T::HALF).map(|(_, combination)| combination)
}

/// The combinations of a float type, each with its stream.
pub(crate) fn streams<T: Float>() -> impl Iterator<Item = (Combination, Stream<T>)> {
    combinations::<T>().map(|combination| (combination.clone(), Stream::new(combination.classes)))
}

/// Tests, each of which makes a check for all cases in both float types.
macro_rules! contracts {
    ($cases:ident: $($(#[$attribute:meta])* $test:ident = $check:ident;)*) => {$(
        $(#[$attribute])*
        #[test]
        fn $test() {
            $cases::<f32>().for_each(|(combination, stream)| $check::<f32>(&combination, &stream));
            $cases::<f64>().for_each(|(combination, stream)| $check::<f64>(&combination, &stream));
        }
    )*};
}
pub(crate) use contracts;

#[test]
fn valid_combinations_follow_from_the_tables() {
    for spec in specs(pairs()) {
        let (entry, class) = (spec.maintenance.entry(), spec.kernel.class());
        let divides = [Rule::PassiveAggressive, Rule::Mira, Rule::OnlineKernel].contains(&spec.rule());
        let metric = spec.metric_learning != MetricLearning::None;
        let expected = (entry.allows_metric_and_linear || !metric && spec.linear_weight.is_none())
            && (class.merges || !(entry.merges || metric))
            && (class.is_psd || !(entry.needs_psd_kernel || divides))
            && entry.rule.is_none_or(|rule| rule == spec.rule())
            && (entry.supports_rate || spec.rate.is_none());
        assert_eq!(spec.check().is_ok(), expected, "{} {} {:?}", spec.algorithm, entry.name, spec.kernel);
    }
}

/// A new kernel or strategy is tested without being named here.
#[test]
fn every_kernel_strategy_and_rule_is_tested() {
    let tested: Vec<_> = combinations::<f32>().chain(combinations::<f64>()).collect();
    assert_eq!(tested.len(), all_combinations().count());
    let any = |is: &dyn Fn(&Spec) -> bool| tested.iter().any(|combination| is(combination.spec.spec()));
    for kernel in KernelName::ALL {
        assert!(any(&|spec| spec.kernel == kernel), "{kernel:?}");
        for maintenance in Maintenance::ALL {
            let valid = || specs([(maintenance, kernel)].into_iter()).any(|spec| spec.check().is_ok());
            let class =
                |spec: &Spec| spec.maintenance == maintenance && spec.kernel.class() == kernel.class();
            assert!(any(&class) || !valid(), "{maintenance:?} {kernel:?}");
        }
    }
    assert!(Rule::ALL.into_iter().all(|rule| any(&|spec| spec.rule() == rule)));
    assert!(any(&|spec| spec.scaling == Scaling::Online) && tested.iter().any(Combination::accepts_nan));
}
