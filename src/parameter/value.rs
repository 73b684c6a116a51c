//! Values without a type of their own, and the types that they become.

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
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(i) => write!(f, "{i}"),
            // Not hundreds of zeros.
            Self::Float(x) if *x != 0.0 && !(1e-4..1e16).contains(&x.abs()) => write!(f, "{x:e}"),
            Self::Float(x) => write!(f, "{x}"),
            Self::Text(s) => write!(f, "{s:?}"),
        }
    }
}

/// A type that a [`Value`] becomes, and that becomes one.
pub(crate) trait Plain: Sized {
    /// As a value.
    fn value(&self) -> Value;
    /// From a value; none of one of another kind.
    fn of(value: &Value) -> Option<Self>;
}

impl Plain for bool {
    fn value(&self) -> Value {
        Value::Bool(*self)
    }
    fn of(value: &Value) -> Option<Self> {
        if let Value::Bool(flag) = value { Some(*flag) } else { None }
    }
}

impl Plain for f64 {
    fn value(&self) -> Value {
        Value::Float(*self)
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Float(x) => Some(*x),
            Value::Int(n) => Some(*n as f64),
            Value::None | Value::Bool(_) | Value::Text(_) => None,
        }
    }
}

impl Plain for usize {
    fn value(&self) -> Value {
        Value::Int(*self as i64)
    }
    fn of(value: &Value) -> Option<Self> {
        if let Value::Int(n) = value { Some(*n as usize) } else { None }
    }
}

/// Its bits: integers above 2^63 are negative values.
impl Plain for u64 {
    fn value(&self) -> Value {
        Value::Int(*self as i64)
    }
    fn of(value: &Value) -> Option<Self> {
        if let Value::Int(n) = value { Some(*n as u64) } else { None }
    }
}

impl Plain for u32 {
    fn value(&self) -> Value {
        Value::Int(i64::from(*self))
    }
    fn of(value: &Value) -> Option<Self> {
        if let Value::Int(n) = value { u32::try_from(*n).ok() } else { None }
    }
}

impl<X: Plain> Plain for Option<X> {
    fn value(&self) -> Value {
        self.as_ref().map_or(Value::None, Plain::value)
    }
    fn of(value: &Value) -> Option<Self> {
        if *value == Value::None { Some(None) } else { X::of(value).map(Some) }
    }
}
