//! Which model predicts.

use crate::parameter::{Plain, Value};

/// The model that predicts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Average {
    /// The last one.
    Last,
    /// The mean of the last share of all models: of that share, 0.001 to 1, when as many rows are learned as
    /// `stream_length` says, and of a larger one before and after.
    Suffix(f64),
    /// One of the last half of all models, drawn uniformly.
    Random,
}

impl Plain for Average {
    fn value(&self) -> Value {
        match self {
            Self::Last => Value::Bool(false),
            Self::Suffix(gamma) => Value::Float(*gamma),
            Self::Random => Value::Text("random".into()),
        }
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(false) => Some(Self::Last),
            Value::Bool(true) => Some(Self::Suffix(0.5)),
            Value::Text(name) if name == "random" => Some(Self::Random),
            _ => f64::of(value).map(Self::Suffix),
        }
    }
}
