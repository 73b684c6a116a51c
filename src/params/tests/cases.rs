//! Valid and invalid values of every parameter.

use crate::classes::{LabelWeights, Labels};
use crate::parameter::{Form, Named};
use crate::params::{KernelName, Loss, Maintenance, Value};

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// A parameter, the valid values in its error messages, some valid values, and some invalid ones.
pub(super) type Case = (&'static str, String, Vec<Value>, Vec<Value>);

fn case(name: &'static str, expected: impl Into<String>, valid: Vec<Value>, invalid: Vec<Value>) -> Case {
    (name, expected.into(), valid, invalid)
}

fn not_numbers() -> Vec<Value> {
    vec![Value::None, Value::Bool(true), text("1")]
}

pub(super) fn cases() -> Vec<Case> {
    [choice_cases(), online_cases(), number_cases()].concat()
}

/// Parameters of `online-kernel`.
fn online_cases() -> Vec<Case> {
    let (int, float) = (Value::Int, Value::Float);
    let weights = LabelWeights::new(&Labels::Int(vec![3]), &[0.5]).map_or(Value::None, Value::LabelWeights);
    vec![
        case(
            "C0",
            "a number from 1e-20 to 1e15",
            vec![float(1e-20), int(60), float(1e15)],
            [not_numbers(), [0.0, -1.0, 2e15, f64::NAN].map(float).to_vec()].concat(),
        ),
        case(
            "hash_features",
            "an integer from 2 to 1048576, or None",
            vec![int(2), int(1 << 20), Value::None],
            vec![int(0), int(1), int(-2), int((1 << 20) + 1), float(4.0), Value::Bool(true), text("4")],
        ),
        case(
            "missing",
            r#"one of "error", "mean""#,
            vec![text("error"), text("mean")],
            vec![Value::None, Value::Bool(true), text("Mean"), int(0)],
        ),
        case(
            "missing_values",
            "a finite number, a list of 1 to 100 finite numbers, or None",
            vec![Value::Floats(vec![-999.0, 0.5]), float(-1e300), int(-999), Value::None],
            vec![
                Value::Floats(vec![]),
                Value::Floats(vec![1.0, f64::NAN]),
                Value::Floats(vec![1.0; 101]),
                float(f64::INFINITY),
                Value::Bool(true),
                text("-999"),
            ],
        ),
        case(
            "class_weight",
            r#""balanced", a dict of labels and finite weights >= 0, or None"#,
            vec![text("balanced"), weights, Value::None],
            vec![Value::Bool(true), text("Balanced"), text(""), int(1)],
        ),
        case(
            "forget",
            r#""auto", an integer from 1 to 2^53, or None"#,
            vec![Value::None, text("auto"), int(1), int(1 << 53)],
            vec![int(0), int(-1), float(10.0), text("10"), Value::Bool(true)],
        ),
        case(
            "C_decay",
            "True or False",
            vec![Value::Bool(true), Value::Bool(false)],
            vec![Value::None, int(0), int(1), float(1.0), text("true")],
        ),
        case(
            "noise_margin",
            "a number from 0 to 1e6, or None",
            vec![int(0), float(1.25), float(1e6), Value::None],
            vec![float(-1.0), float(2e6), float(f64::NAN), text("1"), Value::Bool(true)],
        ),
        case(
            "metric_learning",
            r#"one of "none", "diagonal", "full", "auto""#,
            vec![text("none"), text("diagonal"), text("full"), text("auto")],
            vec![Value::None, int(1), text("Full"), Value::Bool(true)],
        ),
        case(
            "linear_weight",
            "a number from 1e-6 to 1e6, or None",
            vec![float(1e-6), int(1), float(1e6), Value::None],
            vec![int(0), float(-1.0), float(2e6), float(f64::NAN), text("1"), Value::Bool(true)],
        ),
    ]
}

fn choice_cases() -> Vec<Case> {
    let (int, float) = (Value::Int, Value::Float);
    let not_names = || vec![Value::None, Value::Bool(true), int(1), float(1.0), text(""), text("Merge ")];
    vec![
        case(
            "budget",
            "an integer from 1 to 16777216, or None",
            vec![int(1), int(1 << 24)],
            vec![
                int(0),
                int(-1),
                int((1 << 24) + 1),
                int(i64::MAX),
                float(10.0),
                Value::Bool(true),
                text("10"),
            ],
        ),
        case(
            "maintenance",
            Form::Choice(Maintenance::names).to_string(),
            vec![text("stop"), text("project-best")],
            not_names(),
        ),
        case(
            "scaling",
            r#"one of "none", "online""#,
            vec![text("online"), text("none")],
            vec![Value::None, Value::Bool(true), text("Online"), text(""), int(1)],
        ),
        case(
            "loss",
            Form::Choice(Loss::names).to_string(),
            vec![text("hinge"), text("log_loss")],
            not_names(),
        ),
        case(
            "n_neighbors",
            "an integer from 1 to 64, or None",
            vec![int(1), int(64)],
            vec![int(0), int(-1), int(65), float(2.0), text("2"), Value::Bool(true)],
        ),
        case(
            "may_discard_new",
            "True or False",
            vec![Value::Bool(true), Value::Bool(false)],
            vec![Value::None, int(0), int(1), float(1.0), text("true")],
        ),
        case(
            "rate",
            r#"a finite number > 0, "auto", or None"#,
            vec![float(1e-3), int(600), float(1e300), Value::None],
            [vec![Value::Bool(true), text("1"), text("Auto"), int(0)], no_rates()].concat(),
        ),
        case(
            "max_size",
            "an integer from 1 to 16777216, or None",
            vec![int(500), int(1 << 24), Value::None],
            vec![int(0), int(-1), int((1 << 24) + 1), float(10.0), Value::Bool(true), text("10")],
        ),
        case(
            "stream_length",
            "an integer from 1 to 2^53, or None",
            vec![int(1), int(1 << 53), Value::None],
            vec![int(0), int(-1), int((1 << 53) + 1), float(10.0), Value::Bool(true), text("10")],
        ),
        case(
            "average",
            r#"False, True, a number from 0.001 to 1, "polynomial", or "random""#,
            vec![Value::Bool(false), float(1e-3), float(0.3), int(1), text("polynomial"), text("random")],
            [vec![Value::None, text("0.5"), text("Random"), int(0), int(2)], no_shares()].concat(),
        ),
        case(
            "epsilon",
            "a number from 0 to 1e15",
            vec![int(0), float(0.0), float(1e15)],
            [not_numbers(), [-1.0, -1e-300, 2e15, f64::NAN, f64::INFINITY].map(float).to_vec()].concat(),
        ),
        case(
            "delta",
            "a number from 1e-15 to 1e15",
            vec![float(1e-15), float(1e15), int(1)],
            [not_numbers(), [0.0, -1.0, 2e15, f64::NAN].map(float).to_vec()].concat(),
        ),
        case(
            "quantile",
            "a number between 0 and 1",
            vec![float(0.1), float(1e-9), float(0.99)],
            [not_numbers(), [0.0, 1.0, -0.5, f64::NAN].map(float).to_vec()].concat(),
        ),
        case(
            "grad_tol",
            "a number from 0 to 1",
            vec![float(0.0), float(1e-3), int(1)],
            [not_numbers(), [-1e-3, 1.5, f64::NAN].map(float).to_vec()].concat(),
        ),
    ]
}

/// The parameters that apply to every algorithm.
pub(super) const ALWAYS: [&str; 10] = [
    "budget",
    "maintenance",
    "stream_length",
    "average",
    "hash_features",
    "scaling",
    "metric_learning",
    "linear_weight",
    "kernel",
    "seed",
];

fn no_rates() -> Vec<Value> {
    [0.0, -1.0, f64::NAN, f64::INFINITY].map(Value::Float).to_vec()
}

fn no_shares() -> Vec<Value> {
    [0.0, 9e-4, -0.5, 1.5, f64::NAN].map(Value::Float).to_vec()
}

fn number_cases() -> Vec<Case> {
    let (int, float) = (Value::Int, Value::Float);
    let not_names = || vec![Value::None, Value::Bool(true), int(1), float(1.0), text(""), text("Merge ")];
    vec![
        case(
            "alpha",
            "a number from 1e-20 to 1e20",
            vec![float(1e-20), float(1e20), int(1), float(0.5)],
            [not_numbers(), [0.0, -0.0, -1.0, 1e-21, 1e21, f64::NAN, f64::INFINITY].map(float).to_vec()]
                .concat(),
        ),
        case(
            "project_to_ball",
            "True or False",
            vec![Value::Bool(true), Value::Bool(false)],
            vec![Value::None, int(0), int(1), float(1.0), text("true")],
        ),
        case(
            "C",
            "a number from 1e-20 to 1e15",
            vec![float(1e-20), float(1e15), int(1)],
            [not_numbers(), [0.0, -1.0, 1e-21, 2e15, f64::NAN, f64::INFINITY].map(float).to_vec()].concat(),
        ),
        case(
            "margin",
            "a number from 0 to 1e6, or None",
            vec![float(0.0), float(1e6), int(1), Value::None],
            [Value::Bool(true), text("1")].into_iter().chain([-1.0, 2e6, f64::NAN].map(float)).collect(),
        ),
        case(
            "eta",
            "a number from 0 to 1e15",
            vec![float(0.0), float(1e15), int(1)],
            [not_numbers(), [-1.0, 2e15, f64::NAN].map(float).to_vec()].concat(),
        ),
        case(
            "eta0",
            "a number from 1e-10 to 1000",
            vec![float(1e-10), float(1e3), int(1)],
            [not_numbers(), [0.0, -1.0, 2e3, f64::NAN].map(float).to_vec()].concat(),
        ),
        case(
            "max_coef",
            "a number from 1 to 1e6",
            vec![float(1.0), float(1e6), int(10)],
            [not_numbers(), [0.5, -1.0, 2e6, f64::NAN].map(float).to_vec()].concat(),
        ),
        case("kernel", Form::Choice(KernelName::names).to_string(), vec![text("rbf")], not_names()),
        case(
            "gamma",
            r#""scale", "auto", "standardized", or a number from 1e-30 to 1e30"#,
            vec![text("scale"), text("auto"), float(1e-30), float(1e30), int(2)],
            vec![
                Value::None,
                Value::Bool(true),
                text("Scale"),
                text("1"),
                float(0.0),
                float(-1.0),
                float(1e-31),
                float(1e31),
                float(f64::NAN),
                float(f64::NEG_INFINITY),
                int(0),
            ],
        ),
        case(
            "degree",
            "an integer from 1 to 100",
            vec![int(1), int(100)],
            vec![
                Value::None,
                Value::Bool(true),
                int(0),
                int(-3),
                int(101),
                int(1 << 40),
                float(3.0),
                text("3"),
            ],
        ),
        case(
            "coef0",
            "a finite number >= 0",
            vec![int(0), float(0.0), float(1e300)],
            [not_numbers(), [-1.0, -1e-300, f64::NAN, f64::INFINITY].map(float).to_vec()].concat(),
        ),
        case(
            "alpha_rq",
            "a number from 0.001 to 1000",
            vec![float(1e-3), int(1), float(0.5), float(1e3)],
            [not_numbers(), [-1.0, 0.0, 0.9e-3, 1.1e3, f64::NAN, f64::INFINITY].map(float).to_vec()].concat(),
        ),
        case(
            "seed",
            "an integer from 0 to 2^64 - 1",
            vec![int(0), int(-1), int(i64::MIN), int(i64::MAX)],
            vec![Value::None, Value::Bool(true), float(1.0), text("1")],
        ),
    ]
}
