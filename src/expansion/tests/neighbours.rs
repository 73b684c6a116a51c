//! The neighbours of every slot against a search through all other slots, after each of many random edits.

use super::{Keep, Observed, Slot, insert, testing};
use crate::batch::Row;
use crate::float::Real;
use crate::kernel::{AnyKernel, Cosine, Laplacian, Polynomial, Rbf};
use crate::ops::level;
use crate::rng::Rng;
use std::collections::HashMap;

const CAPACITY: usize = 40;
const FEATURES: usize = 3;

/// Kernels, including some whose squared distances are not monotone in the kernel values.
fn kernels() -> [AnyKernel; 4] {
    [
        AnyKernel::Rbf(Rbf { gamma: 0.7 }),
        AnyKernel::Laplacian(Laplacian { gamma: 0.2 }),
        AnyKernel::Polynomial(Polynomial { gamma: 0.5, coef0: 1.0, degree: 3 }),
        AnyKernel::Cosine(Cosine),
    ]
}

/// The kernel values of a slot with all slots.
fn values<T: Real>(expansion: &Observed<T>, kernel: AnyKernel, slot: Slot) -> Vec<T> {
    let mut x = vec![T::ZERO; FEATURES];
    expansion.read(slot, &mut x);
    testing::row(level(), expansion, kernel, Row::Dense(&x), expansion.n_simd() * T::LANES)
}

/// The nearest neighbours by exhaustive search, sorted by distance, then insertion order.
fn search<T: Real>(
    expansion: &Observed<T>,
    k: &[T],
    slot: Slot,
    new: Option<Slot>,
    n: usize,
) -> Vec<(Slot, T, T)> {
    let diag = |slot: Slot| expansion.coefficients().diags().get(slot.index());
    let others = expansion.order().iter().filter(|other| *other != slot && Some(*other) != new);
    let mut found: Vec<_> = others
        .map(|other| {
            let k = k[other.index()];
            // Two products and one rounding, as in the fast code.
            let fused = (diag(other) + diag(slot)).to_f64() - 2.0 * k.to_f64();
            (other, T::from_f64(fused), k)
        })
        .collect();
    // The sort is stable, so ties stay in insertion order.
    found.sort_by(|a, b| a.1.to_f64().total_cmp(&b.1.to_f64()));
    found.truncate(n);
    found
}

fn check<T: Real>(expansion: &Observed<T>, kernel: AnyKernel, new: Option<Slot>, n: usize, what: &str) {
    let rows: HashMap<_, _> =
        expansion.order().iter().map(|slot| (slot.index(), values(expansion, kernel, slot))).collect();
    for slot in expansion.order().iter() {
        let kept: Vec<_> =
            expansion.neighbours().of(slot).map(|near| (near.slot, near.distance, near.k)).collect();
        assert_eq!(kept, search(expansion, &rows[&slot.index()], slot, new, n), "{what}, {slot:?}");
        if n > 1 {
            for (a, _, _) in &kept {
                for (b, _, _) in kept.iter().filter(|(b, _, _)| b != a) {
                    let k = rows[&a.index()][b.index()];
                    assert_eq!(
                        expansion.neighbours().ranks().kernel(a.index(), b.index()),
                        k,
                        "{what}, {slot:?}: {a:?} and {b:?}"
                    );
                }
            }
        }
    }
}

/// Points of a lattice, where many distances are equal, random points, or copies of stored vectors.
fn point<T: Real>(expansion: &Observed<T>, rng: &mut Rng) -> Vec<T> {
    let mut x = vec![T::ZERO; FEATURES];
    match rng.index(4) {
        0 if expansion.len() > 0 => expansion.read(expansion.nth_oldest(rng.index(expansion.len())), &mut x),
        1 => x.iter_mut().for_each(|x| *x = T::from_f64(rng.uniform() * 3.0)),
        _ => x.iter_mut().for_each(|x| *x = T::from_f64(rng.index(3) as f64)),
    }
    x
}

fn operate<T: Real>(n: usize, operations: usize, seed: u64) {
    for kernel in kernels() {
        let mut rng = Rng::new(seed);
        let keep = Keep { neighbours: n, ..Keep::default() };
        let mut expansion: Observed<T> = Observed::new(Some(CAPACITY), FEATURES, 1, keep);
        for operation in 0..operations {
            let what = format!("{}, n = {n}, seed {seed}, operation {operation}", kernel.name());
            // Grow to the budget, stay there, and shrink sometimes.
            let removes = expansion.len() == CAPACITY || (expansion.len() > 3 && rng.index(8) == 0);
            let mut new = None;
            if removes {
                let place = if rng.index(3) == 0 { expansion.len() - 1 } else { rng.index(expansion.len()) };
                let slot = expansion.nth_oldest(place);
                expansion.remove(kernel, slot);
            } else {
                let x = point(&expansion, &mut rng);
                let (indices, values): (Vec<u32>, Vec<T>) =
                    x.iter().enumerate().filter(|(_, x)| **x != T::ZERO).map(|(j, &x)| (j as u32, x)).unzip();
                if kernel.diag(kernel.row_stat(Row::Dense(&x))) == T::ZERO {
                    continue;
                }
                let row = if rng.index(2) == 0 { Row::Dense(&x) } else { Row::Sparse(&indices, &values) };
                let slot = insert(&mut expansion, kernel, row, &[T::ONE]);
                new = (expansion.len() == CAPACITY).then_some(slot);
            }
            check(&expansion, kernel, new, n, &what);
        }
        // A changed kernel and a loaded file compute the neighbours from scratch.
        let kept: Vec<Vec<_>> =
            expansion.order().iter().map(|slot| expansion.neighbours().of(slot).collect()).collect();
        if expansion.len() < CAPACITY {
            expansion.refresh(kernel);
            let anew: Vec<Vec<_>> =
                expansion.order().iter().map(|slot| expansion.neighbours().of(slot).collect()).collect();
            assert_eq!(kept, anew);
        }
    }
}

#[test]
fn neighbours_equal_a_search() {
    for (n, seed) in [(1, 1), (2, 2), (4, 3)] {
        operate::<f64>(n, 400, seed);
        operate::<f32>(n, 400, seed);
    }
    operate::<f64>(1, 2000, 4);
}
