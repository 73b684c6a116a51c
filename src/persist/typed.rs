//! Reading values of a known type.

use super::{Attribute, Tensors, refused};
use crate::Result;
use crate::count::MAX_COUNT;

/// Typed reading: each of these is an error when the value is missing or has another type.
#[allow(clippy::missing_errors_doc)]
impl Tensors {
    /// A flag.
    pub fn bool(&self, name: &str) -> Result<bool> {
        self.typed(name, "bool", |value| if let Attribute::Bool(x) = value { Some(*x) } else { None })
    }

    /// A count, or 64 bits.
    pub fn u64(&self, name: &str) -> Result<u64> {
        self.typed(name, "u64", |value| if let Attribute::U64(x) = value { Some(*x) } else { None })
    }

    /// A count that fits the machine; not yet checked against what the model really holds.
    pub fn usize(&self, name: &str) -> Result<usize> {
        let count = self.u64(name)?;
        usize::try_from(count)
            .map_err(|_| refused(format!("value {} is too large: {count}", self.path(name))))
    }

    /// A count of rows or changes, at most 2^53: exact as a float.
    pub fn count(&self, name: &str) -> Result<u64> {
        match self.u64(name)? {
            count if count <= MAX_COUNT => Ok(count),
            count => Err(refused(format!("value {} must be at most 2^53, got {count}", self.path(name)))),
        }
    }

    /// A signed integer.
    pub fn i64(&self, name: &str) -> Result<i64> {
        self.typed(name, "i64", |value| if let Attribute::I64(x) = value { Some(*x) } else { None })
    }

    /// A real number, perhaps not finite.
    pub fn f64(&self, name: &str) -> Result<f64> {
        self.typed(name, "f64", |value| if let Attribute::F64(x) = value { Some(*x) } else { None })
    }

    /// A text.
    pub fn text(&self, name: &str) -> Result<&str> {
        self.typed(name, "text", |value| if let Attribute::Text(x) = value { Some(x.as_str()) } else { None })
    }

    /// A list of integers.
    pub fn i64s(&self, name: &str) -> Result<&[i64]> {
        self.typed(
            name,
            "i64s",
            |value| if let Attribute::I64s(x) = value { Some(x.as_slice()) } else { None },
        )
    }

    /// A finite [`Attribute::F64`].
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) when it is missing, of another type or not finite.
    pub fn finite(&self, name: &str) -> Result<f64> {
        let x = self.f64(name)?;
        if x.is_finite() { Ok(x) } else { Err(refused(format!("{name} must be finite, got {x}"))) }
    }

    /// A list of real numbers, perhaps not finite.
    pub fn f64s(&self, name: &str) -> Result<&[f64]> {
        self.typed(
            name,
            "f64s",
            |value| if let Attribute::F64s(x) = value { Some(x.as_slice()) } else { None },
        )
    }

    /// A list of strings.
    pub fn texts(&self, name: &str) -> Result<&[String]> {
        self.typed(
            name,
            "texts",
            |value| if let Attribute::Texts(x) = value { Some(x.as_slice()) } else { None },
        )
    }

    fn typed<'a, X>(
        &'a self,
        name: &str,
        expected: &str,
        cast: impl FnOnce(&'a Attribute) -> Option<X>,
    ) -> Result<X> {
        let value = self.value(name)?;
        cast(value).ok_or_else(|| {
            refused(format!("value {} must be {expected}, got {}", self.path(name), value.kind()))
        })
    }
}
