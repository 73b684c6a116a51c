//! Forgetting on streams with drift.

use crate::parameter::{ParameterType, Value};

/// How the model forgets the past of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Forget {
    /// The model never forgets: the stream has no drift.
    #[default]
    None,
    /// Drift is detected, and the part of the model that it made useless is discarded.
    Auto,
    /// The model weights about this many of the last rows.
    Rows(u64),
}

impl ParameterType for Forget {
    fn to_value(&self) -> Value {
        match self {
            Self::None => Value::None,
            Self::Auto => Value::Text("auto".into()),
            Self::Rows(rows) => rows.to_value(),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::None),
            Value::Text(name) if name == "auto" => Some(Self::Auto),
            other => u64::from_value(other).map(Self::Rows),
        }
    }
}
