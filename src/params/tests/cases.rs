//! Valid and invalid values of every parameter.

use crate::classes::{LabelWeights, Labels};
use crate::parameter::{Form, Named};
use crate::params::{KernelName, Maintenance, Value};

/// A parameter, the valid values in its error messages, some valid values, and some invalid ones.
pub(super) type Case = (&'static str, String, Vec<Value>, Vec<Value>);

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

/// The values of a list: None, True, 1, 1.0, 'text', [1.0 2.0], {label: weight}, or one of three groups of values.
fn values(list: &str) -> Vec<Value> {
    let items = list.split(", ").flat_map(|item| match item {
        "no number" => vec!["None", "True", "'1'"],
        "no flag" => vec!["None", "0", "1", "1.0", "'true'"],
        "no name" => vec!["None", "True", "1", "1.0", "''", "'Merge '"],
        item => vec![item],
    });
    items.map(value).collect()
}

fn value(text: &str) -> Value {
    let number = |text: &str| text.parse::<f64>().unwrap();
    let between = |open, close| text.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
    if let Some(word) = between('\'', '\'') {
        return Value::Text(word.to_owned());
    }
    if let Some(list) = between('[', ']') {
        return Value::Floats(list.split_whitespace().map(number).collect());
    }
    if let Some((label, weight)) = between('{', '}').and_then(|pair| pair.split_once(": ")) {
        let label = Labels::Int(vec![label.parse().unwrap()]);
        return Value::LabelWeights(LabelWeights::new(&label, &[number(weight)]).unwrap());
    }
    match text {
        "None" => Value::None,
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        _ => text.parse().map_or_else(|_| Value::Float(number(text)), Value::Int),
    }
}

/// A parameter, and the valid values in its error messages; valid and invalid values as [`values`] reads them.
type Texts<'a> = (&'static str, &'a str, &'a str, &'a str);

const FLAG: &str = "True or False";

/// Flags and numbers.
const PLAIN: [Texts<'_>; 22] = [
    ("C_decay", FLAG, "True, False", "no flag"),
    ("may_discard_new", FLAG, "True, False", "no flag"),
    ("project_to_ball", FLAG, "True, False", "no flag"),
    ("n_neighbors", "an integer from 1 to 64, or None", "1, 64", "0, -1, 65, 2.0, '2', True"),
    (
        "hash_features",
        "an integer from 2 to 1048576, or None",
        "2, 1048576, None",
        "0, 1, -2, 1048577, 4.0, True, '4'",
    ),
    ("degree", "an integer from 1 to 100", "1, 100", "None, True, 0, -3, 101, 1099511627776, 3.0, '3'"),
    (
        "seed",
        "an integer from 0 to 2^64 - 1",
        "0, -1, -9223372036854775808, 9223372036854775807",
        "None, True, 1.0, '1'",
    ),
    ("C", "a number from 1e-20 to 1e15", "1e-20, 1e15, 1", "no number, 0.0, -1.0, 1e-21, 2e15, NaN, inf"),
    ("C0", "a number from 1e-20 to 1e15", "1e-20, 60, 1e15", "no number, 0.0, -1.0, 2e15, NaN"),
    ("margin", "a number from 0 to 1e6, or None", "0.0, 1e6, 1, None", "True, '1', -1.0, 2e6, NaN"),
    ("noise_margin", "a number from 0 to 1e6, or None", "0, 1.25, 1e6, None", "-1.0, 2e6, NaN, '1', True"),
    (
        "linear_weight",
        "a number from 1e-6 to 1e6, or None",
        "1e-6, 1, 1e6, None",
        "0, -1.0, 2e6, NaN, '1', True",
    ),
    (
        "alpha",
        "a number from 1e-20 to 1e20",
        "1e-20, 1e20, 1, 0.5",
        "no number, 0.0, -0.0, -1.0, 1e-21, 1e21, NaN, inf",
    ),
    ("epsilon", "a number from 0 to 1e15", "0, 0.0, 1e15", "no number, -1.0, -1e-300, 2e15, NaN, inf"),
    ("eta", "a number from 0 to 1e15", "0.0, 1e15, 1", "no number, -1.0, 2e15, NaN"),
    ("eta0", "a number from 1e-10 to 1000", "1e-10, 1e3, 1", "no number, 0.0, -1.0, 2e3, NaN"),
    ("delta", "a number from 1e-15 to 1e15", "1e-15, 1e15, 1", "no number, 0.0, -1.0, 2e15, NaN"),
    ("quantile", "a number between 0 and 1", "0.1, 1e-9, 0.99", "no number, 0.0, 1.0, -0.5, NaN"),
    ("grad_tol", "a number from 0 to 1", "0.0, 1e-3, 1", "no number, -1e-3, 1.5, NaN"),
    ("max_coef", "a number from 1 to 1e6", "1.0, 1e6, 10", "no number, 0.5, -1.0, 2e6, NaN"),
    ("coef0", "a finite number >= 0", "0, 0.0, 1e300", "no number, -1.0, -1e-300, NaN, inf"),
    (
        "alpha_rq",
        "a number from 0.001 to 1000",
        "1e-3, 1, 0.5, 1e3",
        "no number, -1.0, 0.0, 0.9e-3, 1.1e3, NaN, inf",
    ),
];

pub(super) fn cases() -> Vec<Case> {
    let (support, rows) = ("an integer from 1 to 16777216, or None", "an integer from 1 to 2^53, or None");
    let [maintenances, kernels] =
        [Maintenance::names, KernelName::names].map(|names| Form::Choice(names).to_string());
    let too_long = format!("[{}]", ["1.0"; 101].join(" "));
    let choices: [Texts<'_>; 15] = [
        (
            "budget",
            "an integer from 1 to 16777216",
            "1, 16777216",
            "0, -1, 16777217, 9223372036854775807, 10.0, True, '10'",
        ),
        ("max_size", support, "500, 16777216, None", "0, -1, 16777217, 10.0, True, '10'"),
        ("stream_length", rows, "1, 9007199254740992, None", "0, -1, 9007199254740993, 10.0, True, '10'"),
        (
            "forget",
            r#""auto", an integer from 1 to 2^53, or None"#,
            "None, 'auto', 1, 9007199254740992",
            "0, -1, 10.0, '10', True",
        ),
        ("maintenance", &maintenances, "'stop', 'project-best'", "no name"),
        ("loss", r#"one of "hinge", "log_loss", "modified_huber""#, "'hinge', 'log_loss'", "no name"),
        ("kernel", &kernels, "'rbf'", "no name"),
        ("scaling", r#"one of "none", "online""#, "'online', 'none'", "None, True, 'Online', '', 1"),
        ("missing", r#"one of "error", "mean""#, "'error', 'mean'", "None, True, 'Mean', 0"),
        (
            "metric_learning",
            r#"one of "none", "diagonal", "full", "auto""#,
            "'none', 'diagonal', 'full', 'auto'",
            "None, 1, 'Full', True",
        ),
        (
            "missing_values",
            "a finite number, a list of 1 to 100 finite numbers, or None",
            "[-999.0 0.5], -1e300, -999, None",
            &format!("[], [1.0 NaN], {too_long}, inf, True, '-999'"),
        ),
        (
            "class_weight",
            r#""balanced", a dict of labels and finite weights >= 0, or None"#,
            "'balanced', {3: 0.5}, None",
            "True, 'Balanced', '', 1",
        ),
        (
            "rate",
            r#"a finite number > 0, "auto", or None"#,
            "1e-3, 600, 1e300, None",
            "True, '1', 'Auto', 0, 0.0, -1.0, NaN, inf",
        ),
        (
            "average",
            r#"False, True, a number from 0.001 to 1, "polynomial", or "random""#,
            "False, 1e-3, 0.3, 1, 'polynomial', 'random'",
            "None, '0.5', 'Random', 0, 2, 0.0, 9e-4, -0.5, 1.5, NaN",
        ),
        (
            "gamma",
            r#""scale", "auto", "standardized", or a number from 1e-30 to 1e30"#,
            "'scale', 'auto', 1e-30, 1e30, 2",
            "None, True, 'Scale', '1', 0.0, -1.0, 1e-31, 1e31, NaN, -inf, 0",
        ),
    ];
    let case = |(name, expected, valid, invalid): (&'static str, &str, &str, &str)| {
        (name, expected.to_owned(), values(valid), values(invalid))
    };
    choices.into_iter().chain(PLAIN).map(case).collect()
}
