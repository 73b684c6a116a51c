//! The only code that knows the processor: rows of kernels, scores, reductions, the merge search, what BPA compares,
//! and triangular solves.
//!
//! Each operation is a plain function of a table, `Ops`; there is one table per SIMD level and float type,
//! chosen once and held by the support set. Everything else in this crate is generic over the float type
//! alone. A call cannot be inlined, so an operation works on whole rows or all support vectors.

mod accumulate;
mod argmin;
mod block;
mod buffer;
mod coefficients;
mod differences;
pub(crate) mod fences;
mod finish;
mod kernel_matrix;
mod kernel_rows;
mod kernel_rows_f64;
mod level;
mod linear_map;
mod local_errors;
pub(crate) mod margins;
pub(crate) mod merge;
mod metric;
pub(crate) mod moments;
mod neighbours;
mod products;
pub(crate) mod removal;
mod simd;
mod simd_impl;
mod softmax;
mod table;
#[cfg(test)]
mod test_ops;
pub(crate) mod triangle;

pub(crate) use accumulate::{PANEL, PanelView};
pub(crate) use argmin::ActiveMask;
pub(crate) use block::{BLOCK_ROWS, PackedRows, rows_left_in_block, starts_block};
pub(crate) use buffer::SimdBuffer;
pub(crate) use coefficients::{CoefficientView, Weighted};
pub(crate) use differences::Differences;
pub(crate) use kernel_matrix::KernelMatrix;
pub(crate) use kernel_rows::{RowSize, SupportView};
pub use level::{Isa, check_forced, isa};
pub(crate) use level::{Level, level};
#[cfg(test)]
pub(crate) use level::{all_levels, fused_levels};
pub(crate) use metric::{MarginContrast, PanelsMut};
pub(crate) use neighbours::NeighbourRow;
use simd_impl::SimdImpl;
pub(crate) use softmax::SoftmaxMoments;
pub(crate) use table::{Ops, Solver};

#[cfg(not(test))]
mod test_ops {
    /// Tests ask for more; a program for nothing.
    pub(crate) trait TestOps<T> {}

    impl<T, P> TestOps<T> for super::SimdImpl<P> {}
}
