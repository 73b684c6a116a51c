//! The rate of budget maintenance (NBSGD).

use crate::parameter::{ParameterType, Value};

/// The rate of maintenance: over budget, it runs at example t with probability `min(beta/t, 1)` (Le et al. 2016,
/// Algorithm 3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// The paper's choice: beta = 0.6 times the number of rows.
    Auto,
    /// beta, > 0.
    Value(f64),
}

impl ParameterType for Rate {
    fn to_value(&self) -> Value {
        match self {
            Self::Auto => Value::Text("auto".into()),
            Self::Value(beta) => Value::Float(*beta),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(name) if name == "auto" => Some(Self::Auto),
            _ => f64::from_value(value).map(Self::Value),
        }
    }
}
