//! Whether classes of unequal frequency count the same.

use crate::parameter::{Plain, Value};

/// What the classes weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClassWeight {
    /// Each row the same.
    #[default]
    None,
    /// Each class about the same: a row's weight is divided by the frequency of its class so far.
    Balanced,
}

impl Plain for ClassWeight {
    fn value(&self) -> Value {
        match self {
            Self::None => Value::None,
            Self::Balanced => Value::Text("balanced".into()),
        }
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::None),
            Value::Text(name) if name == "balanced" => Some(Self::Balanced),
            _ => None,
        }
    }
}
