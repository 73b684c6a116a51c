//! Which model predicts.

use super::Value;
use super::legal::AVERAGE;
use crate::error::{Error, Result};

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

impl Average {
    /// As a parameter has it.
    pub(super) fn value(self) -> Value {
        match self {
            Self::Last => Value::Bool(false),
            Self::Suffix(gamma) => Value::Float(gamma),
            Self::Random => Value::Text("random".into()),
        }
    }

    /// From a parameter.
    pub(super) fn of(value: &Value) -> Result<Self> {
        match value {
            Value::Bool(false) => Ok(Self::Last),
            Value::Bool(true) => Ok(Self::Suffix(0.5)),
            Value::Float(gamma) => Ok(Self::Suffix(*gamma)),
            Value::Int(gamma) => Ok(Self::Suffix(*gamma as f64)),
            Value::Text(name) if name == "random" => Ok(Self::Random),
            _ => Err(Error::parameter("average", AVERAGE, value)),
        }
    }
}
