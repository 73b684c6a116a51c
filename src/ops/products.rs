//! Products of a row with stored vectors, for linear terms.

use super::buffer::{SimdBuffer, SimdVec};
use super::simd::{Simd, V};
use super::simd_impl::operations;
use super::{PANEL, PanelView};
use crate::batch::Row;
use crate::float::{Real, Vector};

/// The number of partial sums, of every fourth feature each: a linear term has few vectors, and a single sum would wait
/// for itself.
const SUMS: usize = 4;

operations! {
    /// Products of a row with stored vectors.
    pub(crate) trait ProductOps<T: Real> {
        /// `x . v_j` for every vector j. A dense row and the equal sparse row have the same bits.
        fn products(s: P, panels: PanelView<'_, T>, x: Row<'_, T>, out: &mut SimdBuffer<T>) {
            for first in (0..panels.n_simd).step_by(PANEL) {
                let width = PANEL.min(panels.n_simd - first);
                let data = panels.panel(first).data;
                for at in 0..width {
                    out.store(first + at, product(s, &data[at..], width, x));
                }
            }
        }
    }
}

/// The products of one SIMD vector of stored vectors, which has every `width`-th number of `data`.
#[inline(always)]
fn product<T: Real, S: Simd<T>>(s: S, data: &[SimdVec<T>], width: usize, x: Row<'_, T>) -> V<T, S> {
    let mut sums = [V::zero(s); SUMS];
    match x {
        Row::Dense(x) => {
            let (chunks, rest) = x.as_chunks::<SUMS>();
            let mut rows = data.chunks(width);
            for x in chunks {
                for (sum, &x) in sums.iter_mut().zip(x) {
                    if let Some([first, ..]) = rows.next() {
                        *sum = V::splat(s, x).mul_add(first.load(s), *sum);
                    }
                }
            }
            for ((sum, &x), row) in sums.iter_mut().zip(rest).zip(rows) {
                *sum = V::splat(s, x).mul_add(row[0].load(s), *sum);
            }
        }
        Row::Sparse(features, x) => {
            for (&j, &x) in features.iter().zip(x) {
                let sum = &mut sums[j as usize % SUMS];
                *sum = V::splat(s, x).mul_add(data[j as usize * width].load(s), *sum);
            }
        }
    }
    let [a, b, c, d] = sums;
    (a + b) + (c + d)
}

#[cfg(test)]
mod tests {
    use crate::batch::Row;
    use crate::ops::{Ops, SimdBuffer, all_levels};
    use crate::panels::PanelStorage;
    use crate::rng::Rng;
    use crate::slot::Slot;

    #[test]
    fn dense_and_sparse_rows_have_the_products() {
        let mut rng = Rng::new(2);
        for level in all_levels() {
            for (vectors, features) in [(1, 1), (2, 3), (17, 8), (70, 21), (300, 5)] {
                let mut stored = PanelStorage::<f32>::new(Some(vectors), features);
                while stored.n_simd() * 16 < vectors {
                    stored.grow();
                }
                let rows: Vec<Vec<f32>> =
                    (0..vectors).map(|_| (0..features).map(|_| rng.normal() as f32).collect()).collect();
                for (i, row) in rows.iter().enumerate() {
                    stored.write(Slot(i as u32), row.iter().copied());
                }
                let x: Vec<f32> =
                    (0..features).map(|j| if j % 3 == 1 { 0.0 } else { rng.normal() as f32 }).collect();
                let (indices, values): (Vec<u32>, Vec<f32>) =
                    x.iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(j, x)| (j as u32, *x)).unzip();
                let [mut dense, mut sparse] = [(); 2].map(|()| SimdBuffer::zeros(stored.n_simd()));
                let ops = Ops::at(level);
                ops.products(stored.view(), Row::Dense(&x), &mut dense);
                ops.products(stored.view(), Row::Sparse(&indices, &values), &mut sparse);
                assert_eq!(dense, sparse, "{vectors} vectors of {features} features");
                for (i, row) in rows.iter().enumerate() {
                    let expected: f64 = row.iter().zip(&x).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                    assert!((f64::from(dense.get(i)) - expected).abs() < 1e-5, "{expected}");
                }
            }
        }
    }
}
