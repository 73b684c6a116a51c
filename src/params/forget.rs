//! What becomes of the past of a stream.

use crate::parameter::{Plain, Value};

/// How long what was learned counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Forget {
    /// For ever: the stream does not change.
    #[default]
    None,
    /// As long as it is of use: changes of the stream are found.
    Auto,
    /// For about so many rows.
    Rows(u64),
}

impl Plain for Forget {
    fn value(&self) -> Value {
        match self {
            Self::None => Value::None,
            Self::Auto => Value::Text("auto".into()),
            Self::Rows(rows) => rows.value(),
        }
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::None),
            Value::Text(name) if name == "auto" => Some(Self::Auto),
            other => u64::of(other).map(Self::Rows),
        }
    }
}
