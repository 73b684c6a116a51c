//! Every combination that the specification admits, and that it admits no other.

use budgetrs::model::{AnyLearner, Model};
use budgetrs::params::{
    Average, ClassWeight, Forget, Gamma, KernelName, KernelParameters, Loss, Maintenance, MetricLearning,
    Missing, Rate, Rule, Scale,
};
use budgetrs::{CheckedSpec, Classes, Learner, Real, Spec};
use std::fmt;

/// Support vectors at most, few enough that all maintenance has much to do.
pub(crate) const BUDGET: usize = 9;

/// One legal combination.
#[derive(Clone)]
pub(crate) struct Combination {
    pub(crate) spec: CheckedSpec,
    pub(crate) classes: usize,
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spec { algorithm, maintenance, loss, kernel, gamma, ball, rate, average, metric, linear, .. } =
            self.spec.spec();
        write!(
            f,
            "{algorithm} {maintenance:?} {loss:?} {kernel:?} {gamma:?} ball {ball} {rate:?} {average:?} {metric:?} {linear:?}"
        )?;
        write!(f, ", {} classes", self.classes)
    }
}

impl Combination {
    /// The most support vectors there may be; none in a model that may grow.
    pub(crate) fn most(&self) -> Option<usize> {
        let Spec { budget, max_size, .. } = self.spec.spec();
        max_size.or(*budget)
    }

    /// Whether NaN stands for a missing value.
    pub(crate) fn takes_missing(&self) -> bool {
        let Spec { scale, missing, .. } = self.spec.spec();
        (*scale, *missing) == (Scale::Online, Missing::Mean)
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
        T::unwrap(model.trained.expect("what was saved had learned"))
    }
}

/// The float types of models.
pub(crate) trait Float: Real {
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

/// What an update rule may differ in: width, ball or loss, and what is averaged.
fn variants() -> Vec<Spec> {
    let class_weight = ClassWeight::Balanced;
    let named = |name: &str| Spec::named(name).expect("an algorithm of the registry");
    let (wide, narrow) = (Gamma::Scale, Gamma::Value(0.3));
    let sgd = [(wide, false), (wide, true), (narrow, false), (narrow, true)];
    let sgd = sgd.map(|(gamma, ball)| Spec { gamma, ball, alpha: 0.05, ..named("bsgd-merge") });
    let log = Spec { gamma: narrow, loss: Loss::LogLoss, alpha: 0.05, ball: true, ..named("bsgd-merge") };
    let smooth = Spec { gamma: narrow, loss: Loss::ModifiedHuber, alpha: 0.05, ..named("bsgd-merge") };
    let drawn = Spec { gamma: narrow, alpha: 0.05, average: Average::Random, ..named("bsgd-merge") };
    let late = Spec { gamma: wide, average: Average::Late, class_weight, ..drawn.clone() };
    let grown = Spec {
        rate: Some(Rate::Value(6.0)),
        max_size: Some(BUDGET + 5),
        average: Average::Suffix(0.4),
        stream_length: Some(50),
        ball: true,
        gamma: wide,
        ..drawn
    };
    let pa = [(wide, Loss::Hinge), (narrow, Loss::Ramp), (narrow, Loss::SquaredHinge)];
    let pa = pa.map(|(gamma, loss)| Spec { gamma, loss, newcomer_may_leave: true, ..named("bpa-s") });
    let two = Spec { gamma: narrow, n_neighbors: Some(2), c: 0.1, class_weight, ..named("bpa-nn") };
    let perceptron = Spec { gamma: narrow, eta: 0.6, ..named("perceptron") };
    let aggressive =
        Spec { gamma: wide, margin: Some(0.2), eta: 0.0, class_weight, ..named("budget-perceptron") };
    let mira = Spec { gamma: narrow, margin: Some(0.5), c: 0.3, ..named("mira") };
    let ogd = Spec { gamma: narrow, eta0: 0.5, alpha: 0.1, clip: 1.2, class_weight, ..named("bogd") };
    let online = Spec { ramp: Some(0.1), scale: Scale::None, ..named("online-kernel") };
    let alone = Spec {
        metric: MetricLearning::None,
        gamma: wide,
        class_weight,
        decay: false,
        c0: 0.5,
        forget: Forget::Rows(20),
        ..online.clone()
    };
    let inclined = Spec { linear: Some(0.5), average: Average::Suffix(0.4), ..late.clone() };
    // The mean of every rule and of the linear part, and a drawn model.
    let mean = Average::Suffix(0.4);
    let means = [
        Spec { average: mean, stream_length: Some(50), ..two.clone() },
        Spec { average: Average::Late, ..perceptron.clone() },
        Spec { average: Average::Suffix(1.0), ..mira.clone() },
        Spec { average: mean, ..ogd.clone() },
        Spec { gamma: wide, loss: Loss::Ramp, average: Average::Random, ..named("bpa-s") },
        Spec { gamma: narrow, linear: Some(0.5), average: Average::Late, ..named("pa") },
    ];
    let moved = Spec {
        metric: MetricLearning::Diagonal,
        scale: Scale::Online,
        missing: Missing::Mean,
        class_weight,
        ..mira.clone()
    };
    sgd.into_iter()
        .chain(pa)
        .chain([log, smooth, drawn, late, grown, two, perceptron, aggressive, mira, ogd])
        .chain([online, alone, inclined, moved])
        .chain(means)
        .collect()
}

fn all_specs() -> impl Iterator<Item = Spec> {
    let pairs = Maintenance::ALL.into_iter().flat_map(|m| KernelName::ALL.map(|kernel| (m, kernel)));
    pairs.flat_map(move |(maintenance, kernel)| {
        let budget = (maintenance != Maintenance::None).then_some(BUDGET);
        let kernel_parameters = KernelParameters { degree: 2, coef0: 0.5, alpha_rq: 0.7 };
        let shared = move |spec| Spec { budget, maintenance, kernel, kernel_parameters, seed: 3, ..spec };
        variants().into_iter().map(shared)
    })
}

/// Every legal combination, for two classes and for more: three and five in turns.
pub(crate) fn legal() -> Vec<Combination> {
    let numbers = [[2, 3], [2, 5]].into_iter().cycle();
    all_specs()
        .filter_map(|spec| spec.check().ok())
        .zip(numbers)
        .flat_map(|(spec, numbers)| numbers.map(|classes| Combination { spec: spec.clone(), classes }))
        .collect()
}

/// The same with one number of classes to the specification, two and more in turns: for what is done in both float
/// types, whose code is one.
pub(crate) fn legal_in_turns() -> impl Iterator<Item = Combination> {
    let pairs = legal().into_iter().enumerate();
    pairs.filter(|(i, _)| i % 4 == 0 || i % 4 == 3).map(|(_, combination)| combination)
}

#[test]
fn the_legal_combinations_are_those_of_the_rules() {
    let mut count = 0;
    for spec in all_specs() {
        let (maintenance, kernel) = (spec.maintenance.name(), spec.kernel.name());
        let partner = match maintenance {
            "simple" | "nn" | "joint" => Some(Rule::PassiveAggressive),
            "forgetron" | "projectron" | "projectron++" => Some(Rule::Perceptron),
            "bogd" => Some(Rule::Ogd),
            _ => None,
        };
        let measures = !["none", "stop", "random", "oldest"].contains(&maintenance);
        let divides = [Rule::PassiveAggressive, Rule::Mira, Rule::OnlineKernel].contains(&spec.rule());
        let merges = ["merge", "merge-newest"].contains(&maintenance);
        let moves = spec.metric != MetricLearning::None;
        let free =
            partner.is_none() && !["project", "project-best", "margin", "distill"].contains(&maintenance);
        let expected = (free || !moves && spec.linear.is_none())
            && (!(merges || moves) || ["rbf", "rational-quadratic"].contains(&kernel))
            && (kernel != "sigmoid" || !(measures || divides))
            && partner.is_none_or(|rule| rule == spec.rule())
            && (spec.rate.is_none()
                || !["none", "stop", "merge-newest", "margin", "distill"].contains(&maintenance));
        assert_eq!(spec.check().is_ok(), expected, "{} {maintenance} {kernel}", spec.algorithm);
        count += usize::from(expected);
    }
    // Merging, of two kinds, has two kernels. Four strategies take the indefinite one too, with rules that do not
    // divide by lengths. Generic: ten strategies but merging, with eight variants of SGD, three of the Perceptron, two
    // of gradient descent, and six passive-aggressive ones, two of MIRA; three more with PA, three with the Perceptron,
    // one with descent.
    let (every, definite) = (KernelName::ALL.len(), KernelName::ALL.len() - 1);
    let (sums, quotients) = (4 * every + 6 * definite + 4, 10 * definite + 4);
    let others = 3 * definite * 6 + 3 * definite * 3 + definite * 2;
    // At a rate: two strategies that take any kernel, four that measure lengths, and one kind of merging.
    let at_a_rate = 2 * every + 4 * definite + 2;
    // Eight strategies are free for a linear part: four take any kernel, two measure lengths, and two merge; beside a
    // rule that divides by lengths, of which there are two, all ask for a definite kernel. A metric has two kernels.
    let linear = (4 * every + 2 * definite + 4) + 2 * (6 * definite + 4);
    let metrics = 2 * 8 * 2;
    assert_eq!(count, sums * 13 + quotients * 8 + others + at_a_rate + linear + metrics);
    assert_eq!(legal().len(), 2 * count);
}
