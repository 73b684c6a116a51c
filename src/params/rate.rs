//! How often the budget is restored.

use crate::parameter::{Plain, Value};

/// How often the budget is restored: at example t with probability `min(beta/t, 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// The paper's beta: 0.6 times the number of rows.
    Auto,
    /// beta, > 0.
    Value(f64),
}

impl Plain for Rate {
    fn value(&self) -> Value {
        match self {
            Self::Auto => Value::Text("auto".into()),
            Self::Value(beta) => Value::Float(*beta),
        }
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Text(name) if name == "auto" => Some(Self::Auto),
            _ => f64::of(value).map(Self::Value),
        }
    }
}
