//! Kernel rows against the oracle in f64, with bounds on the rounding errors.

use crate::batch::Row;
use crate::expansion::testing::{Keep, Observed};
use crate::expansion::testing::{insert, row};
use crate::float::Real;
use crate::kernel::{AnyKernel, KernelName, KernelParameters};
use crate::ops::{Level, all_levels, fused_levels, level};
use crate::rng::Rng;
use crate::testing::{Sums, kernel_f64, kernel_of_sums};

/// A kernel and the parameters that it was made with.
#[derive(Debug, Clone, Copy)]
struct Case {
    kernel: AnyKernel,
    gamma: f64,
    parameters: KernelParameters,
}

/// Every kernel with two sets of parameters; the second is left out if the kernel has no parameters.
fn kernels(features: usize) -> Vec<Case> {
    let wide = (1.0, KernelParameters { degree: 3, coef0: 0.5, alpha_rq: 0.7 });
    let narrow = (40.0, KernelParameters { degree: 6, coef0: 0.0, alpha_rq: 300.0 });
    let mut cases: Vec<Case> = Vec::new();
    for name in KernelName::ALL {
        for (factor, parameters) in [wide, narrow] {
            let by_distance = name.with(1.0, parameters).translation_invariant();
            let gamma = if by_distance { factor } else { 1.0 } / features as f64;
            let kernel = name.with(gamma, parameters);
            if cases.last().is_none_or(|last| last.kernel != kernel) {
                cases.push(Case { kernel, gamma, parameters });
            }
        }
    }
    cases
}

/// A row of type `T`; every third value is zero.
fn random<T: Real>(rng: &mut Rng, features: usize) -> Vec<T> {
    let value = |rng: &mut Rng| if rng.index(3) == 0 { 0.0 } else { rng.normal() };
    (0..features).map(|_| T::from_f64(value(rng))).collect()
}

/// Bound on the rounding error of a kernel value.
///
/// In a sum of `d` features each addition errs by half a unit in the last place of the sum so far; the function of the
/// sum propagates the error and adds a few units. Norms of the rows and the parameters are rounded too.
fn tolerance<T: Real>(case: &Case, a: &[T], b: &[T], sparse: bool) -> f64 {
    let half = 2f64.powi(-(T::MANTISSA as i32) - 1);
    let chain = (a.len() + 6) as f64 * half;
    let (a, b): (Vec<f64>, Vec<f64>) = a.iter().zip(b).map(|(a, b)| (a.to_f64(), b.to_f64())).unzip();
    let sum = |term: fn(f64, f64) -> f64| a.iter().zip(&b).map(|(a, b)| term(*a, *b)).sum::<f64>();
    let sums = Sums::of(&a, &b);
    // The sparse path sums terms as large as the norms, even if the distance is small.
    let sq_distance = if sparse { sum(|a, b| 3.0 * (a.abs() + b.abs()).powi(2)) } else { sums.sq_distance };
    let l1_distance = if sparse { sum(|a, b| 3.0 * (a.abs() + b.abs())) } else { sums.l1_distance };
    let name = case.kernel.kind();
    let constant = if name.has("coef0") { case.parameters.coef0 / case.gamma } else { 0.0 };
    let dot = chain * sum(|a, b| (a * b).abs()) + 4.0 * half * (sums.dot.abs() + 2.0 * constant);
    let exact = kernel_of_sums(case.kernel, sums);
    let off = |sign: f64, of_norms: f64| {
        let rounded = Sums {
            dot: sums.dot + sign * dot,
            sq_distance: (sums.sq_distance - sign * chain * sq_distance).max(0.0),
            l1_distance: (sums.l1_distance - sign * chain * l1_distance).max(0.0),
            norms: sums.norms * (1.0 + of_norms * chain),
        };
        (kernel_of_sums(case.kernel, rounded) - exact).abs()
    };
    let passed_on = [off(1.0, 1.0), off(1.0, -1.0), off(-1.0, 1.0), off(-1.0, -1.0)];
    let degree = if name.has("degree") { f64::from(case.parameters.degree) } else { 0.0 };
    let size = exact.abs().max(f64::MIN_POSITIVE);
    let own = half * size * (12.0 + 2.0 * degree) * (1.0 + size.ln().abs());
    // Below the least normal number exponentials are zero, and so is their product with a polynomial of the exponent.
    let exponent = T::MIN_EXP.to_f64();
    let underflow = exponent.exp2() * exponent.powi(2);
    // In f64 the oracle rounds as much as the code does.
    let twice = if T::MANTISSA > 30 { 2.0 } else { 1.0 };
    twice * (passed_on.into_iter().fold(0.0, f64::max) + own) + underflow
}

fn naive<T: Real>(kernel: AnyKernel, a: &[T], b: &[T]) -> f64 {
    let widened = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<_>>();
    kernel_f64(kernel, &widened(a), &widened(b))
}

pub(super) fn expansion_of<T: Real>(
    level: Level,
    kernel: AnyKernel,
    stored: &[Vec<T>],
    capacity: usize,
) -> Observed<T> {
    let mut expansion = Observed::new(Some(capacity), stored[0].len(), 1, Keep::default());
    for x in stored {
        insert(level, &mut expansion, kernel, Row::Dense(x), &[T::ONE]);
    }
    expansion
}

/// The kernel row of `x`, by slot.
pub(super) fn row_of<T: Real>(
    level: Level,
    kernel: AnyKernel,
    expansion: &Observed<T>,
    x: Row<'_, T>,
) -> Vec<T> {
    row(level, expansion, kernel, x, expansion.len())
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

/// Every tile shape, alone and behind whole panels.
const N_SIMD: [usize; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 21];

fn rows_are_the_formulas<T: Real>() {
    let mut rng = Rng::new(1);
    let mut worst = 0.0f64;
    for (case, n_simd) in N_SIMD.into_iter().enumerate() {
        for features in [1 + case, 1 + (7 * case) % 40, 40 - case] {
            let slots = n_simd * T::LANES - rng.index(T::LANES);
            let stored: Vec<Vec<T>> = (0..slots).map(|_| random(&mut rng, features)).collect();
            for case in kernels(features) {
                let kernel = case.kernel;
                for level in all_levels() {
                    let expansion = expansion_of(level, kernel, &stored, slots);
                    let mut x: Vec<T> = random(&mut rng, features);
                    if rng.index(4) == 0 {
                        x.clone_from(&stored[0]);
                    }
                    let (indices, values) = non_zero(&x);
                    for row in [Row::Dense(&x[..]), Row::Sparse(&indices, &values)] {
                        let sparse = matches!(row, Row::Sparse(..));
                        for (slot, k) in row_of(level, kernel, &expansion, row).into_iter().enumerate() {
                            let (exact, k) = (naive(kernel, &x, &stored[slot]), k.to_f64());
                            let bound = tolerance(&case, &x, &stored[slot], sparse);
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
    // The bound must be tight enough to be meaningful.
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
    for (case, n_simd) in N_SIMD.into_iter().enumerate() {
        let features = 1 + 3 * case;
        let slots = n_simd * T::LANES - rng.index(T::LANES);
        let stored: Vec<Vec<T>> = (0..slots).map(|_| random(&mut rng, features)).collect();
        let x: Vec<T> = random(&mut rng, features);
        let (indices, values) = non_zero(&x);
        for Case { kernel, .. } in kernels(features) {
            for row in [Row::Dense(&x[..]), Row::Sparse(&indices, &values)] {
                let mut rows = fused_levels()
                    .into_iter()
                    .map(|l| row_of(l, kernel, &expansion_of(l, kernel, &stored, slots), row));
                if let Some(first) = rows.next() {
                    assert!(rows.all(|row| bits(&row) == bits(&first)), "{kernel:?}, {n_simd} SIMD vectors");
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
        for Case { kernel, .. } in kernels(features) {
            let first = |n: usize, capacity: usize| {
                row_of(level, kernel, &expansion_of(level, kernel, &stored[..n], capacity), Row::Dense(&x))
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
        for Case { kernel, .. } in kernels(narrow) {
            let mut expansion = expansion_of(level, kernel, &stored, stored.len());
            let dense = row_of(level, kernel, &expansion, Row::Dense(&x));
            let sparse = row_of(level, kernel, &expansion, Row::Sparse(&indices, &values));
            expansion.add_features(wide);
            let widened = row_of(level, kernel, &expansion, Row::Dense(&padded));
            assert_eq!(bits(&widened), bits(&dense), "{kernel:?} {level:?}");
            let widened = row_of(level, kernel, &expansion, Row::Sparse(&indices, &values));
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
            for case in kernels(features) {
                let kernel = case.kernel;
                let expansion = expansion_of(level, kernel, &stored, stored.len());
                for (slot, x) in stored.iter().enumerate() {
                    let k = row_of(level, kernel, &expansion, Row::Dense(x))[slot].to_f64();
                    let diag = kernel.diag(kernel.row_stat(Row::Dense(x))).to_f64();
                    let bound = 2.0 * tolerance(&case, x, x, false);
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

/// Far from the origin the sparse path subtracts nearly equal numbers. The difference may be pure rounding error, but
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
            for Case { kernel, .. } in &kernels(features)[..4] {
                for level in all_levels() {
                    let expansion = expansion_of(level, *kernel, &stored, stored.len());
                    let row = row_of(level, *kernel, &expansion, Row::Sparse(&indices, &values));
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

/// Whether a symmetric matrix is positive definite: all pivots of the elimination are positive.
fn is_positive_definite(mut a: Vec<Vec<f64>>) -> bool {
    for j in 0..a.len() {
        let (above, below) = a.split_at_mut(j + 1);
        let pivot_row = &above[j];
        if pivot_row[j] <= 0.0 {
            return false;
        }
        for row in below {
            let factor = row[j] / pivot_row[j];
            row.iter_mut().zip(pivot_row).for_each(|(a, b)| *a -= factor * b);
        }
    }
    true
}

#[test]
fn gram_matrices_are_semi_definite_exactly_if_the_kernel_says_so() {
    let points: Vec<Vec<f64>> =
        (0..49).map(|i| vec![f64::from(i / 7) - 3.0, f64::from(i % 7) - 3.0]).collect();
    for case in kernels(2) {
        let expansion = expansion_of(level(), case.kernel, &points, points.len());
        let row = |x: &Vec<f64>| row_of(level(), case.kernel, &expansion, Row::Dense(x));
        let mut gram: Vec<Vec<f64>> = points.iter().map(row).collect();
        let trace: f64 = (0..points.len()).map(|i| gram[i][i]).sum();
        (0..points.len()).for_each(|i| gram[i][i] += 1e-9 * trace);
        assert_eq!(is_positive_definite(gram), case.kernel.kind().info().is_psd, "{case:?}");
    }
}
