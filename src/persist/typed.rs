//! Reading values by type.

use super::attribute::Attribute;
use super::errors::model_error;
use super::tensors::Tensors;
use crate::Result;
use crate::count::MAX_COUNT;

/// Reading values by type. Each method returns [`Error::Model`](crate::Error::Model) if the value is missing or has
/// another type.
#[allow(clippy::missing_errors_doc)]
impl Tensors {
    /// Reads a boolean.
    pub fn bool(&self, name: &str) -> Result<bool> {
        self.typed(name, "bool", |value| if let Attribute::Bool(x) = value { Some(*x) } else { None })
    }

    /// Reads an unsigned integer of 64 bits.
    pub fn u64(&self, name: &str) -> Result<u64> {
        self.typed(name, "u64", |value| if let Attribute::U64(x) = value { Some(*x) } else { None })
    }

    /// Reads an unsigned integer that fits `usize`. The caller checks that it agrees with the tensors of the file
    /// before it allocates memory.
    pub fn usize(&self, name: &str) -> Result<usize> {
        let count = self.u64(name)?;
        usize::try_from(count)
            .map_err(|_| model_error(format!("value {} is too large: {count}", self.path(name))))
    }

    /// Reads a count of at most 2^53, which is exact as a float.
    pub fn count(&self, name: &str) -> Result<u64> {
        match self.u64(name)? {
            count if count <= MAX_COUNT => Ok(count),
            count => Err(model_error(format!("value {} must be at most 2^53, got {count}", self.path(name)))),
        }
    }

    /// Reads a signed integer.
    pub fn i64(&self, name: &str) -> Result<i64> {
        self.typed(name, "i64", |value| if let Attribute::I64(x) = value { Some(*x) } else { None })
    }

    /// Reads a float, perhaps not finite.
    pub fn f64(&self, name: &str) -> Result<f64> {
        self.typed(name, "f64", |value| if let Attribute::F64(x) = value { Some(*x) } else { None })
    }

    /// Reads a string.
    pub fn text(&self, name: &str) -> Result<&str> {
        self.typed(name, "text", |value| if let Attribute::Text(x) = value { Some(x.as_str()) } else { None })
    }

    /// Reads a list of signed integers.
    pub fn i64s(&self, name: &str) -> Result<&[i64]> {
        self.typed(
            name,
            "i64s",
            |value| if let Attribute::I64s(x) = value { Some(x.as_slice()) } else { None },
        )
    }

    /// Reads a float that must be finite.
    pub fn finite(&self, name: &str) -> Result<f64> {
        let x = self.f64(name)?;
        if x.is_finite() { Ok(x) } else { Err(model_error(format!("{name} must be finite, got {x}"))) }
    }

    /// Reads a list of floats, perhaps not finite.
    pub fn f64s(&self, name: &str) -> Result<&[f64]> {
        self.typed(
            name,
            "f64s",
            |value| if let Attribute::F64s(x) = value { Some(x.as_slice()) } else { None },
        )
    }

    /// Reads a list of strings.
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
            model_error(format!("value {} must be {expected}, got {}", self.path(name), value.type_name()))
        })
    }
}
