//! Parameters: the check of a value, the error message and the documentation all follow from one [`ParameterInfo`].

mod form;
mod named;
mod spelling;
mod value;

pub use form::{Form, Range};
pub(crate) use form::{either, one_of, quoted};
pub(crate) use named::{Named, named};
pub(crate) use spelling::is_spelling_of;
pub(crate) use value::ParameterType;
pub use value::Value;

use crate::error::{Error, Result};

/// The name, valid values and description of a parameter.
#[derive(Debug, Clone, Copy)]
pub struct ParameterInfo {
    /// The name in messages, keywords, options and model files.
    pub name: &'static str,
    /// The forms that a value may have.
    pub forms: &'static [Form],
    /// The text of the documentation.
    pub description: &'static str,
}

/// The info of a parameter.
pub(crate) const fn info(
    name: &'static str,
    forms: &'static [Form],
    description: &'static str,
) -> ParameterInfo {
    ParameterInfo { name, forms, description }
}

impl ParameterInfo {
    /// The valid values as text.
    #[must_use]
    pub fn valid_values(&self) -> String {
        either(self.forms)
    }

    /// The valid values except None, as text.
    #[must_use]
    pub(crate) fn valid_values_except_none(&self) -> String {
        let forms: Vec<_> = self.forms.iter().copied().filter(|form| !matches!(form, Form::None)).collect();
        either(&forms)
    }

    /// Checks a value.
    ///
    /// # Errors
    /// If the value is invalid; the error names the parameter and its valid values.
    pub fn check(&self, value: &Value) -> Result<()> {
        if self.forms.iter().any(|form| form.accepts(value)) {
            return Ok(());
        }
        Err(match value {
            Value::Text(text) => Error::name(self.name, self.valid_values(), text, self.names()),
            // 100.0, which is no integer.
            Value::Float(x) if x.fract() == 0.0 && x.abs() < 1e16 => {
                Error::parameter(self.name, self.valid_values(), format!("{x:?}"))
            }
            Value::None
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Floats(_)
            | Value::LabelWeights(_) => Error::parameter(self.name, self.valid_values(), value),
        })
    }

    /// The names among the valid values.
    fn names(&self) -> Vec<&'static str> {
        let names = self.forms.iter().map(|form| match form {
            Form::Word(word) => vec![*word],
            Form::Choice(names) => names(),
            Form::None
            | Form::Flag
            | Form::Bool(_)
            | Form::Count(..)
            | Form::Seed
            | Form::Number(_)
            | Form::Numbers
            | Form::LabelWeights => {
                vec![]
            }
        });
        names.flatten().collect()
    }
}

/// A parameter and the field of `S` that holds its value.
#[derive(Debug)]
pub(crate) struct Field<S> {
    pub(crate) info: ParameterInfo,
    pub(crate) get: fn(&S) -> Value,
    /// Stores a valid value; returns `None` for a value of another type.
    pub(crate) put: fn(&mut S, &Value) -> Option<()>,
}

/// A [`Field`] from the path of the field and its info.
macro_rules! field {
    ($($at:ident).+, $info:expr) => {
        $crate::parameter::Field {
            info: $info,
            get: |s| $crate::parameter::ParameterType::to_value(&s.$($at).+),
            put: |s, value| $crate::parameter::ParameterType::from_value(value).map(|x| s.$($at).+ = x),
        }
    };
}
pub(crate) use field;

/// The table of a struct of parameters: each field with its default and its info.
macro_rules! fields {
    ($fields:ident: $of:ty { $($field:ident = $default:expr, $info:expr;)* }) => {
        impl Default for $of {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        pub(crate) static $fields: &[$crate::parameter::Field<$of>] =
            &[$($crate::parameter::field!($field, $info)),*];
    };
}
pub(crate) use fields;

impl<S> Field<S> {
    /// Checks a value and stores it.
    pub(crate) fn set(&self, of: &mut S, value: &Value) -> Result<()> {
        self.info.check(value)?;
        (self.put)(of, value).ok_or_else(|| Error::parameter(self.info.name, self.info.valid_values(), value))
    }
}
