//! Model averaging.

use crate::parameter::{ParameterType, Value};

/// The model used for prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Average {
    /// The last model.
    Last,
    /// Suffix averaging: the mean of the models of the last share of the rows, from 0.001 to 1. The share is exact
    /// after `stream_length` rows, and larger before and after.
    Suffix(f64),
    /// Polynomial-decay averaging: the mean of all models, with the weight `t (t + 1) ... (t + 8)` of model t, so that
    /// the last tenth of the stream dominates.
    Polynomial,
    /// A random model of the last half of all models.
    Random,
}

impl ParameterType for Average {
    fn to_value(&self) -> Value {
        match self {
            Self::Last => Value::Bool(false),
            Self::Suffix(gamma) => Value::Float(*gamma),
            Self::Polynomial => Value::Text("polynomial".into()),
            Self::Random => Value::Text("random".into()),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(false) => Some(Self::Last),
            Value::Bool(true) => Some(Self::Suffix(0.5)),
            Value::Text(name) if name == "polynomial" => Some(Self::Polynomial),
            Value::Text(name) if name == "random" => Some(Self::Random),
            _ => f64::from_value(value).map(Self::Suffix),
        }
    }
}
