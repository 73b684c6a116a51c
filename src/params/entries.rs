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
        description: "The largest number of support vectors. A larger budget is more accurate and slower; time and \
                      memory per row are proportional to it. Raise it until the accuracy stops improving: 100 to \
                      1000 suits most data. None sets no limit, for strategies that need no budget.",
    };

    maintenance = Maintenance::default(), AppliesTo::All, ParameterInfo {
        name: "maintenance",
        forms: &[Form::Choice(Maintenance::names)],
        description: "What happens when the model exceeds the budget.",
    };

    loss = Loss::default(), AppliesTo::Rule(|rule| rule.losses().len() > 1), LOSS;

    n_neighbors = None, AppliesTo::Maintenance, ParameterInfo {
        name: "n_neighbors",
        forms: &[Form::Count(1, 64), Form::None],
        description: "How many nearest neighbours the removed support vector is projected onto. More neighbours \
                      lose less of the model and take longer. None is 1 with \"nn\", 4 with \"project-nn\".",
    };

    may_discard_new = false, AppliesTo::Maintenance, ParameterInfo {
        name: "may_discard_new",
        forms: &[Form::Flag],
        description: "Whether the new support vector may be discarded instead of an old one, if that gives a lower \
                      value of the objective.",
    };

    rate = None, AppliesTo::Rule(is_sgd), ParameterInfo {
        name: "rate",
        forms: &[Form::Number(Range::open(0.0, f64::INFINITY)), Form::Word("auto"), Form::None],
        description: "Lets the model grow with the stream: when it exceeds the budget, maintenance runs after row \
                      t with probability ``min(rate / t, 1)``. A smaller rate keeps more support vectors. \"auto\" \
                      is ``0.6 * stream_length``; None runs maintenance whenever the model exceeds the budget. \
                      NBSGD, Le et al. (2016).",
    };

    max_size = None, AppliesTo::Rule(is_sgd), ParameterInfo {
        name: "max_size",
        forms: &[Form::Count(1, MAX_SUPPORT), Form::None],
        description: "The largest number of support vectors with a `rate`, at least `budget`. Set it to bound \
                      memory. None sets no limit.",
    };

    stream_length = None, AppliesTo::All, ParameterInfo {
        name: "stream_length",
        forms: &[Form::Count(1, 1 << 53), Form::None],
        description: "The number of rows of the whole stream, which ``rate=\"auto\"`` and `average` need to be \
                      exact. None means unknown.",
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
        description: "The model used for prediction. False is the last model. Averaging reduces the noise of \
                      single steps and helps most on data with label noise. \"polynomial\" weights model t by \
                      about t^9, so the last tenth of the stream dominates (polynomial-decay averaging). A number \
                      p averages the models of the last share p of the rows (suffix averaging); True is 0.5. \
                      \"random\" is one random model of the last half. Removing a support vector also removes it \
                      from the average, so combine averaging with merging or projection.",
    };

    alpha = 1e-4, AppliesTo::Rule(|rule| match rule {
    Rule::Sgd | Rule::Ogd => true,
    Rule::PassiveAggressive | Rule::Perceptron | Rule::Mira | Rule::OnlineKernel => false,
}), ParameterInfo {
        name: "alpha",
        // Squares and products of steps and scales fit into single precision.
        forms: &[Form::Number(Range::closed(1e-20, 1e20))],
        description: "The regularization strength, lambda in the papers. Increase it on noisy data, decrease it if \
                      the model underfits: try 1e-6 to 1e-3.",
    };

    project_to_ball = false, AppliesTo::Rule(is_sgd), ParameterInfo {
        name: "project_to_ball",
        forms: &[Form::Flag],
        description: "Whether the weight vector is projected onto the ball of radius ``1 / sqrt(alpha)`` after \
                      each update; with \"squared_error\" the radius is ``max |y| / sqrt(alpha)``.",
    };

    c = 1.0, AppliesTo::Rule(|rule| match rule {
    Rule::PassiveAggressive | Rule::Mira => true,
    Rule::Sgd | Rule::Perceptron | Rule::Ogd | Rule::OnlineKernel => false,
}), ParameterInfo {
        name: "C",
        forms: &[Form::Number(Range::closed(1e-20, 1e15))],
        description: "The largest step of an update. Decrease it on noisy data: try 0.01 to 10. Sample weights \
                      multiply it. With \"squared_hinge\" steps can be longer.",
    };

    c0 = 60.0, AppliesTo::Rule(is_online_kernel), ParameterInfo {
        name: "C0",
        forms: &[Form::Number(Range::closed(1e-20, 1e15))],
        description: "The largest step at the first row; in regression, in standard deviations of the targets. The \
                      default suits most data: decrease it only if the labels are noisy. Sample weights multiply \
                      it.",
    };

    c_decay = true, AppliesTo::Rule(is_online_kernel), ParameterInfo {
        name: "C_decay",
        forms: &[Form::Flag],
        description: "Whether the largest step decreases with the effective sample size n: ``C0 / sqrt(n)``. Drift \
                      reduces the effective sample size, so steps grow again.",
    };

    noise_margin = Some(1.25), AppliesTo::Spec(has_noise_margin, "algorithm = \"online-kernel\", classification"), ParameterInfo {
        name: "noise_margin",
        forms: &[Form::Number(Range::closed(0.0, 1e6)), Form::None],
        description: "Skips rows whose label is probably wrong, namely rows with a margin below ``-noise_margin`` \
                      (``-2 * noise_margin`` during drift). Rows are skipped only while less than 40% of recent \
                      rows, and less than 80% of the recent rows of the class (a rare class: 50%), are \
                      mispredicted. With two classes, steps are shorter while many mistakes are confident. None \
                      learns every row with the largest step of `C0`.",
    };

    forget = Forget::None, AppliesTo::Rule(is_online_kernel), ParameterInfo {
        name: "forget",
        forms: &[Form::Word("auto"), Form::Count(1, 1 << 53), Form::None],
        description: "How fast the model forgets. \"auto\" detects drift and discards the part of the model that \
                      drift made useless; it requires ``average=\"polynomial\"``. A number n weights about the \
                      last n rows. None never forgets: use it for data without drift.",
    };

    margin = None, AppliesTo::Spec(
        has_margin,
        "MIRA, the Perceptron (but with maintenance = \"forgetron\", \"projectron\" or \"projectron++\"), or \
         maintenance = \"distill\"",
    ), ParameterInfo {
        name: "margin",
        forms: &[Form::Number(Range::closed(0.0, 1e6)), Form::None],
        description: "The margin that a row must have (Crammer's beta). The Perceptron updates on rows with a \
                      smaller margin, a MIRA step raises the margin to it, and ``maintenance=\"distill\"`` removes \
                      support vectors whose leave-one-out margin reaches it. A larger margin means more updates. \
                      None is 0.01 with MIRA, ``maintenance=\"margin\"`` or ``\"distill\"``, otherwise 0.",
    };

    eta = 0.3, AppliesTo::Maintenance, ParameterInfo {
        name: "eta",
        forms: &[Form::Number(Range::closed(0.0, 1e15))],
        description: "The largest distance in feature space from the span of the support vectors at which an \
                      example is projected onto the span. A larger value gives fewer support vectors and a coarser \
                      model.",
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
        description: "\"balanced\" gives all classes the same total weight; use it if rare classes matter as much \
                      as frequent ones. It multiplies the weight of row t by ``(t + 10 * n_classes) / (n_classes * \
                      (n + 10))``, at most 100, where n counts the rows of its class so far. None leaves weights \
                      unchanged.",
    };

    hash_features = None, AppliesTo::All, ParameterInfo {
        name: "hash_features",
        forms: &[Form::Count(2, 1 << 20), Form::None],
        description: "The number of features that the columns of each row are hashed into (feature hashing, \
                      Weinberger et al. 2009). Use it for text and other rows with 2^16 columns or more: 2^10 to \
                      2^18 features. Inner products of rows are unbiased, with an error of about ``1 / \
                      sqrt(hash_features)`` times the norms. Missing values raise an error. None does not hash.",
    };

    scaling = Scaling::default(), AppliesTo::All, ParameterInfo {
        name: "scaling",
        forms: &[Form::Choice(Scaling::names)],
        description: "\"online\" standardises each feature by its running mean and standard deviation \
                      (online-kernel with `forget`: of recent rows) and clips it at 3 deviations. Use it unless \
                      the features are scaled already. After n rows, mean and deviation are updated with the value \
                      clipped at ``2 sqrt(n)`` deviations from the mean. Zeros are shifted too, so sparse rows \
                      become dense. \"none\" does not scale.",
    };

    missing = Missing::default(), AppliesTo::Spec(accepts_nan, "scaling = \"online\", hash_features = None"), ParameterInfo {
        name: "missing",
        forms: &[Form::Choice(Missing::names)],
        description: "What happens to NaN: \"mean\" replaces it by the running mean of its feature, which stays \
                      unchanged; \"error\" raises an error. Infinity always raises an error.",
    };

    metric_learning = MetricLearning::default(), AppliesTo::All, ParameterInfo {
        name: "metric_learning",
        forms: &[Form::Choice(MetricLearning::names)],
        description: "Learns a linear map of the features from margin violations, so that irrelevant features \
                      count less. \"full\" learns a matrix, \"diagonal\" a scale for each feature, \"auto\" a \
                      matrix for up to 64 features and otherwise scales; \"none\" learns nothing. Only for the \
                      kernels rbf and rational-quadratic.",
    };

    linear_weight = None, AppliesTo::All, ParameterInfo {
        name: "linear_weight",
        forms: &[Form::Number(Range::closed(1e-6, 1e6)), Form::None],
        description: "The weight of a linear term, which needs no support vectors: the kernel becomes ``k + \
                      linear_weight * (x @ x' + 1) / (n_features + 1)``. Use it if part of the target is linear. \
                      In regression with \"online-kernel\" the linear term is learned by second-order (AROW) \
                      steps, and `linear_weight` is the initial variance of its weights. None has no linear term.",
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
