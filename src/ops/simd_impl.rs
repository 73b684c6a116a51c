//! The implementor of all operations.

/// A SIMD level as the implementor of all operations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimdImpl<P>(pub(super) P);

/// Defines a trait of operations and implements it for every SIMD level. A function gets the level as its first
/// argument and runs with the instructions of the level; callers leave that argument out.
///
/// Generic code is compiled in the codegen unit of the module of its function; methods belong to the module of
/// their type. Operations that called [`Processor::run`](super::simd::Processor::run) from methods of
/// [`SimdImpl`] shared one codegen unit, and every change of one operation recompiled all operations at all
/// levels: 140 s of CPU time, now at most 45 s. So each module has its own `run`.
macro_rules! operations {
    (
        $(#[$about:meta])*
        pub(crate) trait $Operations:ident $(<$T:ident: $Real:ident>)? {$(
            $(#[$doc:meta])*
            fn $name:ident($s:ident: P $(, $arg:ident: $type:ty)* $(,)?) $(-> $result:ty)? $body:block
        )*}
    ) => {
        $(#[$about])*
        pub(crate) trait $Operations $(<$T: $Real>)?: Send + Sync {$(
            $(#[$doc])*
            fn $name(&self $(, $arg: $type)*) $(-> $result)?;
        )*}

        impl<$($T: $Real,)? P: $crate::ops::simd::Processor $(+ $crate::ops::simd::Simd<$T>)?>
            $Operations $(<$T>)? for $crate::ops::SimdImpl<P>
        {$(
            fn $name(&self $(, $arg: $type)*) $(-> $result)? {
                let $s = self.0;
                run($s, #[inline(always)] || $body)
            }
        )*}

        fn run<P: $crate::ops::simd::Processor, R>(processor: P, f: impl FnOnce() -> R) -> R {
            processor.run(f)
        }
    };
}
pub(crate) use operations;
