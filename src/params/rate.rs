//! How often the budget is restored.

use super::Value;
use super::legal::RATE;
use crate::error::{Error, Result};

/// How often the budget is restored: at example t with probability `min(beta/t, 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// The paper's beta: 0.6 times the number of rows.
    Auto,
    /// beta, > 0.
    Value(f64),
}

impl Rate {
    /// As a parameter has it.
    pub(super) fn value(self) -> Value {
        match self {
            Self::Auto => Value::Text("auto".into()),
            Self::Value(beta) => Value::Float(beta),
        }
    }

    /// From a parameter; none of no value.
    pub(super) fn of(value: &Value) -> Result<Option<Self>> {
        match value {
            Value::None => Ok(None),
            Value::Float(beta) => Ok(Some(Self::Value(*beta))),
            Value::Int(beta) => Ok(Some(Self::Value(*beta as f64))),
            Value::Text(name) if name == "auto" => Ok(Some(Self::Auto)),
            _ => Err(Error::parameter("rate", RATE, value)),
        }
    }
}
