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
    /// The mean of all models, model t with the weight `t (t + 1) ... (t + 8)`: about the last tenth of the stream
    /// decides.
    Late,
    /// One of the last half of all models, drawn uniformly.
    Random,
}

impl Plain for Average {
    fn value(&self) -> Value {
        match self {
            Self::Last => Value::Bool(false),
            Self::Suffix(gamma) => Value::Float(*gamma),
            Self::Late => Value::Text("late".into()),
            Self::Random => Value::Text("random".into()),
        }
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(false) => Some(Self::Last),
            Value::Bool(true) => Some(Self::Suffix(0.5)),
            Value::Text(name) if name == "late" => Some(Self::Late),
            Value::Text(name) if name == "random" => Some(Self::Random),
            _ => f64::of(value).map(Self::Suffix),
        }
    }
}
