//! Reading values by type.

use super::attribute::Attribute;
use super::errors::model_error;
use super::tensors::Tensors;
use crate::Result;
use crate::count::MAX_COUNT;

/// Methods that read a value of one type, named as the type in the file.
macro_rules! readers {
    ($($(#[$doc:meta])* $name:ident: $variant:ident($x:ident) => $value:expr, $type:ty;)+) => {$(
        $(#[$doc])*
        pub fn $name(&self, name: &str) -> Result<$type> {
            match self.value(name)? {
                Attribute::$variant($x) => Ok($value),
                other => {
                    let (path, got) = (self.path(name), other.type_name());
                    Err(model_error(format!("value {path} must be {}, got {got}", stringify!($name))))
                }
            }
        }
    )+};
}

/// Reading values by type. Each method returns [`Error::Model`](crate::Error::Model) if the value is missing or has
/// another type.
#[allow(clippy::missing_errors_doc)]
impl Tensors {
    readers! {
        /// Reads a boolean.
        bool: Bool(x) => *x, bool;
        /// Reads an unsigned integer of 64 bits.
        u64: U64(x) => *x, u64;
        /// Reads a signed integer.
        i64: I64(x) => *x, i64;
        /// Reads a float, perhaps not finite.
        f64: F64(x) => *x, f64;
        /// Reads a string.
        text: Text(x) => x, &str;
        /// Reads a list of signed integers.
        i64s: I64s(x) => x, &[i64];
        /// Reads a list of floats, perhaps not finite.
        f64s: F64s(x) => x, &[f64];
        /// Reads a list of strings.
        texts: Texts(x) => x, &[String];
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

    /// Reads a float that must be finite.
    pub fn finite(&self, name: &str) -> Result<f64> {
        let x = self.f64(name)?;
        if x.is_finite() { Ok(x) } else { Err(model_error(format!("{name} must be finite, got {x}"))) }
    }
}
