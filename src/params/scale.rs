//! The scaling of features.

use crate::parameter::{ParameterType, Value};

/// The scaling of features before the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// No scaling, unless fixed means and deviations are set.
    #[default]
    None,
    /// Standardisation of each feature by its mean and standard deviation over the rows learned so far, clipped at 3
    /// deviations. After n rows mean and deviation are updated with the value clipped at `2 sqrt(n)` deviations from
    /// the mean.
    Online,
}

impl ParameterType for Scale {
    fn to_value(&self) -> Value {
        match self {
            Self::None => Value::None,
            Self::Online => Value::Text("online".into()),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::None),
            Value::Text(name) if name == "online" => Some(Self::Online),
            _ => None,
        }
    }
}
