//! The table of all operations: one per SIMD level and float type.

use super::buffer::SimdBuffer;
use super::coefficients::CoefficientView;
use super::kernel_rows::SupportView;
use super::simd;
use super::simd_impl::SimdImpl;
use super::{
    Level, argmin, block, coefficients, differences, fences, kernel_rows, linear_map, local_errors, margins,
    merge, metric, moments, neighbours, products, removal, softmax, test_ops, triangle,
};
use crate::batch::Row;
use crate::element::Dtype;
use crate::float::Real;
use crate::kernel::AnyKernel;
use std::any::Any;
use std::fmt;
use std::ops::Deref;

/// Every operation on numbers of type `T`.
pub(crate) trait KernelOps<T: Real>:
    kernel_rows::RowOps<T>
    + block::BlockOps<T>
    + differences::DifferenceOps<T>
    + coefficients::CoefficientOps<T>
    + argmin::ArgMinOps<T>
    + merge::PartnerOps<T>
    + merge::NewestPartnerOps<T>
    + removal::RemovalOps<T>
    + neighbours::NeighbourOps<T>
    + local_errors::LocalErrorOps<T>
    + margins::MarginOps<T>
    + metric::MetricOps<T>
    + linear_map::LinearMapOps<T>
    + moments::ScalerOps<T>
    + fences::FenceOps<T>
    + products::ProductOps<T>
    + softmax::SoftmaxOps
    + triangle::TriangleOps
    + test_ops::TestOps<T>
{
}

impl<T: Real, P> KernelOps<T> for SimdImpl<P> where P: simd::Processor + simd::Simd<T> {}

/// The operations at one SIMD level.
#[derive(Clone, Copy)]
pub(crate) struct Ops<T: Real> {
    table: &'static dyn KernelOps<T>,
}

impl<T: Real> fmt::Debug for Ops<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ops")
    }
}

impl<T: Real> Deref for Ops<T> {
    type Target = dyn KernelOps<T>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        self.table
    }
}

impl<T: Real> Ops<T> {
    /// The table of a level.
    pub(crate) fn at(level: Level) -> Self {
        let table: Box<dyn Any> = match T::DTYPE {
            Dtype::F32 => Box::new(table_f32(level)),
            _ => Box::new(table_f64(level)),
        };
        *table.downcast().expect("there are two float types, and each has its table")
    }

    /// The kernel row of `x`, given with its row statistic, into `k`.
    pub(crate) fn kernel_row(
        self,
        kernel: AnyKernel,
        stored: SupportView<'_, T>,
        x: (Row<'_, T>, T),
        k: &mut SimdBuffer<T>,
    ) {
        self.scores(kernel, stored, CoefficientView { data: &[], outputs: 0 }, x, k, &mut []);
    }

    /// Operations on triangular factors.
    pub(crate) fn solver(self) -> Solver {
        Solver { table: self.table }
    }
}

/// The table of `f32`. A generic function is compiled again in every crate that uses it; this one is not generic, so
/// that the operations are compiled in this crate alone.
#[inline(never)]
fn table_f32(level: Level) -> Ops<f32> {
    table(level)
}

/// The table of `f64`, compiled in this crate alone too.
#[inline(never)]
fn table_f64(level: Level) -> Ops<f64> {
    table(level)
}

#[cfg(target_arch = "x86_64")]
fn table<T: Real>(level: Level) -> Ops<T>
where
    simd::Avx512: simd::Simd<T>,
    simd::Avx2: simd::Simd<T>,
    simd::Sse2: simd::Simd<T>,
{
    match level {
        Level::Avx512(processor) => of(processor),
        Level::Avx2(processor) => of(processor),
        #[cfg(any(target_arch = "aarch64", test))]
        Level::Fused(processor) => of(processor),
        Level::Portable(processor) => of(processor),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn table<T: Real>(level: Level) -> Ops<T> {
    match level {
        #[cfg(any(target_arch = "aarch64", test))]
        Level::Fused(processor) => of(processor),
        Level::Portable(processor) => of(processor),
    }
}

fn of<T: Real, P: simd::Processor + simd::Simd<T>>(processor: P) -> Ops<T> {
    // A level is a proof without a size: nothing is allocated.
    Ops { table: Box::leak(Box::new(SimdImpl(processor))) }
}

/// The operations on triangles at one SIMD level.
#[derive(Clone, Copy)]
pub(crate) struct Solver {
    table: &'static dyn triangle::TriangleOps,
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Solver")
    }
}

impl Deref for Solver {
    type Target = dyn triangle::TriangleOps;

    fn deref(&self) -> &Self::Target {
        self.table
    }
}
