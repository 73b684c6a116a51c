//! [`Element`]: the number types of tensors in model files.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The number type of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dtype {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `u8`.
    U8,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `i64`.
    I64,
}

impl Dtype {
    /// Number of bytes of a number.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F32 | Self::U32 => 4,
            Self::F64 | Self::U64 | Self::I64 => 8,
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A number type of tensors. A file keeps all bits of a number, NaN included.
pub trait Element: Copy {
    /// The type in a model file.
    const DTYPE: Dtype;

    /// Appends the number as little-endian bytes.
    fn append_to(self, bytes: &mut Vec<u8>);

    /// Decodes a number from little-endian bytes.
    ///
    /// # Panics
    /// If the number of bytes is not [`Dtype::size`].
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($number:ident: $dtype:ident),*) => {$(
        impl Element for $number {
            const DTYPE: Dtype = Dtype::$dtype;

            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("callers cut the bytes into pieces of the dtype's size"))
            }
        }
    )*};
}

elements!(f32: F32, f64: F64, u8: U8, u32: U32, u64: U64, i64: I64);

#[cfg(test)]
mod tests {
    use super::{Dtype, Element};

    #[test]
    fn bytes_are_little_endian() {
        let mut bytes = Vec::new();
        1.0f32.append_to(&mut bytes);
        (-2.0f64).append_to(&mut bytes);
        7u8.append_to(&mut bytes);
        0x0102_0304u32.append_to(&mut bytes);
        0x0102_0304_0506_0708u64.append_to(&mut bytes);
        (-2i64).append_to(&mut bytes);
        let expected: [&[u8]; 6] = [
            &[0, 0, 0x80, 0x3f],
            &[0, 0, 0, 0, 0, 0, 0, 0xc0],
            &[7],
            &[4, 3, 2, 1],
            &[8, 7, 6, 5, 4, 3, 2, 1],
            &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        ];
        assert_eq!(bytes, expected.concat());
        assert_eq!(f64::from_bytes(expected[1]), -2.0);
        assert_eq!(i64::from_bytes(expected[5]), -2);
        let sizes = [Dtype::F32, Dtype::F64, Dtype::U8, Dtype::U32, Dtype::U64, Dtype::I64].map(Dtype::size);
        assert_eq!(sizes, expected.map(<[u8]>::len));
    }
}
