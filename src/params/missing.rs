//! The treatment of missing values.

use crate::parameter::{Named, ParameterType, Value};

/// The treatment of NaN in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// NaN raises an error.
    #[default]
    Error,
    /// NaN is replaced by the mean of its feature over the rows so far; the mean does not change.
    Mean,
}

impl Named for Missing {
    const EVERY: &'static [Self] = &[Self::Error, Self::Mean];
    fn name_of(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Mean => "mean",
        }
    }
}

/// Numbers that are missing values, distinct.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MissingValues(Vec<f64>);

impl MissingValues {
    /// The numbers.
    #[must_use]
    pub fn numbers(&self) -> &[f64] {
        &self.0
    }
}

impl FromIterator<f64> for MissingValues {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut distinct = Vec::new();
        for x in numbers {
            if !distinct.contains(&x) {
                // Zero has no sign.
                distinct.push(x + 0.0);
            }
        }
        Self(distinct)
    }
}

impl ParameterType for MissingValues {
    fn to_value(&self) -> Value {
        match self.0[..] {
            [] => Value::None,
            [x] => Value::Float(x),
            _ => Value::Floats(self.0.clone()),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(Self::default()),
            Value::Floats(list) => Some(list.iter().copied().collect()),
            Value::Float(_) | Value::Int(_) | Value::Bool(_) | Value::Text(_) | Value::LabelWeights(_) => {
                f64::from_value(value).map(|x| [x].into_iter().collect())
            }
        }
    }
}
