//! The table entries of all parameters except the parameters of kernels and losses.

use super::{Average, ClassWeight, Forget, Maintenance, MetricLearning, Missing, Scaling, Spec};
use crate::kernel::{GAMMA, Gamma, KERNEL, KernelName};
use crate::losses::{LOSS, Loss, Rule};
use crate::parameter::{Field, Form, Named, ParameterInfo, Range, field};

/// The largest number of support vectors: slots are counted in 32 bits.
const MAX_SUPPORT: u64 = 1 << 24;

/// The choices that a parameter applies to.
#[derive(Clone, Copy)]
pub(super) enum AppliesTo {
    All,
    /// Update rules.
    Rule(fn(Rule) -> bool),
    /// The strategies that list the parameter in their table entry.
    Maintenance,
    /// The losses that list the parameter in their table entry.
    Loss,
    /// The kernels that list the parameter in their table entry.
    Kernel,
    /// Specifications, with a description.
    Spec(fn(&Spec) -> bool, &'static str),
}

/// The table entry of a parameter that is a field of [`Spec`].
pub(super) struct ParameterEntry {
    pub(super) applies_to: AppliesTo,
    pub(super) field: Field<Spec>,
}

/// The table: for each parameter its field, default, the choices that it applies to, and its info.
macro_rules! entries {
    ($($field:ident = $default:expr, $applies_to:expr, $info:expr;)*) => {
        /// The table of the fields of [`Spec`]. A parameter that decides whether others apply comes before them.
        pub(super) static ENTRIES: &[ParameterEntry] =
            &[$(ParameterEntry { applies_to: $applies_to, field: field!($field, $info) }),*];

        /// The default parameters of an algorithm.
        pub(super) fn defaults(algorithm: &'static str) -> Spec {
            let (loss_parameters, kernel_parameters) = Default::default();
            Spec { algorithm, loss_parameters, kernel_parameters, $($field: $default),* }
        }
    };
}

entries! {
    budget = Some(500), AppliesTo::All, ParameterInfo {
        name: "budget",
        forms: &[Form::Count(1, MAX_SUPPORT), Form::None],
        description: "The largest number of support vectors. None is unbounded, for strategies that need no budget.",
    };

    maintenance = Maintenance::default(), AppliesTo::All, ParameterInfo {
        name: "maintenance",
        forms: &[Form::Choice(Maintenance::names)],
        description: "The budget maintenance strategy: what happens when the model is over budget.",
    };

    loss = Loss::default(), AppliesTo::Rule(|rule| rule.losses().len() > 1), LOSS;

    n_neighbors = None, AppliesTo::Maintenance, ParameterInfo {
        name: "n_neighbors",
        forms: &[Form::Count(1, 64), Form::None],
        description: "The number of nearest neighbours that the removed support vector is projected on. None is 1 with \
                      \"nn\", 4 with \"project-nn\".",
    };

    may_discard_new = false, AppliesTo::Maintenance, ParameterInfo {
        name: "may_discard_new",
        forms: &[Form::Flag],
        description: "Whether the new support vector is discarded instead of an old one if that gives a lower value of \
                      the objective.",
    };

    rate = None, AppliesTo::Rule(is_sgd), ParameterInfo {
        name: "rate",
        forms: &[Form::Number(Range::open(0.0, f64::INFINITY)), Form::Word("auto"), Form::None],
        description: "Lets the model grow: over budget, maintenance runs after row t with probability ``min(rate / t, \
                      1)``. \"auto\" is ``0.6 * stream_length``; None runs it whenever the model is over budget. \
                      NBSGD, Le et al. (2016).",
    };

    max_size = None, AppliesTo::Rule(is_sgd), ParameterInfo {
        name: "max_size",
        forms: &[Form::Count(1, MAX_SUPPORT), Form::None],
        description: "With a `rate`, the largest number of support vectors, at least `budget`. None sets no limit.",
    };

    stream_length = None, AppliesTo::All, ParameterInfo {
        name: "stream_length",
        forms: &[Form::Count(1, 1 << 53), Form::None],
        description: "The number of rows of the whole stream, for ``rate=\"auto\"`` and `average`. None is unknown.",
    };

    average = Average::Last, AppliesTo::All, ParameterInfo {
        name: "average",
        forms: &[
            Form::Bool(false),
            Form::Bool(true),
            Form::Number(Range::closed(1e-3, 1.0)),
            Form::Word("polynomial"),
            Form::Word("random"),
        ],
        description: "The model used for prediction. False is the last model. A number p is the mean of the models of \
                      the last share p of the rows (suffix averaging), True is 0.5; \"polynomial\" is the weighted mean of \
                      all models, with weights of about t^9, so that the last tenth dominates (polynomial-decay \
                      averaging); \"random\" is a random model of the last half. Removal of a support vector removes \
                      it from the mean too, so averages work best with merging or projection.",
    };

    alpha = 1e-4, AppliesTo::Rule(|rule| match rule {
    Rule::Sgd | Rule::Ogd => true,
    Rule::PassiveAggressive | Rule::Perceptron | Rule::Mira | Rule::OnlineKernel => false,
}), ParameterInfo {
        name: "alpha",
        // Squares and products of steps and scales fit into single precision.
        forms: &[Form::Number(Range::closed(1e-20, 1e20))],
        description: "The regularization, the papers' lambda.",
    };

    project_to_ball = false, AppliesTo::Rule(is_sgd), ParameterInfo {
        name: "project_to_ball",
        forms: &[Form::Flag],
        description: "Whether the weight vector is projected onto the ball of radius ``1 / sqrt(alpha)`` after each \
                      update; with \"squared_error\" the radius is ``max |y| / sqrt(alpha)``.",
    };

    c = 1.0, AppliesTo::Rule(|rule| match rule {
    Rule::PassiveAggressive | Rule::Mira => true,
    Rule::Sgd | Rule::Perceptron | Rule::Ogd | Rule::OnlineKernel => false,
}), ParameterInfo {
        name: "C",
        forms: &[Form::Number(Range::closed(1e-20, 1e15))],
        description: "The largest step; with \"squared_hinge\" steps can be longer. The weight of a row multiplies it.",
    };

    c0 = 60.0, AppliesTo::Rule(is_online_kernel), ParameterInfo {
        name: "C0",
        forms: &[Form::Number(Range::closed(1e-20, 1e15))],
        description: "The largest step at the first row; in regression, in standard deviations of the targets. The \
                      weight of a row multiplies it.",
    };

    c_decay = true, AppliesTo::Rule(is_online_kernel), ParameterInfo {
        name: "C_decay",
        forms: &[Form::Flag],
        description: "Whether the largest step falls with the effective number n of rows (smaller after drift): ``C0 / \
                      sqrt(n)``.",
    };

    noise_margin = Some(1.25), AppliesTo::Spec(has_noise_margin, "algorithm = \"online-kernel\", classification"), ParameterInfo {
        name: "noise_margin",
        forms: &[Form::Number(Range::closed(0.0, 1e6)), Form::None],
        description: "A row with a margin below ``-noise_margin`` (``-2 * noise_margin`` during drift) is skipped, because its label \
                      is probably wrong, as long as fewer than 40% of recent rows and fewer than 80% of recent rows of \
                      its class (a rare class: 50%) are mispredicted. With two classes, steps are short \
                      while many mistakes are confident. None learns every row, with the largest step of `C0` alone.",
    };

    forget = Forget::None, AppliesTo::Rule(is_online_kernel), ParameterInfo {
        name: "forget",
        forms: &[Form::Word("auto"), Form::Count(1, 1 << 53), Form::None],
        description: "How the model forgets: \"auto\" detects drift and discards the part of the model that it made \
                      useless (requires ``average=\"polynomial\"``), a number n weights about the last n rows, None never \
                      forgets.",
    };

    margin = None, AppliesTo::Spec(
        has_margin,
        "MIRA, the Perceptron (but with maintenance = \"forgetron\", \"projectron\" or \"projectron++\"), or \
         maintenance = \"distill\"",
    ), ParameterInfo {
        name: "margin",
        forms: &[Form::Number(Range::closed(0.0, 1e6)), Form::None],
        description: "The required margin (Crammer's beta): the Perceptron updates on rows with a margin up to it, a \
                      step of MIRA raises the margin to it, and ``maintenance=\"distill\"`` removes support vectors \
                      whose leave-one-out margin is at least this. None is 0.01 with MIRA or \
                      ``maintenance=\"margin\"`` or ``\"distill\"``, otherwise 0.",
    };

    eta = 0.3, AppliesTo::Maintenance, ParameterInfo {
        name: "eta",
        forms: &[Form::Number(Range::closed(0.0, 1e15))],
        description: "The largest distance in feature space from the span of the support vectors at which an example \
                      is projected onto the span.",
    };

    eta0 = 0.2, AppliesTo::Rule(|rule| rule == Rule::Ogd), ParameterInfo {
        name: "eta0",
        forms: &[Form::Number(Range::closed(1e-10, 1e3))],
        description: "The constant step size; ``eta0 * alpha`` is at most 0.99.",
    };

    max_coef = 10.0, AppliesTo::Maintenance, ParameterInfo {
        name: "max_coef",
        forms: &[Form::Number(Range::closed(1.0, 1e6))],
        description: "The largest coefficient, as a multiple of `eta0`.",
    };

    class_weight = ClassWeight::default(), AppliesTo::Spec(has_classes, "classification"), ParameterInfo {
        name: "class_weight",
        forms: &[Form::Word("balanced"), Form::None],
        description: "\"balanced\" multiplies the weight of row t by about ``t / (n_classes * n)``, where n counts the \
                      rows of its class so far, so that all classes have equal weight. The exact factor is ``(t + 10 * \
                      n_classes) / (n_classes * (n + 10))`` with the classes seen so far, at most 100. None leaves \
                      weights unchanged.",
    };

    hash_features = None, AppliesTo::All, ParameterInfo {
        name: "hash_features",
        forms: &[Form::Count(2, 1 << 20), Form::None],
        description: "The number of features that the columns of each row are hashed into, so that rows may have any \
                      number of columns (for text 2^18 and more). A hash of the column number and the seed gives the \
                      feature and the sign with which a column is added (feature hashing, Weinberger et al. 2009). \
                      Columns in one feature cannot be told apart; inner products of rows are unbiased, with an error \
                      of about ``1 / sqrt(hash_features)`` times the norms. Missing values raise an error. None does \
                      not hash.",
    };

    scaling = Scaling::default(), AppliesTo::All, ParameterInfo {
        name: "scaling",
        forms: &[Form::Choice(Scaling::names)],
        description: "\"online\" standardises each feature by its mean and standard deviation over the rows learned so \
                      far (online-kernel with `forget`: recent rows), and clips at 3 deviations; after n rows mean and \
                      deviation are updated with the value clipped at ``2 sqrt(n)`` deviations from the mean. Zeros \
                      are shifted too, so sparse rows become dense. \"none\" leaves rows unscaled.",
    };

    missing = Missing::default(), AppliesTo::Spec(accepts_nan, "scaling = \"online\", hash_features = None"), ParameterInfo {
        name: "missing",
        forms: &[Form::Choice(Missing::names)],
        description: "What happens to NaN in a row: \"mean\" replaces it by the mean of its feature over the rows \
                      learned so far, and leaves that mean unchanged; \"error\" raises an error. Infinity always \
                      raises an error.",
    };

    metric_learning = MetricLearning::default(), AppliesTo::All, ParameterInfo {
        name: "metric_learning",
        forms: &[Form::Choice(MetricLearning::names)],
        description: "The metric of the kernel, learned from margin violations: \"diagonal\" learns a scale for each \
                      feature, \"full\" a matrix, \"auto\" a matrix for up to 64 features and else scales. For kernels \
                      rbf and rational-quadratic.",
    };

    linear_weight = None, AppliesTo::All, ParameterInfo {
        name: "linear_weight",
        forms: &[Form::Number(Range::closed(1e-6, 1e6)), Form::None],
        description: "The weight of a linear term, which needs no support vectors: the kernel becomes ``k + linear_weight * \
                      (x @ x' + 1) / (n_features + 1)``. In regression with \"online-kernel\" the term is learned by \
                      second-order (AROW) steps instead, and `linear_weight` is the initial variance of its weights: the \
                      first steps are those with the kernel ``k + linear_weight * (x @ x' + 1)``. None has no linear term.",
    };

    kernel = KernelName::default(), AppliesTo::All, KERNEL;

    gamma = Gamma::default(), AppliesTo::Kernel, GAMMA;

    seed = 0, AppliesTo::All, ParameterInfo {
        name: "seed",
        forms: &[Form::Seed],
        description: "The seed of all random choices.",
    };
}

fn has_classes(spec: &Spec) -> bool {
    !spec.loss.is_regression()
}

/// False with hashed features: a sum of columns cannot replace one of them by its mean.
fn accepts_nan(spec: &Spec) -> bool {
    spec.scaling == Scaling::Online && spec.hash_features.is_none()
}

fn has_noise_margin(spec: &Spec) -> bool {
    is_online_kernel(spec.rule()) && has_classes(spec)
}

fn is_online_kernel(rule: Rule) -> bool {
    rule == Rule::OnlineKernel
}

fn is_sgd(rule: Rule) -> bool {
    rule == Rule::Sgd
}

/// The strategies of the Perceptron set its trigger themselves.
fn has_margin(spec: &Spec) -> bool {
    match spec.rule() {
        Rule::Mira => true,
        Rule::Perceptron => spec.maintenance.entry().rule.is_none(),
        Rule::Sgd | Rule::PassiveAggressive | Rule::Ogd | Rule::OnlineKernel => {
            spec.maintenance.has("margin")
        }
    }
}
