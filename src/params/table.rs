//! Parameters by name: what the binding, the command line and the model file speak.

use super::legal::{
    ALPHA, BUDGET, C, CLIP, COEF0, DEGREE, DELTA, EPSILON, ETA, ETA0, GAMMA, GRAD_TOL, MARGIN, MAX_SIZE,
    N_NEIGHBORS, QUANTILE, STREAM_LENGTH,
};
use super::{Average, Gamma, KernelName, Loss, Maintenance, Rate, Rule, Spec};
use crate::error::{Error, Result};

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    None,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A name.
    Text(String),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(i) => write!(f, "{i}"),
            // Not hundreds of zeros.
            Self::Float(x) if *x != 0.0 && !(1e-4..1e16).contains(&x.abs()) => write!(f, "{x:e}"),
            Self::Float(x) => write!(f, "{x}"),
            Self::Text(s) => write!(f, "{s:?}"),
        }
    }
}

/// Every parameter's name. Maintenance and loss, which decide whether others mean something, come before them.
pub const PARAMETERS: [&str; 25] = [
    "budget",
    "maintenance",
    "loss",
    "n_neighbors",
    "newcomer_may_leave",
    "rate",
    "max_size",
    "stream_length",
    "average",
    "epsilon",
    "delta",
    "quantile",
    "grad_tol",
    "alpha",
    "ball",
    "C",
    "margin",
    "eta",
    "eta0",
    "clip",
    "kernel",
    "gamma",
    "degree",
    "coef0",
    "seed",
];

impl Spec {
    /// The names of the parameters that mean something beside algorithm, maintenance and loss, out of [`PARAMETERS`].
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        PARAMETERS.into_iter().filter(|name| self.takes(name))
    }

    /// Whether a parameter has a meaning beside rule, maintenance and loss.
    fn takes(&self, name: &str) -> bool {
        let rule = self.rule();
        match name {
            "alpha" => matches!(rule, Rule::Sgd | Rule::Ogd),
            "ball" | "rate" | "max_size" | "stream_length" | "average" => rule == Rule::Sgd,
            "loss" => rule.losses().len() > 1,
            "C" => matches!(rule, Rule::PassiveAggressive | Rule::Mira),
            "margin" => match rule {
                Rule::Mira => true,
                // The others have a trigger of their own.
                Rule::Perceptron => self.maintenance.rule().is_none(),
                _ => self.maintenance == Maintenance::Distill,
            },
            "eta" => self.maintenance.projects_newcomers(),
            "eta0" => rule == Rule::Ogd,
            "clip" => self.maintenance == Maintenance::Bogd,
            "epsilon" => self.loss == Loss::EpsilonInsensitive,
            "delta" => self.loss == Loss::Huber,
            "quantile" => self.loss == Loss::Quantile,
            "grad_tol" => self.loss == Loss::LogLoss,
            "n_neighbors" => self.maintenance.has_neighbors(),
            "newcomer_may_leave" => self.maintenance == Maintenance::Simple,
            _ => PARAMETERS.contains(&name),
        }
    }

    /// The value of a parameter; `None` where the algorithm has no parameter of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        let text = |s: &str| Value::Text(s.to_owned());
        if !self.takes(name) {
            return None;
        }
        Some(match name {
            "budget" => count_or_none(self.budget),
            "maintenance" => text(self.maintenance.name()),
            "n_neighbors" => count_or_none(self.n_neighbors),
            "rate" => self.rate.map_or(Value::None, Rate::value),
            "max_size" => count_or_none(self.max_size),
            "stream_length" => count_or_none(self.stream_length.map(|n| n as usize)),
            "average" => self.average.value(),
            "newcomer_may_leave" => Value::Bool(self.newcomer_may_leave),
            "loss" => text(self.loss.name()),
            "epsilon" => Value::Float(self.epsilon),
            "delta" => Value::Float(self.delta),
            "quantile" => Value::Float(self.quantile),
            "grad_tol" => Value::Float(self.grad_tol),
            "C" => Value::Float(self.c),
            "margin" => self.margin.map_or(Value::None, Value::Float),
            "eta" => Value::Float(self.eta),
            "eta0" => Value::Float(self.eta0),
            "clip" => Value::Float(self.clip),
            "alpha" => Value::Float(self.alpha),
            "ball" => Value::Bool(self.ball),
            "kernel" => text(self.kernel.name()),
            "gamma" => match self.gamma {
                Gamma::Scale => text("scale"),
                Gamma::Auto => text("auto"),
                Gamma::Value(gamma) => Value::Float(gamma),
            },
            "degree" => Value::Int(i64::from(self.degree)),
            "coef0" => Value::Float(self.coef0),
            "seed" => Value::Int(self.seed as i64),
            _ => return None,
        })
    }

    /// Sets a parameter by name.
    ///
    /// # Errors
    /// When the algorithm has no parameter of that name, or the value is of another kind.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        if !self.takes(name) {
            let known: Vec<_> = self.parameters().collect();
            let expected = format!("one of those of {:?}: {}", self.algorithm, known.join(", "));
            return Err(Error::parameter("a parameter's name", expected, format!("{name:?}")));
        }
        match name {
            "budget" => self.budget = count("budget", BUDGET, value)?,
            "rate" => self.rate = Rate::of(value)?,
            "max_size" => self.max_size = count("max_size", MAX_SIZE, value)?,
            "stream_length" => {
                self.stream_length = count("stream_length", STREAM_LENGTH, value)?.map(|n| n as u64);
            }
            "average" => self.average = Average::of(value)?,
            "maintenance" => self.maintenance = choice(Maintenance::named, value)?,
            "n_neighbors" => {
                self.n_neighbors = match value {
                    Value::None => None,
                    Value::Int(n) if (1..=64).contains(n) => Some(*n as usize),
                    _ => return Err(Error::parameter("n_neighbors", N_NEIGHBORS, value)),
                }
            }
            "newcomer_may_leave" => self.newcomer_may_leave = flag("newcomer_may_leave", value)?,
            "loss" => self.loss = choice(Loss::named, value)?,
            "epsilon" => self.epsilon = number("epsilon", EPSILON, value)?,
            "delta" => self.delta = number("delta", DELTA, value)?,
            "quantile" => self.quantile = number("quantile", QUANTILE, value)?,
            "grad_tol" => self.grad_tol = number("grad_tol", GRAD_TOL, value)?,
            "C" => self.c = number("C", C, value)?,
            "margin" => {
                self.margin = match value {
                    Value::None => None,
                    _ => Some(number("margin", MARGIN, value)?),
                }
            }
            "eta" => self.eta = number("eta", ETA, value)?,
            "eta0" => self.eta0 = number("eta0", ETA0, value)?,
            "clip" => self.clip = number("clip", CLIP, value)?,
            "alpha" => self.alpha = number("alpha", ALPHA, value)?,
            "ball" => self.ball = flag("ball", value)?,
            "kernel" => self.kernel = choice(KernelName::named, value)?,
            "gamma" => match value {
                Value::Text(name) => self.gamma = Gamma::named(name)?,
                _ => self.gamma = Gamma::Value(number("gamma", GAMMA, value)?),
            },
            "degree" => {
                self.degree = match value {
                    Value::Int(degree) if u32::try_from(*degree).is_ok() => *degree as u32,
                    _ => return Err(Error::parameter("degree", DEGREE, value)),
                }
            }
            "coef0" => self.coef0 = number("coef0", COEF0, value)?,
            _ => match value {
                Value::Int(seed) => self.seed = *seed as u64,
                _ => return Err(Error::parameter("seed", "an integer", value)),
            },
        }
        Ok(())
    }
}

fn count(name: &'static str, expected: &'static str, value: &Value) -> Result<Option<usize>> {
    match value {
        Value::None => Ok(None),
        Value::Int(n) if *n >= 1 => Ok(Some(*n as usize)),
        _ => Err(Error::parameter(name, expected, value)),
    }
}

fn count_or_none(n: Option<usize>) -> Value {
    n.map_or(Value::None, |n| Value::Int(n as i64))
}

/// The choice of a name; what is no text is told as it came.
fn choice<C>(named: impl Fn(&str) -> Result<C>, value: &Value) -> Result<C> {
    match value {
        Value::Text(name) => named(name),
        _ => named("").map_err(|error| match error {
            Error::Parameter { name, expected, .. } => {
                Error::Parameter { name, expected, got: value.to_string() }
            }
            other => other,
        }),
    }
}

fn flag(name: &'static str, value: &Value) -> Result<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        _ => Err(Error::parameter(name, "True or False", value)),
    }
}

fn number(name: &'static str, expected: &'static str, value: &Value) -> Result<f64> {
    match value {
        Value::Float(x) => Ok(*x),
        Value::Int(i) => Ok(*i as f64),
        _ => Err(Error::parameter(name, expected, value)),
    }
}
