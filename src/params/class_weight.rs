//! Class weights.

use crate::classes::LabelWeights;
use crate::parameter::{ParameterType, Value};

/// The weighting of classes.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ClassWeight {
    /// Rows have equal weight.
    #[default]
    None,
    /// Classes have about equal weight: the weight of a row is divided by the frequency of its class so far.
    Balanced,
    /// The weight of a row is multiplied by the weight of its label. A [`Model`](crate::model::Model) does this; a
    /// [`Learner`](crate::Learner) has no labels, and takes rows with their final weights.
    ByLabel(LabelWeights),
}

impl ParameterType for ClassWeight {
    fn to_value(&self) -> Value {
        match self {
            Self::None => Value::None,
            Self::Balanced => Value::Text("balanced".into()),
            Self::ByLabel(weights) => Value::LabelWeights(weights.clone()),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::None),
            Value::Text(name) if name == "balanced" => Some(Self::Balanced),
            Value::LabelWeights(weights) if weights.is_empty() => Some(Self::None),
            Value::LabelWeights(weights) => Some(Self::ByLabel(weights.clone())),
            _ => None,
        }
    }
}
