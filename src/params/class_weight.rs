//! Class weights.

use crate::parameter::{ParameterType, Value};

/// The weighting of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClassWeight {
    /// Rows have equal weight.
    #[default]
    None,
    /// Classes have about equal weight: the weight of a row is divided by the frequency of its class so far.
    Balanced,
}

impl ParameterType for ClassWeight {
    fn to_value(&self) -> Value {
        match self {
            Self::None => Value::None,
            Self::Balanced => Value::Text("balanced".into()),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::None),
            Value::Text(name) if name == "balanced" => Some(Self::Balanced),
            _ => None,
        }
    }
}
