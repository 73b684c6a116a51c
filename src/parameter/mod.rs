//! One parameter, described in one place: the check of a value, the message that refuses it, and the documents all
//! follow from its [`Row`].

mod form;
mod named;
mod value;

pub use form::{Form, Range};
pub(crate) use form::{either, quoted};
pub(crate) use named::Named;
pub(crate) use value::Plain;
pub use value::Value;

use crate::error::{Error, Result};

/// All that is written of a parameter, once.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The name that messages, keywords, options and model files use.
    pub name: &'static str,
    /// The forms that a value may have.
    pub forms: &'static [Form],
    /// What it is: the text of the documents.
    pub description: &'static str,
}

impl Row {
    /// Its legal values in words.
    #[must_use]
    pub fn legal(&self) -> String {
        either(self.forms)
    }

    /// The same without None.
    #[must_use]
    pub(crate) fn legal_but_none(&self) -> String {
        let forms: Vec<_> = self.forms.iter().copied().filter(|form| !matches!(form, Form::None)).collect();
        either(&forms)
    }

    /// Whether a value is legal.
    ///
    /// # Errors
    /// When it is not; the error names the parameter and its legal values.
    pub fn check(&self, value: &Value) -> Result<()> {
        if self.forms.iter().any(|form| form.holds(value)) {
            return Ok(());
        }
        Err(match value {
            Value::Text(text) => Error::name(self.name, self.legal(), text, self.names()),
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
                Error::parameter(self.name, self.legal(), value)
            }
        })
    }

    /// The names among its legal values.
    fn names(&self) -> Vec<&'static str> {
        let names = self.forms.iter().map(|form| match form {
            Form::Word(word) => vec![*word],
            Form::Choice(names) => names(),
            Form::None | Form::Flag | Form::Bool(_) | Form::Count(..) | Form::Seed | Form::Number(_) => {
                vec![]
            }
        });
        names.flatten().collect()
    }
}

/// A row and the field of `S` that holds the parameter's value.
#[derive(Debug)]
pub(crate) struct Field<S> {
    pub(crate) row: Row,
    pub(crate) get: fn(&S) -> Value,
    /// Stores a legal value; of another one nothing is stored.
    pub(crate) put: fn(&mut S, &Value) -> Option<()>,
}

/// A [`Field`] from the path of the field and its row.
macro_rules! field {
    ($($at:ident).+, $row:expr) => {
        $crate::parameter::Field {
            row: $row,
            get: |s| $crate::parameter::Plain::value(&s.$($at).+),
            put: |s, value| $crate::parameter::Plain::of(value).map(|x| s.$($at).+ = x),
        }
    };
}
pub(crate) use field;

/// The rows of a struct of parameters, each with its field and its default.
macro_rules! fields {
    ($rows:ident: $of:ty { $($field:ident = $default:expr, $row:expr;)* }) => {
        impl Default for $of {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        pub(crate) static $rows: &[$crate::parameter::Field<$of>] =
            &[$($crate::parameter::field!($field, $row)),*];
    };
}
pub(crate) use fields;

impl<S> Field<S> {
    /// Checks a value and stores it.
    pub(crate) fn set(&self, of: &mut S, value: &Value) -> Result<()> {
        self.row.check(value)?;
        (self.put)(of, value).ok_or_else(|| Error::parameter(self.row.name, self.row.legal(), value))
    }
}
