//! Parameters by name: what the binding, the command line and the model file speak.

use super::names::{ALPHA, BUDGET, COEF0, DEGREE, GAMMA, loss};
use super::{Gamma, KernelName, Maintenance, Spec};
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
            Self::Float(x) => write!(f, "{x}"),
            Self::Text(s) => write!(f, "{s:?}"),
        }
    }
}

/// Every parameter's name, in the order that documents show them.
pub const PARAMETERS: [&str; 10] =
    ["budget", "maintenance", "loss", "alpha", "ball", "kernel", "gamma", "degree", "coef0", "seed"];

impl Spec {
    /// The value of a parameter; `None` where there is no parameter of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        let text = |s: &str| Value::Text(s.to_owned());
        Some(match name {
            "budget" => self.budget.map_or(Value::None, |b| Value::Int(b as i64)),
            "maintenance" => text(self.maintenance.name()),
            "loss" => text(self.loss.name()),
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
    /// When there is no parameter of that name, or the value is of another kind.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        match name {
            "budget" => self.budget = budget(value)?,
            "maintenance" => self.maintenance = choice(Maintenance::named, value)?,
            "loss" => self.loss = choice(loss, value)?,
            "alpha" => self.alpha = number("alpha", ALPHA, value)?,
            "ball" => match value {
                Value::Bool(ball) => self.ball = *ball,
                _ => return Err(Error::parameter("ball", "True or False", value)),
            },
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
            "seed" => match value {
                Value::Int(seed) => self.seed = *seed as u64,
                _ => return Err(Error::parameter("seed", "an integer", value)),
            },
            _ => {
                let expected = format!("one of {}", PARAMETERS.join(", "));
                return Err(Error::parameter("a parameter's name", expected, format!("{name:?}")));
            }
        }
        Ok(())
    }
}

fn budget(value: &Value) -> Result<Option<usize>> {
    match value {
        Value::None => Ok(None),
        Value::Int(b) if *b >= 1 => Ok(Some(*b as usize)),
        _ => Err(Error::parameter("budget", BUDGET, value)),
    }
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

fn number(name: &'static str, expected: &'static str, value: &Value) -> Result<f64> {
    match value {
        Value::Float(x) => Ok(*x),
        Value::Int(i) => Ok(*i as f64),
        _ => Err(Error::parameter(name, expected, value)),
    }
}
