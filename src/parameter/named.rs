//! Parameters whose value is one of a list of names.

use super::spelling::is_spelling_of;
use super::{Form, ParameterType, Value};
use crate::error::{Error, Result};

/// A type whose members have names.
pub(crate) trait Named: Copy + 'static {
    /// All members.
    const EVERY: &'static [Self];
    /// The name of the member.
    fn name_of(self) -> &'static str;

    /// All names, for [`Form::Choice`].
    fn names() -> Vec<&'static str> {
        Self::EVERY.iter().map(|member| member.name_of()).collect()
    }

    /// The member with that name, spelled with `-` or `_`.
    fn find(name: &str) -> Option<Self> {
        Self::EVERY.iter().copied().find(|member| is_spelling_of(member.name_of(), name))
    }

    /// The member with that name, or an error that names the parameter.
    fn find_for(parameter: &'static str, name: &str) -> Result<Self> {
        Self::find(name)
            .ok_or_else(|| Error::name(parameter, Form::Choice(Self::names).to_string(), name, Self::names()))
    }
}

/// Gives the members of a type their names.
macro_rules! named {
    ($type:ident { $($member:ident = $name:literal),+ }) => {
        impl $crate::parameter::Named for $type {
            const EVERY: &'static [Self] = &[$(Self::$member),+];
            fn name_of(self) -> &'static str {
                match self { $(Self::$member => $name),+ }
            }
        }
    };
}
pub(crate) use named;

impl<N: Named> ParameterType for N {
    fn to_value(&self) -> Value {
        Value::Text(self.name_of().to_owned())
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Text(name) = value { Self::find(name) } else { None }
    }
}
