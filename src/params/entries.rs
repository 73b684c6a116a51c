//! The table entries of all parameters except the parameters of kernels and losses.

use super::{
    Average, ClassWeight, Forget, Maintenance, MetricLearning, Missing, MissingValues, Scaling, Spec,
};
use crate::kernel::{GAMMA, Gamma, KERNEL, KernelName};
use crate::losses::{LOSS, Loss, Rule};
use crate::parameter::{Field, Form, Named, Range, field, info};

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
    budget = Some(500), AppliesTo::All, info("budget", &[Form::Count(1, MAX_SUPPORT), Form::None],
        "The largest number of support vectors. A larger budget is more accurate and slower, and takes \
         more memory. Raise it until the accuracy stops improving: 100 to 1000 suits most data. None \
         sets no limit; only strategies that work without a budget accept None.");

    maintenance = Maintenance::default(), AppliesTo::All,
        info("maintenance", &[Form::Choice(Maintenance::names)],
        "What happens when the model exceeds the budget.");

    loss = Loss::default(), AppliesTo::Rule(|rule| rule.losses().len() > 1), LOSS;

    n_neighbors = None, AppliesTo::Maintenance, info("n_neighbors", &[Form::Count(1, 64), Form::None],
        "The number of support vectors that the removed one is projected onto: the nearest ones in \
         addition to the newest with \"nn\", the most correlated ones with \"project-nn\". More of them \
         lose less of the model and take longer. None is 1 with \"nn\", 4 with \"project-nn\".");

    may_discard_new = false, AppliesTo::Maintenance, info("may_discard_new", &[Form::Flag],
        "Whether the newest support vector may be removed instead of another one, if this gives a lower \
         objective: half the squared change of the model plus C times the loss of the row.");

    rate = None, AppliesTo::Rule(is_sgd),
        info("rate", &[Form::Number(Range::open(0.0, f64::INFINITY)), Form::Word("auto"), Form::None],
        "Lets the model grow with the stream (not a learning rate): a model that exceeds the budget \
         after row t is reduced only with probability ``min(rate / t, 1)``. A smaller rate keeps more \
         support vectors. \"auto\" is ``0.6 * stream_length``. None reduces the model whenever it \
         exceeds the budget. The method is NBSGD by Le et al. (2016).");

    max_size = None, AppliesTo::Rule(is_sgd), info("max_size", &[Form::Count(1, MAX_SUPPORT), Form::None],
        "The largest number of support vectors of a model that grows by `rate`, at least `budget`. Set \
         it to bound memory. None sets no limit.");

    stream_length = None, AppliesTo::All, info("stream_length", &[Form::Count(1, 1 << 53), Form::None],
        "The number of rows of the whole stream. An `average` over a share of the rows is exact only \
         with this number, and the rate \"auto\" of stochastic gradient descent needs it. None means \
         unknown.");

    average = Average::Last, AppliesTo::All, info("average",
        &[
            Form::Bool(false),
            Form::Bool(true),
            Form::Number(Range::closed(1e-3, 1.0)),
            Form::Word("polynomial"),
            Form::Word("random"),
        ],
        "The model used for prediction. False is the latest model. An average has less noise than the \
         latest model, which helps most if labels or targets are noisy. \"polynomial\" weights the model \
         after row t by about t^9, so the last tenth of the stream dominates (polynomial-decay \
         averaging). A number p averages the models of the last share p of the rows (suffix averaging); \
         True is p = 0.5. \"random\" is one random model of the last half of the rows. Removing a support \
         vector also removes it from the average, so combine averaging with merging or projection.");

    alpha = 1e-4, AppliesTo::Rule(|rule| match rule {
    Rule::Sgd | Rule::Ogd => true,
    Rule::PassiveAggressive | Rule::Perceptron | Rule::Mira | Rule::OnlineKernel => false,
}), info("alpha",
        // Squares and products of steps and scales fit into single precision.
        &[Form::Number(Range::closed(1e-20, 1e20))],
        "The regularization strength, lambda in the papers. Increase it on noisy data, decrease it if \
         the model underfits: try 1e-6 to 1e-3.");

    project_to_ball = false, AppliesTo::Rule(is_sgd), info("project_to_ball", &[Form::Flag],
        "Whether the weight vector is projected onto the ball of radius ``1 / sqrt(alpha)`` after each \
         update. With the loss \"squared_error\" of regression the radius is ``max |y| / sqrt(alpha)``.");

    c = 1.0, AppliesTo::Rule(|rule| match rule {
    Rule::PassiveAggressive | Rule::Mira => true,
    Rule::Sgd | Rule::Perceptron | Rule::Ogd | Rule::OnlineKernel => false,
}), info("C", &[Form::Number(Range::closed(1e-20, 1e15))],
        "The largest step of an update. Decrease it on noisy data: try 0.01 to 10. Sample weights \
         multiply it. With the loss \"squared_hinge\" of classification steps can be longer.");

    c0 = 60.0, AppliesTo::Rule(is_online_kernel), info("C0", &[Form::Number(Range::closed(1e-20, 1e15))],
        "The largest step at the first row; in regression, in standard deviations of the targets. The \
         default suits most data: decrease it only if the labels or targets are noisy. Sample weights \
         multiply it.");

    c_decay = true, AppliesTo::Rule(is_online_kernel), info("C_decay", &[Form::Flag],
        "Whether the largest step decreases with the effective sample size n: ``C0 / sqrt(n)``. Drift \
         reduces the effective sample size, so steps grow again.");

    noise_margin = Some(1.25), AppliesTo::Spec(has_noise_margin, "algorithm = \"online-kernel\" in classification"),
        info("noise_margin", &[Form::Number(Range::closed(0.0, 1e6)), Form::None],
        "Skips rows whose label is probably wrong, namely rows with a margin below ``-noise_margin``. Rows \
         are skipped only while the model mispredicts less than half of the recent rows of the class of the \
         row. Steps can be shorter while the share of rows with a margin below -0.5 is more than 0.05 times \
         the error rate of always predicting the largest class. Both only where no drift lowers the \
         effective sample size below 5,000. None skips no row and does not shorten steps.");

    forget = Forget::None, AppliesTo::Rule(is_online_kernel),
        info("forget", &[Form::Word("auto"), Form::Count(1, 1 << 53), Form::None],
        "How the model forgets earlier rows: \"auto\" only after a drift, which it detects; a number n \
         always, so that about the last n rows count; None never. \"auto\" requires \
         ``average=\"polynomial\"``. Use None for data without drift.");

    margin = None, AppliesTo::Spec(
        has_margin,
        "MIRA, the Perceptron (except with maintenance = \"forgetron\", \"projectron\" or \"projectron++\"), or \
         maintenance = \"distill\"",
    ), info("margin", &[Form::Number(Range::closed(0.0, 1e6)), Form::None],
        "The margin required of a row: a MIRA step raises a smaller margin to it, and the Perceptron \
         learns the rows with at most this margin (beta in Crammer, Kandola and Singer 2003). With the \
         maintenance \"distill\", support vectors whose leave-one-out margin is at least `margin` are \
         removed. A larger margin means more updates. None is 0.01 with MIRA and with the maintenance \
         \"margin\" or \"distill\", otherwise 0.");

    eta = 0.3, AppliesTo::Maintenance, info("eta", &[Form::Number(Range::closed(0.0, 1e15))],
        "The largest distance, in feature space, between a row and the span of the support vectors at \
         which the row is projected onto the span instead of becoming a support vector (not a step \
         size). A larger value gives fewer support vectors and a coarser model.");

    eta0 = 0.2, AppliesTo::Rule(|rule| rule == Rule::Ogd),
        info("eta0", &[Form::Number(Range::closed(1e-10, 1e3))],
        "The constant step size; ``eta0 * alpha`` must be at most 0.99.");

    max_coef = 10.0, AppliesTo::Maintenance, info("max_coef", &[Form::Number(Range::closed(1.0, 1e6))],
        "The largest coefficient of a support vector, as a multiple of `eta0`.");

    class_weight = ClassWeight::default(), AppliesTo::Spec(has_classes, "classification"),
        info("class_weight", &[Form::Word("balanced"), Form::LabelWeights, Form::None],
        "\"balanced\" gives all classes the same total weight; use it if rare classes matter as much as \
         frequent ones. The weight of row t is multiplied by ``(t + 10 * n_classes) / (n_classes * (n + \
         10))``, at most 100, where n counts the rows of its class so far. A dict multiplies the weight \
         of each row by the weight of its label, 1 for labels that are not in the dict; rows of weight 0 \
         are skipped. None leaves weights unchanged.");

    hash_features = None, AppliesTo::All, info("hash_features", &[Form::Count(2, 1 << 20), Form::None],
        "The number of features that the columns of each row are hashed into. Use it for text and other \
         rows with 2^16 columns or more: try 2^10 to 2^18 features. Inner products of rows are unbiased, \
         with an error of about ``1 / sqrt(hash_features)`` times the norms of the rows. Missing values \
         raise an error. None does not hash. The method is feature hashing by Weinberger et al. (2009).");

    scaling = Scaling::default(), AppliesTo::All, info("scaling", &[Form::Choice(Scaling::names)],
        "\"online\" standardises each feature by its running mean and standard deviation and clips the \
         result at 3 standard deviations; \"none\" does not scale. Use \"online\" unless the features are \
         scaled already. The mean and the standard deviation cover recent rows only in two cases: after a \
         drift that \"online-kernel\" detects, and with a number as `forget`. A value more \
         than 30 median absolute deviations from the median does not update the mean and the standard \
         deviation. Any other value more than ``2 sqrt(n)`` standard deviations from the mean of n rows \
         updates them as if it were at this distance. Zeros are shifted too, so a sparse row takes time \
         proportional to the number of features.");

    missing = Missing::default(), AppliesTo::Spec(accepts_nan, "scaling = \"online\" and hash_features = None"),
        info("missing", &[Form::Choice(Missing::names)],
        "What happens to NaN: \"mean\" replaces NaN by the running mean of the feature, and NaN does not \
         change this mean; \"error\" raises an error. Infinity always raises an error.");

    missing_values = MissingValues::default(),
        AppliesTo::Spec(accepts_nan, "scaling = \"online\" and hash_features = None"),
        info("missing_values", &[Form::Number(Range::open(f64::NEG_INFINITY, f64::INFINITY)), Form::Numbers, Form::None],
        "The numbers that mean missing, such as -999: a feature with one of these values is treated \
         exactly as NaN. They are compared in the float type of the model. Text and categorical columns \
         keep them as categories. None means that only NaN is missing.");

    metric_learning = MetricLearning::default(), AppliesTo::All,
        info("metric_learning", &[Form::Choice(MetricLearning::names)],
        "Learns a linear map of the features from the rows that change the model, so that irrelevant \
         features count less. \"full\" learns a matrix, \"diagonal\" a scale for each feature; \"auto\" \
         learns a matrix if the model starts with at most 64 features, otherwise scales; \"none\" learns \
         nothing. Only for the kernels rbf and rational-quadratic.");

    linear_weight = None, AppliesTo::All,
        info("linear_weight", &[Form::Number(Range::closed(1e-6, 1e6)), Form::None],
        "The weight of a linear term, which needs no support vectors; in regression with \
         \"online-kernel\", the initial variance of the linear term's weights. Use a linear term if part \
         of the target is linear. The kernel becomes ``k + linear_weight * (x @ x' + 1) / (n_features + \
         1)``. Exception: in regression with \"online-kernel\" the linear term takes second-order steps \
         (AROW). None has no linear term.");

    kernel = KernelName::default(), AppliesTo::All, KERNEL;

    gamma = Gamma::default(), AppliesTo::Kernel, GAMMA;

    seed = 0, AppliesTo::All, info("seed", &[Form::Seed],
        "The seed of all random choices.");
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
