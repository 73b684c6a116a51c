//! Rows that are given by their differences from a base row, against kernel values computed from scratch.

use crate::batch::{Example, Label, Row};
use crate::expansion::scores::RowScores;
use crate::expansion::{KernelExpansion, LinearInput, MergedPair, NewSupportVector, Query, Shape};
use crate::float::Real;
use crate::kernel::{AnyKernel, RationalQuadratic};
use crate::ops::{BLOCK_ROWS, Level, RowSize, SimdBuffer, all_levels};
use crate::persist::Tensors;
use crate::rng::Rng;

const FEATURES: usize = 77;
const VECTORS: usize = 150;
const KERNEL: AnyKernel = AnyKernel::RationalQuadratic(RationalQuadratic { gamma: 0.02, alpha: 2.0 });

fn vector<T: Real>(rng: &mut Rng) -> Vec<T> {
    (0..FEATURES).map(|_| T::from_f64(rng.normal().clamp(-3.0, 3.0))).collect()
}

/// A row that differs from `base` in one of `share` features.
fn near<T: Real>(base: &[T], share: usize, rng: &mut Rng) -> Vec<T> {
    base.iter().map(|b| if rng.index(share) == 0 { T::from_f64(rng.normal()) } else { *b }).collect()
}

fn insert<T: Real>(expansion: &mut KernelExpansion<T>, x: &[T]) {
    let (row, alpha, k) = (Row::Dense(x), [T::ONE], SimdBuffer::zeros(expansion.n_simd()));
    let row_stat = KERNEL.row_stat(row);
    let label = Label::Sign(1.0);
    expansion.insert(NewSupportVector { z: row, row_stat, label, alpha: &alpha, f: &alpha, k: &k }, &mut ());
    expansion.commit_insert(&mut ());
}

fn expansion<T: Real>(level: Level, rng: &mut Rng) -> KernelExpansion<T> {
    let shape = Shape { capacity: Some(VECTORS + 1), features: FEATURES, outputs: 1 };
    let mut expansion = KernelExpansion::at(level, KERNEL, shape);
    expansion.declare_row_size(RowSize::Clipped);
    (0..VECTORS).for_each(|_| insert(&mut expansion, &vector::<T>(rng)));
    expansion
}

/// The kernel rows of rows: each alone, or as a block.
fn kernel_rows<T: Real>(expansion: &mut KernelExpansion<T>, rows: &[Vec<T>], as_block: bool) -> Vec<Vec<T>> {
    let mut scores = RowScores { f: vec![T::ZERO], ..RowScores::default() };
    scores.k.grow(expansion.n_simd());
    if as_block {
        expansion.precompute_kernel_block(0, &rows.concat());
    }
    let row = |z: &Vec<T>| {
        let z = Row::Dense(&z[..]);
        let query = Query::new(KERNEL, LinearInput::from(z), z);
        expansion.score(Example::new(Label::Sign(1.0), 1, 1.0), query, as_block, &mut scores);
        expansion.order().iter().map(|slot| scores.k.get(slot.index())).collect()
    };
    rows.iter().map(row).collect()
}

fn rows_by_differences_are_exact<T: Real>(level: Level, tolerance: f64) {
    let mut rng = Rng::new(5);
    let mut expansion = expansion::<T>(level, &mut rng);
    assert!(expansion.support().accepts_base_row());
    let base = vector::<T>(&mut rng);
    expansion.set_base_row(Some(&base));

    // An edit of each kind.
    let (m, n) = (expansion.nth_oldest(3), expansion.nth_oldest(90));
    let mut x_m = vec![T::ZERO; FEATURES];
    expansion.read(m, &mut x_m);
    let pair = MergedPair { m, x_m: &x_m, n, h: 0.3, u: 0.4, v: 0.7, degradation: 0.0 };
    expansion.merge(pair, &mut ());
    insert(&mut expansion, &vector::<T>(&mut rng));
    expansion.remove(expansion.nth_oldest(7), &mut ());

    // Many and few differences, so that a block is computed either way.
    for share in [1, 12] {
        let rows: Vec<_> = (0..BLOCK_ROWS).map(|_| near(&base, share, &mut rng)).collect();
        let alone = kernel_rows(&mut expansion, &rows, false);
        assert_eq!(kernel_rows(&mut expansion, &rows, true), alone, "{level:?}");
        let mut fresh = expansion.clone();
        fresh.set_base_row(Some(&base));
        assert_eq!(kernel_rows(&mut fresh, &rows, true), alone, "{level:?}: offsets follow the edits");
        for (z, k) in rows.iter().zip(alone) {
            let mut exact = vec![0.0; expansion.n_simd_used() * T::LANES];
            let z: Vec<f64> = z.iter().map(|z| z.to_f64()).collect();
            expansion.support().values_f64(&z, &mut exact);
            for (slot, k) in expansion.order().iter().zip(k) {
                let error = (k.to_f64() - exact[slot.index()]).abs();
                assert!(error <= tolerance, "{level:?}: {k} instead of {}", exact[slot.index()]);
            }
        }
    }
}

#[test]
fn files_contain_the_base_row() {
    let mut rng = Rng::new(6);
    let mut written = expansion::<f32>(all_levels()[0], &mut rng);
    let base = vector::<f32>(&mut rng);
    written.set_base_row(Some(&base));
    let mut saved = Tensors::of(|out| written.write(out));
    let shape = Shape { capacity: Some(VECTORS + 1), features: FEATURES, outputs: 1 };
    let mut read = KernelExpansion::new(KERNEL, shape);
    read.declare_row_size(RowSize::Clipped);
    let mut damaged = read.clone();
    read.read_from(&saved, 2.into()).unwrap();
    let rows: Vec<_> = (0..3).map(|_| near(&base, 9, &mut rng)).collect();
    assert_eq!(kernel_rows(&mut read, &rows, false), kernel_rows(&mut written, &rows, false));
    saved.replace("base_row", &[FEATURES], vec![f32::INFINITY; FEATURES]);
    let error = damaged.read_from(&saved, 2.into()).unwrap_err().to_string();
    assert!(error.contains("base row"), "{error}");
}

#[test]
fn kernel_rows_by_differences_are_exact_and_alike_in_blocks() {
    for level in all_levels() {
        rows_by_differences_are_exact::<f32>(level, 1e-6);
        rows_by_differences_are_exact::<f64>(level, 1e-14);
    }
}
