//! Blocks against their rows, one by one.

use super::*;
use crate::batch::Row;
use crate::kernel::{Accumulation, Laplacian, Linear, Rbf};
use crate::ops::{Ops, RowSize, all_levels};
use crate::panels::PanelStorage;
use crate::rng::Rng;
use crate::slot::Slot;

/// Of blocks of any rows, and of one vector that has changed, the sums equal the sums of each row alone.
fn sums_are_those_of_rows<T: Real>() {
    let mut rng = Rng::new(8);
    let kernels = [
        AnyKernel::Rbf(Rbf { gamma: 0.3 }),
        AnyKernel::Laplacian(Laplacian { gamma: 0.2 }),
        AnyKernel::Linear(Linear),
    ];
    for (slots, features) in [(1, 1), (20, 3), (70, 17), (128, 5), (130, 2), (300, 40)] {
        let mut panels = PanelStorage::new(Some(slots), features);
        while panels.n_simd() * T::LANES < slots {
            panels.grow();
        }
        let mut row = |n: usize| -> Vec<T> { (0..n).map(|_| T::from_f64(rng.normal())).collect() };
        for slot in 0..slots {
            panels.write(Slot(slot as u32), row(features).into_iter());
        }
        let used = slots.div_ceil(T::LANES);
        let rows = row(BLOCK_ROWS * features);
        let changed = row(features);
        for (level, kernel, (first, to)) in all_levels().into_iter().flat_map(|level| {
            let ranges = [(0, BLOCK_ROWS), (0, 1), (3, 30), (31, 32), (9, 17)];
            kernels.iter().flat_map(move |kernel| ranges.map(|range| (level, *kernel, range)))
        }) {
            // Both ways to compute a squared distance.
            let is_clipped = first % 2 == 1;
            let row_size = if is_clipped { RowSize::Clipped } else { RowSize::Unknown };
            let expands = is_clipped && kernel.accumulation() == Accumulation::SquaredDifference;
            let square = |x: &[T]| Accumulation::SquaredDifference.row_stat(Row::Dense(x));
            let mut row_stats = SimdBuffer::zeros(panels.n_simd());
            let mut x = vec![T::ZERO; features];
            for slot in 0..slots {
                panels.read(Slot(slot as u32), &mut x);
                row_stats.set(slot, square(&x));
            }
            let ops: Ops<T> = Ops::at(level);
            let alone = |panels: &PanelStorage<T>, row_stats: &SimdBuffer<T>, row: usize| {
                let x = Row::Dense(&rows[row * features..(row + 1) * features]);
                let mut k = SimdBuffer::zeros(panels.n_simd());
                ops.kernel_row(
                    kernel,
                    SupportView { panels: panels.view(), row_stats, used, row_size },
                    (x, T::ZERO),
                    &mut k,
                );
                k
            };
            let mut block = PackedRows::default();
            block.write(first, features, &rows[first * features..to * features], expands);
            let mut sums = vec![SimdBuffer::zeros(panels.n_simd()); BLOCK_ROWS];
            let finish = |panels: &PanelStorage<T>, row_stats: &SimdBuffer<T>, sums: &SimdBuffer<T>| {
                let (stored, mut k) =
                    (SupportView { panels: panels.view(), row_stats, used, row_size }, sums.clone());
                ops.finish_scores(
                    kernel,
                    stored,
                    crate::ops::CoefficientView { data: &[], outputs: 0 },
                    T::ZERO,
                    &mut k,
                    &mut [],
                );
                k
            };
            let mut panels = panels.clone();
            ops.accumulate_block(
                kernel,
                SupportView { panels: panels.view(), row_stats: &row_stats, used, row_size },
                &block,
                (first, to),
                &mut sums,
            );
            for (row, sums) in sums.iter().enumerate().take(to).skip(first) {
                assert_eq!(
                    finish(&panels, &row_stats, sums),
                    alone(&panels, &row_stats, row),
                    "{level:?} {kernel:?} {slots} {row}"
                );
            }
            let slot = slots / 2;
            panels.write(Slot(slot as u32), changed.iter().copied());
            row_stats.set(slot, square(&changed));
            let mut column = SimdBuffer::zeros(BLOCK_ROWS / T::LANES);
            ops.accumulate_column(kernel, (&changed, square(&changed)), &block, first, &mut column);
            for (row, sums) in sums.iter_mut().enumerate().take(to).skip(first) {
                sums.set(slot, column.get(row));
                assert_eq!(
                    finish(&panels, &row_stats, sums),
                    alone(&panels, &row_stats, row),
                    "{level:?} {kernel:?} {slots} {row}"
                );
            }
        }
    }
}

#[test]
fn a_block_has_the_bits_of_its_rows() {
    sums_are_those_of_rows::<f32>();
    sums_are_those_of_rows::<f64>();
}
