//! Kernel rows against the formulas in f64, with bounds on the rounding errors worked out from the formulas.

use crate::float::Real;
use crate::kernel::{
    AnyKernel, Cosine, Laplacian, Linear, Matern32, Matern52, Polynomial, RationalQuadratic, Rbf, Sigmoid,
};
use crate::ops::{Level, all_levels, fused_levels};
use crate::rng::Rng;
use crate::row::Row;
use crate::store::testing::{insert, row};
use crate::store::{Keep, KernelExpansion};

fn kernels(features: usize) -> [AnyKernel; 12] {
    let gamma = 1.0 / features as f64;
    [
        AnyKernel::Rbf(Rbf { gamma }),
        AnyKernel::Rbf(Rbf { gamma: 40.0 * gamma }),
        AnyKernel::Laplacian(Laplacian { gamma }),
        AnyKernel::Polynomial(Polynomial { gamma, coef0: 0.5, degree: 3 }),
        AnyKernel::Polynomial(Polynomial { gamma, coef0: 0.0, degree: 6 }),
        AnyKernel::Linear(Linear),
        AnyKernel::Sigmoid(Sigmoid { gamma, coef0: 0.25 }),
        AnyKernel::Cosine(Cosine),
        AnyKernel::Matern32(Matern32 { gamma }),
        AnyKernel::Matern52(Matern52 { gamma }),
        AnyKernel::RationalQuadratic(RationalQuadratic { gamma, alpha: 0.7 }),
        AnyKernel::RationalQuadratic(RationalQuadratic { gamma, alpha: 300.0 }),
    ]
}

/// A row, every third number of it zero, in numbers of type `T`.
fn random<T: Real>(rng: &mut Rng, features: usize) -> Vec<T> {
    let number = |rng: &mut Rng| if rng.index(3) == 0 { 0.0 } else { rng.normal() };
    (0..features).map(|_| T::from_f64(number(rng))).collect()
}

fn zip<T: Real>(a: &[T], b: &[T], of: impl Fn(f64, f64) -> f64) -> f64 {
    a.iter().zip(b).map(|(a, b)| of(a.to_f64(), b.to_f64())).sum()
}

/// The kernel by its formula.
fn naive<T: Real>(kernel: AnyKernel, a: &[T], b: &[T]) -> f64 {
    let dot = zip(a, b, |a, b| a * b);
    match kernel {
        AnyKernel::Rbf(k) => (-k.gamma * zip(a, b, |a, b| (a - b).powi(2))).exp(),
        AnyKernel::Laplacian(k) => (-k.gamma * zip(a, b, |a, b| (a - b).abs())).exp(),
        AnyKernel::Polynomial(k) => (k.gamma * dot + k.coef0).powi(k.degree as i32),
        AnyKernel::Linear(_) => dot,
        AnyKernel::Sigmoid(k) => (k.gamma * dot + k.coef0).tanh(),
        AnyKernel::Matern32(k) => {
            let s = (6.0 * k.gamma * zip(a, b, |a, b| (a - b).powi(2))).sqrt();
            (1.0 + s) * (-s).exp()
        }
        AnyKernel::Matern52(k) => {
            let s = (10.0 * k.gamma * zip(a, b, |a, b| (a - b).powi(2))).sqrt();
            (1.0 + s + s * s / 3.0) * (-s).exp()
        }
        AnyKernel::RationalQuadratic(k) => {
            let u = k.gamma * zip(a, b, |a, b| (a - b).powi(2)) / k.alpha;
            (-k.alpha * u.ln_1p()).exp()
        }
        AnyKernel::Cosine(_) => {
            let lengths = (zip(a, a, |a, b| a * b) * zip(b, b, |a, b| a * b)).sqrt();
            if lengths > 0.0 { dot / lengths } else { 0.0 }
        }
    }
}

/// What rounding may do to a kernel value: of a chain of `d` features each link errs by half a unit in the last place
/// of the sum so far, and the function of the sum passes that on; a few units more for the function itself.
fn tolerance<T: Real>(kernel: AnyKernel, a: &[T], b: &[T], sparse: bool) -> f64 {
    let half = 2f64.powi(-(T::MANTISSA as i32) - 1);
    let chain = (a.len() + 6) as f64 * half;
    let exact = naive(kernel, a, b);
    let product = chain * zip(a, b, |a, b| (a * b).abs());
    let bound = match kernel {
        AnyKernel::Rbf(k) => {
            // The sparse path adds up numbers as large as the norms, however small the distance.
            let dense = zip(a, b, |a, b| (a - b).powi(2));
            let sum = if sparse { zip(a, b, |a, b| 3.0 * (a.abs() + b.abs()).powi(2)) } else { dense };
            exact * ((k.gamma * chain * sum).exp_m1() + 4.0 * half)
        }
        AnyKernel::Laplacian(k) => {
            let dense = zip(a, b, |a, b| (a - b).abs());
            let sum = if sparse { zip(a, b, |a, b| 3.0 * (a.abs() + b.abs())) } else { dense };
            exact * ((k.gamma * chain * sum).exp_m1() + 4.0 * half)
        }
        AnyKernel::Matern32(k) => {
            // The slope of k by the squared distance is 3.0 gamma at most.
            let dense = zip(a, b, |a, b| (a - b).powi(2));
            let sum = if sparse { zip(a, b, |a, b| 3.0 * (a.abs() + b.abs()).powi(2)) } else { dense };
            3.0 * k.gamma * chain * sum + 12.0 * half
        }
        AnyKernel::Matern52(k) => {
            // The slope of k by the squared distance is 5.0 / 3.0 gamma at most.
            let dense = zip(a, b, |a, b| (a - b).powi(2));
            let sum = if sparse { zip(a, b, |a, b| 3.0 * (a.abs() + b.abs()).powi(2)) } else { dense };
            5.0 / 3.0 * k.gamma * chain * sum + 12.0 * half
        }
        AnyKernel::RationalQuadratic(k) => {
            // The slope of k by the squared distance is gamma at most.
            let dense = zip(a, b, |a, b| (a - b).powi(2));
            let sum = if sparse { zip(a, b, |a, b| 3.0 * (a.abs() + b.abs()).powi(2)) } else { dense };
            k.gamma * chain * sum + 12.0 * half
        }
        AnyKernel::Polynomial(k) => {
            let base = k.gamma * zip(a, b, |a, b| a * b) + k.coef0;
            let off = k.gamma * product + 3.0 * half * (base.abs() + k.coef0);
            let power = |base: f64| base.powi(k.degree as i32);
            power(base.abs() + off) * (1.0 + f64::from(2 * k.degree) * half) - power(base.abs())
        }
        AnyKernel::Linear(_) => product,
        AnyKernel::Sigmoid(k) => {
            let z = k.gamma * zip(a, b, |a, b| a * b) + k.coef0;
            k.gamma * product + 4.0 * half * (z.abs() + k.coef0) + 8.0 * half * exact.abs()
        }
        AnyKernel::Cosine(_) => {
            let lengths = (zip(a, a, |a, b| a * b) * zip(b, b, |a, b| a * b)).sqrt();
            if lengths > 0.0 { product / lengths + 2.0 * chain * exact.abs() } else { 0.0 }
        }
    };
    // In f64 the formula rounds as much as the code does. Below the least normal number exponentials are zero.
    let twice = if T::MANTISSA > 30 { 2.0 } else { 1.0 };
    twice * bound + 2f64.powf(T::MIN_EXP.to_f64())
}

pub(super) fn store_of<T: Real>(
    level: Level,
    kernel: AnyKernel,
    stored: &[Vec<T>],
    capacity: usize,
) -> KernelExpansion<T> {
    let mut store = KernelExpansion::new(Some(capacity), stored[0].len(), 1, Keep::default());
    for x in stored {
        insert(level, &mut store, kernel, Row::Dense(x), &[T::ONE]);
    }
    store
}

/// The kernel row of `x`, by slot.
pub(super) fn row_of<T: Real>(
    level: Level,
    kernel: AnyKernel,
    store: &KernelExpansion<T>,
    x: Row<'_, T>,
) -> Vec<T> {
    row(level, store, kernel, x, store.len())
}

/// The non-zero features of a row.
fn non_zero<T: Real>(x: &[T]) -> (Vec<u32>, Vec<T>) {
    x.iter().enumerate().filter(|(_, x)| **x != T::ZERO).map(|(j, &x)| (j as u32, x)).unzip()
}

fn bits<T: Real>(numbers: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for x in numbers {
        x.append_to(&mut bytes);
    }
    bytes
}

/// Every tile shape, on its own and behind whole panels.
const VECTORS: [usize; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 21];

fn rows_are_the_formulas<T: Real>() {
    let mut rng = Rng::new(1);
    let mut worst = 0.0f64;
    for (case, vectors) in VECTORS.into_iter().enumerate() {
        for features in [1 + case, 1 + (7 * case) % 40, 40 - case] {
            let slots = vectors * T::LANES - rng.index(T::LANES);
            let stored: Vec<Vec<T>> = (0..slots).map(|_| random(&mut rng, features)).collect();
            for kernel in kernels(features) {
                for level in all_levels() {
                    let store = store_of(level, kernel, &stored, slots);
                    let mut x: Vec<T> = random(&mut rng, features);
                    if rng.index(4) == 0 {
                        x.clone_from(&stored[0]);
                    }
                    let (indices, values) = non_zero(&x);
                    for row in [Row::Dense(&x[..]), Row::Sparse(&indices, &values)] {
                        let sparse = matches!(row, Row::Sparse(..));
                        for (slot, k) in row_of(level, kernel, &store, row).into_iter().enumerate() {
                            let (exact, k) = (naive(kernel, &x, &stored[slot]), k.to_f64());
                            let bound = tolerance(kernel, &x, &stored[slot], sparse);
                            assert!(
                                (k - exact).abs() <= bound,
                                "{kernel:?} {level:?} sparse {sparse} slot {slot}: {k:e}, not {exact:e}, {bound:e}"
                            );
                            worst = worst.max((k - exact).abs() / bound);
                        }
                    }
                }
            }
        }
    }
    // A bound that nothing comes near would prove nothing.
    assert!(worst > 0.05, "the bounds are {:.0} times too wide", 1.0 / worst);
}

#[test]
fn rows_are_the_formulas_in_single_precision() {
    rows_are_the_formulas::<f32>();
}

#[test]
fn rows_are_the_formulas_in_double_precision() {
    rows_are_the_formulas::<f64>();
}

fn fused_levels_agree<T: Real>() {
    let mut rng = Rng::new(2);
    for (case, vectors) in VECTORS.into_iter().enumerate() {
        let features = 1 + 3 * case;
        let slots = vectors * T::LANES - rng.index(T::LANES);
        let stored: Vec<Vec<T>> = (0..slots).map(|_| random(&mut rng, features)).collect();
        let x: Vec<T> = random(&mut rng, features);
        let (indices, values) = non_zero(&x);
        for kernel in kernels(features) {
            for row in [Row::Dense(&x[..]), Row::Sparse(&indices, &values)] {
                let mut rows = fused_levels()
                    .into_iter()
                    .map(|l| row_of(l, kernel, &store_of(l, kernel, &stored, slots), row));
                if let Some(first) = rows.next() {
                    assert!(rows.all(|row| bits(&row) == bits(&first)), "{kernel:?}, {vectors} vectors");
                }
            }
        }
    }
}

#[test]
fn fused_levels_agree_bit_for_bit() {
    fused_levels_agree::<f32>();
    fused_levels_agree::<f64>();
}

fn neighbours_change_nothing<T: Real>() {
    let mut rng = Rng::new(3);
    let features = 13;
    let stored: Vec<Vec<T>> = (0..20 * T::LANES).map(|_| random(&mut rng, features)).collect();
    let x: Vec<T> = random(&mut rng, features);
    for level in all_levels() {
        for kernel in kernels(features) {
            let first = |n: usize, capacity: usize| {
                row_of(level, kernel, &store_of(level, kernel, &stored[..n], capacity), Row::Dense(&x))
            };
            let all = first(stored.len(), stored.len());
            for n in [1, T::LANES - 1, T::LANES + 1, 5 * T::LANES, 8 * T::LANES, 11 * T::LANES + 3] {
                for capacity in [n, n + 1, n + 3 * T::LANES, stored.len()] {
                    assert_eq!(
                        bits(&first(n, capacity)),
                        bits(&all[..n]),
                        "{kernel:?} {level:?} {n} of {capacity}"
                    );
                }
            }
        }
    }
}

#[test]
fn values_do_not_depend_on_the_slots_in_use() {
    neighbours_change_nothing::<f32>();
    neighbours_change_nothing::<f64>();
}

fn zero_features_change_nothing<T: Real>() {
    let mut rng = Rng::new(4);
    let (narrow, wide) = (5, 12);
    let stored: Vec<Vec<T>> = (0..11 * T::LANES).map(|_| random(&mut rng, narrow)).collect();
    let x: Vec<T> = random(&mut rng, narrow);
    let mut padded = x.clone();
    padded.resize(wide, T::ZERO);
    let (indices, values) = non_zero(&x);
    for level in all_levels() {
        for kernel in kernels(narrow) {
            let mut store = store_of(level, kernel, &stored, stored.len());
            let dense = row_of(level, kernel, &store, Row::Dense(&x));
            let sparse = row_of(level, kernel, &store, Row::Sparse(&indices, &values));
            store.widen(wide);
            let widened = row_of(level, kernel, &store, Row::Dense(&padded));
            assert_eq!(bits(&widened), bits(&dense), "{kernel:?} {level:?}");
            let widened = row_of(level, kernel, &store, Row::Sparse(&indices, &values));
            assert_eq!(bits(&widened), bits(&sparse), "{kernel:?} {level:?}");
        }
    }
}

#[test]
fn appended_zero_features_change_no_bit() {
    zero_features_change_nothing::<f32>();
    zero_features_change_nothing::<f64>();
}

fn diagonals<T: Real>() {
    let mut rng = Rng::new(5);
    for features in [1, 2, 7, 40] {
        let stored: Vec<Vec<T>> = (0..50).map(|_| random(&mut rng, features)).collect();
        for level in all_levels() {
            for kernel in kernels(features) {
                let store = store_of(level, kernel, &stored, stored.len());
                for (slot, x) in stored.iter().enumerate() {
                    let k = row_of(level, kernel, &store, Row::Dense(x))[slot].to_f64();
                    let diag = kernel.diag(kernel.row_stat(Row::Dense(x))).to_f64();
                    let bound = 2.0 * tolerance(kernel, x, x, false);
                    assert!((k - diag).abs() <= bound, "{kernel:?} {level:?}: {k:e} and {diag:e}");
                    if kernel.translation_invariant() {
                        assert_eq!((k, diag), (1.0, 1.0), "{kernel:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn diagonals_are_those_of_the_rows() {
    diagonals::<f32>();
    diagonals::<f64>();
}

/// Far from the origin the sparse path subtracts numbers that are nearly equal: what is left may be rounding alone, but
/// never a negative distance.
fn offsets<T: Real>() {
    let mut rng = Rng::new(6);
    for offset in [1.0, 1e2, 1e4, 1e6] {
        for features in [1, 3, 24] {
            let near = |rng: &mut Rng, x: &[T]| -> Vec<T> {
                x.iter().map(|x| T::from_f64(x.to_f64() + 1e-7 * offset * rng.normal())).collect()
            };
            let x: Vec<T> = (0..features).map(|_| T::from_f64(offset + rng.normal())).collect();
            let stored: Vec<Vec<T>> = (0..3 * T::LANES).map(|_| near(&mut rng, &x)).collect();
            let (indices, values) = non_zero(&x);
            for kernel in &kernels(features)[..3] {
                for level in all_levels() {
                    let store = store_of(level, *kernel, &stored, stored.len());
                    let row = row_of(level, *kernel, &store, Row::Sparse(&indices, &values));
                    assert!(
                        row.iter().all(|k| *k <= T::ONE && *k >= T::ZERO),
                        "{kernel:?} {level:?} {row:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_sparse_distance_is_never_negative() {
    offsets::<f32>();
    offsets::<f64>();
}
