//! The value types of the parsers: `f32` and `f64`.

use std::fmt::Debug;

/// A type of parsed values: `f32` or `f64`.
pub trait Float: Copy + PartialEq + Debug + Send + sealed::Sealed + 'static {
    /// Zero.
    const ZERO: Self;
    /// The name in messages: `float32` or `float64`.
    const NAME: &'static str;

    /// Rounds to this type.
    fn from_f64(x: f64) -> Self;
    /// Returns true unless the value is infinite or NaN.
    fn is_finite(self) -> bool;
}

impl Float for f32 {
    const ZERO: Self = 0.0;
    const NAME: &'static str = "float32";

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl Float for f64 {
    const ZERO: Self = 0.0;
    const NAME: &'static str = "float64";

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
