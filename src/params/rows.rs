//! The rows of the parameters that neither the kernel nor the loss brings with it.

use super::{Average, ClassWeight, Forget, Maintenance, Metric, Missing, Scale, Spec};
use crate::kernel::{GAMMA, Gamma, KERNEL, KernelName};
use crate::losses::{LOSS, Loss, Rule};
use crate::parameter::{Field, Form, Named, Range, Row, field};

/// The largest number of support vectors: slots are counted in 32 bits.
const MOST: u64 = 1 << 24;

/// When a parameter means something.
#[derive(Clone, Copy)]
pub(super) enum When {
    Always,
    Rule(fn(Rule) -> bool),
    Maintenance(fn(Maintenance) -> bool),
    /// Where the loss has it.
    Loss,
    /// Where the kernel has it.
    Kernel,
    /// As the words say.
    Mixed(fn(&Spec) -> bool, &'static str),
}

/// A parameter of the algorithm: its row, its field, and when it applies.
pub(super) struct Own(pub(super) When, pub(super) Field<Spec>);

/// The rows: field, default, when it applies, and what is written of it.
macro_rules! rows {
    ($($field:ident = $default:expr, $when:expr, $row:expr;)*) => {
        /// The rows of [`Spec`]'s own fields. What decides whether others apply comes first.
        pub(super) static OWN: &[Own] = &[$(Own($when, field!($field, $row))),*];

        /// The parameters with their defaults.
        pub(super) fn defaults(algorithm: &'static str) -> Spec {
            let (loss_parameters, kernel_parameters) = Default::default();
            Spec { algorithm, loss_parameters, kernel_parameters, $($field: $default),* }
        }
    };
}

rows! {
    budget = Some(500), When::Always, Row {
        name: "budget",
        forms: &[Form::Count(1, MOST), Form::None],
        description: "The largest number of support vectors. None is unbounded, for strategies that need no budget.",
    };

    maintenance = Maintenance::default(), When::Always, Row {
        name: "maintenance",
        forms: &[Form::Choice(Maintenance::names)],
        description: "The strategy that restores the budget.",
    };

    loss = Loss::default(), When::Rule(|rule| rule.losses().len() > 1), LOSS;

    n_neighbors = None, When::Maintenance(|maintenance| maintenance.neighbors().is_some()), Row {
        name: "n_neighbors",
        forms: &[Form::Count(1, 64), Form::None],
        description: "The number of neighbours that take a share of the support vector that is removed. None is 1 \
                  with \"nn\", 4 with \"project-nn\".",
    };

    newcomer_may_leave = false, When::Maintenance(|maintenance| maintenance == Maintenance::Simple), Row {
        name: "newcomer_may_leave",
        forms: &[Form::Flag],
        description: "Whether the new example is discarded instead of an old support vector if that gives a lower \
                      value of the objective.",
    };

    rate = None, When::Rule(is_sgd), Row {
        name: "rate",
        forms: &[Form::Number(Range::open(0.0, f64::INFINITY)), Form::Word("auto"), Form::None],
        description: "Lets the model grow: over budget, maintenance runs after row t with probability \
                      ``min(rate / t, 1)``. \"auto\" is ``0.6 * stream_length``, None is after every row. NBSGD, Le et \
                      al. (2016).",
    };

    max_size = None, When::Rule(is_sgd), Row {
        name: "max_size",
        forms: &[Form::Count(1, MOST), Form::None],
        description: "With a `rate`, the largest number of support vectors, at least `budget`. None is without \
                  bound.",
    };

    stream_length = None, When::Always, Row {
        name: "stream_length",
        forms: &[Form::Count(1, 1 << 53), Form::None],
        description: "The number of rows there will be, for ``rate=\"auto\"`` and `average`. None is unknown.",
    };

    average = Average::Last, When::Always, Row {
        name: "average",
        forms: &[
        Form::Bool(false),
        Form::Bool(true),
        Form::Number(Range::closed(1e-3, 1.0)),
        Form::Word("late"),
        Form::Word("random"),
    ],
        description: "The model that predicts. False is the last one. A number p is the mean of the models of the last share \
                  p of the rows, True is 0.5; \"late\" is the weighted mean of all models, with weights of about t^9, so \
                  that the last tenth dominates; \"random\" is one model drawn from the last half. A mean loses the \
                  support vectors that are removed, so averages work best with merging or projection.",
    };

    alpha = 1e-4, When::Rule(|rule| match rule {
    Rule::Sgd | Rule::Ogd => true,
    Rule::PassiveAggressive | Rule::Perceptron | Rule::Mira | Rule::OnlineKernel => false,
}), Row {
        name: "alpha",
    // Squares and products of what follows from it fit into single precision.
        forms: &[Form::Number(Range::closed(1e-20, 1e20))],
        description: "The regularization, the papers' lambda.",
    };

    ball = false, When::Rule(is_sgd), Row {
        name: "ball",
        forms: &[Form::Flag],
        description: "Whether the weight vector is projected on the ball of radius ``1 / sqrt(alpha)`` after each \
                  update; with \"squared_error\" the radius is ``max |y| / sqrt(alpha)``.",
    };

    c = 1.0, When::Rule(|rule| match rule {
    Rule::PassiveAggressive | Rule::Mira => true,
    Rule::Sgd | Rule::Perceptron | Rule::Ogd | Rule::OnlineKernel => false,
}), Row {
        name: "C",
        forms: &[Form::Number(Range::closed(1e-20, 1e15))],
        description: "The largest step; with \"squared_hinge\" steps can be longer. The weight of a row multiplies it.",
    };

    c0 = 60.0, When::Rule(is_online_kernel), Row {
        name: "C0",
        forms: &[Form::Number(Range::closed(1e-20, 1e15))],
        description: "The largest step at the first row; in regression, in deviations of the targets. The weight of a row \
                      multiplies it.",
    };

    decay = true, When::Rule(is_online_kernel), Row {
        name: "decay",
        forms: &[Form::Flag],
        description: "Whether the largest step falls with the number t of rows that are not forgotten: ``C0 / sqrt(t)``.",
    };

    ramp = Some(1.25), When::Mixed(has_ramp, "algorithm = \"online-kernel\", classification"), Row {
        name: "ramp",
        forms: &[Form::Number(Range::closed(0.0, 1e6)), Form::None],
        description: "A row with a margin below ``-ramp`` (``-2 * ramp`` while the stream is changing) is skipped, because \
                      its label is probably wrong, as long as fewer than 40% of recent rows and fewer than 90% of recent \
                      rows of its class are mispredicted. None learns every row.",
    };

    forget = Forget::None, When::Rule(is_online_kernel), Row {
        name: "forget",
        forms: &[Form::Word("auto"), Form::Count(1, 1 << 53), Form::None],
        description: "How the past is forgotten: \"auto\" detects changes of the stream and discards what they made useless \
                      (requires ``average=\"late\"``), a number n weights about the last n rows, None never forgets.",
    };

    margin = None, When::Mixed(
    has_margin,
    "MIRA, the Perceptron (but with maintenance = \"forgetron\", \"projectron\" or \"projectron++\"), or \
     maintenance = \"distill\"",
), Row {
        name: "margin",
        forms: &[Form::Number(Range::closed(0.0, 1e6)), Form::None],
        description: "The margin that an algorithm asks for (Crammer's beta): the Perceptron updates on rows with a margin \
                      up to it, a step of MIRA raises the margin to it, and ``maintenance=\"distill\"`` removes support \
                      vectors whose leave-one-out margin is at least this. None is 0.01 with MIRA or ``maintenance=\"margin\"`` or ``\"distill\"``, otherwise 0.",
    };

    eta = 0.3, When::Maintenance(Maintenance::projects_newcomers), Row {
        name: "eta",
        forms: &[Form::Number(Range::closed(0.0, 1e15))],
        description: "The largest distance from the span of the support vectors, in feature space, that is \
                  projected away.",
    };

    eta0 = 0.2, When::Rule(|rule| rule == Rule::Ogd), Row {
        name: "eta0",
        forms: &[Form::Number(Range::closed(1e-10, 1e3))],
        description: "The constant step; ``eta0 * alpha`` is at most 0.99.",
    };

    clip = 10.0, When::Maintenance(|maintenance| maintenance == Maintenance::Bogd), Row {
        name: "clip",
        forms: &[Form::Number(Range::closed(1.0, 1e6))],
        description: "The largest coefficient, as a multiple of `eta0`.",
    };

    class_weight = ClassWeight::default(), When::Mixed(has_classes, "classification"), Row {
        name: "class_weight",
        forms: &[Form::Word("balanced"), Form::None],
        description: "\"balanced\" multiplies the weight of row t by about ``t / (n_classes * n)``, n being the rows of its \
                      class so far, this one included, so that each class counts the same: by ``(t + 10 * n_classes) / \
                      (n_classes * (n + 10))`` with the classes seen so far, 100 at most. None leaves weights as they are.",
    };

    hash_features = None, When::Always, Row {
        name: "hash_features",
        forms: &[Form::Count(2, 1 << 20), Form::None],
        description: "Folds the columns of each row into so many features before anything else is done with it, at the cost \
                      of the row's entries, so that rows may have any number of columns (text: 2^18 and more). A column \
                      adds to the feature that a hash of its number and of the seed says, with a sign that the hash says \
                      too (Weinberger et al. 2009). Columns in one feature cannot be told apart again; products of rows \
                      are right on average, with an error of about ``1 / sqrt(hash_features)`` of their lengths. Missing \
                      values are refused. None takes rows as they are.",
    };

    scale = Scale::default(), When::Always, Row {
        name: "scale",
        forms: &[Form::Word("online"), Form::None],
        description: "\"online\" standardises each feature by its mean and standard deviation over the rows learned so \
                      far (online-kernel with `forget`: recent rows), and clips at 3 deviations; after n rows a value counts in mean \
                      and deviation as one at most ``2 sqrt(n)`` deviations from the mean. Zeros are shifted too, so sparse \
                      rows become dense. None takes rows as they are.",
    };

    missing = Missing::default(), When::Mixed(may_miss, "scale = \"online\", hash_features = None"), Row {
        name: "missing",
        forms: &[Form::Choice(Missing::names)],
        description: "How NaN in a row is treated: \"mean\" replaces it by the mean of its feature over the rows learned so \
                      far, and does not count it in that mean; \"error\" refuses it. Infinity is always refused.",
    };

    metric = Metric::default(), When::Always, Row {
        name: "metric",
        forms: &[Form::Choice(Metric::names)],
        description: "The metric of the kernel, learned from violations of the margin: \"diagonal\" is a scale for each \
                      feature, \"full\" a matrix, \"auto\" a matrix up to 64 features. For kernels rbf and \
                      rational-quadratic.",
    };

    linear = None, When::Always, Row {
        name: "linear",
        forms: &[Form::Number(Range::closed(1e-6, 1e6)), Form::None],
        description: "The weight of a linear part beside the kernel, which needs no support vectors: the kernel becomes \
                      ``k + linear * (x @ x' + 1) / (n_features + 1)``. In regression with \"online-kernel\" it is learned \
                      by second-order (AROW) steps instead, and `linear` is the initial variance of its weights: the \
                      first steps are those of the kernel ``k + linear * (x @ x' + 1)``. None is without one.",
    };

    kernel = KernelName::default(), When::Always, KERNEL;

    gamma = Gamma::default(), When::Kernel, GAMMA;

    seed = 0, When::Always, Row {
        name: "seed",
        forms: &[Form::Seed],
        description: "The seed of all random choices.",
    };
}

fn has_classes(spec: &Spec) -> bool {
    !spec.loss.is_regression()
}

/// A missing value has no mean of its own in a sum of columns.
fn may_miss(spec: &Spec) -> bool {
    spec.scale == Scale::Online && spec.hash_features.is_none()
}

fn has_ramp(spec: &Spec) -> bool {
    is_online_kernel(spec.rule()) && has_classes(spec)
}

fn is_online_kernel(rule: Rule) -> bool {
    rule == Rule::OnlineKernel
}

fn is_sgd(rule: Rule) -> bool {
    rule == Rule::Sgd
}

/// The other strategies of the Perceptron have a trigger of their own.
fn has_margin(spec: &Spec) -> bool {
    match spec.rule() {
        Rule::Mira => true,
        Rule::Perceptron => spec.maintenance.rule().is_none(),
        Rule::Sgd | Rule::PassiveAggressive | Rule::Ogd | Rule::OnlineKernel => {
            spec.maintenance == Maintenance::Distill
        }
    }
}
