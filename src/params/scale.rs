//! What is done to the features before the kernel sees them.

use crate::parameter::{Plain, Value};

/// What is done to the features before the kernel sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Nothing, but for a scaling that is set.
    #[default]
    None,
    /// Each is standardised by its mean and deviation over the rows learned so far, and clipped at 3 deviations. After
    /// n rows a value counts in both as one at most `2 sqrt(n)` deviations from the mean.
    Online,
}

impl Plain for Scale {
    fn value(&self) -> Value {
        match self {
            Self::None => Value::None,
            Self::Online => Value::Text("online".into()),
        }
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::None),
            Value::Text(name) if name == "online" => Some(Self::Online),
            _ => None,
        }
    }
}
