//! Choices by name.

use super::{Form, Plain, Value};
use crate::error::{Error, Result};

/// A choice among names.
pub(crate) trait Named: Copy + 'static {
    /// Every choice.
    const EVERY: &'static [Self];
    /// The name of one.
    fn name_of(self) -> &'static str;

    /// All names, for [`Form::Choice`].
    fn names() -> Vec<&'static str> {
        Self::EVERY.iter().map(|choice| choice.name_of()).collect()
    }

    /// The choice of that name.
    fn find(name: &str) -> Option<Self> {
        Self::EVERY.iter().copied().find(|choice| choice.name_of() == name)
    }

    /// The choice of that name, or an error of this parameter.
    fn find_for(parameter: &'static str, name: &str) -> Result<Self> {
        Self::find(name)
            .ok_or_else(|| Error::name(parameter, Form::Choice(Self::names).to_string(), name, Self::names()))
    }
}

impl<N: Named> Plain for N {
    fn value(&self) -> Value {
        Value::Text(self.name_of().to_owned())
    }
    fn of(value: &Value) -> Option<Self> {
        if let Value::Text(name) = value { Self::find(name) } else { None }
    }
}
