//! Values of parameters, and the types that they convert to.

use crate::classes::LabelWeights;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    None,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// A name.
    Text(String),
    /// A list of numbers.
    Floats(Vec<f64>),
    /// Weights of labels.
    LabelWeights(LabelWeights),
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Int(value as i64)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            // As Python spells it.
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(i) => write!(f, "{i}"),
            // Avoids hundreds of zeros.
            Self::Float(x) if *x != 0.0 && !(1e-4..1e16).contains(&x.abs()) => write!(f, "{x:e}"),
            Self::Float(x) => write!(f, "{x}"),
            Self::Text(s) => write!(f, "{s:?}"),
            Self::LabelWeights(weights) => write!(f, "{weights}"),
            Self::Floats(list) => {
                let texts: Vec<_> = list.iter().map(|x| Self::Float(*x).to_string()).collect();
                write!(f, "[{}]", texts.join(", "))
            }
        }
    }
}

/// A type that converts to and from a [`Value`].
pub(crate) trait ParameterType: Sized {
    /// Converts to a value.
    fn to_value(&self) -> Value;
    /// Converts from a value; `None` if its type does not match.
    fn from_value(value: &Value) -> Option<Self>;
}

impl ParameterType for bool {
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Bool(flag) = value { Some(*flag) } else { None }
    }
}

impl ParameterType for f64 {
    fn to_value(&self) -> Value {
        Value::Float(*self)
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Float(x) => Some(*x),
            Value::Int(n) => Some(*n as f64),
            Value::None | Value::Bool(_) | Value::Text(_) | Value::Floats(_) | Value::LabelWeights(_) => None,
        }
    }
}

impl ParameterType for usize {
    fn to_value(&self) -> Value {
        Value::Int(*self as i64)
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Int(n) = value { Some(*n as usize) } else { None }
    }
}

/// The bits as a signed integer: numbers from 2^63 are negative values.
impl ParameterType for u64 {
    fn to_value(&self) -> Value {
        Value::Int(*self as i64)
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Int(n) = value { Some(*n as u64) } else { None }
    }
}

impl ParameterType for u32 {
    fn to_value(&self) -> Value {
        Value::Int(i64::from(*self))
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Int(n) = value { u32::try_from(*n).ok() } else { None }
    }
}

impl<X: ParameterType> ParameterType for Option<X> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::None, ParameterType::to_value)
    }
    fn from_value(value: &Value) -> Option<Self> {
        if *value == Value::None { Some(None) } else { X::from_value(value).map(Some) }
    }
}
