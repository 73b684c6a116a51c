//! Sparse rows: a batch equals its rows one by one, and sparse rows equal dense rows up to rounding.

use crate::combinations::{Combination, Float, contracts, streams};
use crate::stream::{FEATURES, ROWS, Stream, bits, cuts, pieces};
use budgetrs::params::Gamma;
use budgetrs::{Learner, Rows};
use std::ops::Range;

/// The rows of a stream in CSR format.
struct Sparse<T> {
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Float> Sparse<T> {
    fn of(stream: &Stream<T>) -> Self {
        let mut sparse = Self { indptr: vec![0], indices: Vec::new(), values: Vec::new() };
        for i in 0..ROWS {
            for (j, &x) in stream.row(i).iter().enumerate().filter(|(_, x)| **x != T::ZERO) {
                sparse.indices.push(j as u32);
                sparse.values.push(x);
            }
            sparse.indptr.push(sparse.values.len());
        }
        sparse
    }

    /// Runs a function on some rows.
    fn with<R>(&self, part: Range<usize>, run: impl FnOnce(&Rows<'_, T>) -> R) -> R {
        let entries = self.indptr[part.start]..self.indptr[part.end];
        let indptr = &self.indptr[part.start..=part.end];
        let indptr: Vec<usize> = indptr.iter().map(|at| at - entries.start).collect();
        let (indices, values) = (&self.indices[entries.clone()], &self.values[entries]);
        run(&Rows::Sparse { indptr: &indptr, indices, values, columns: FEATURES })
    }
}

fn learn<T: Float>(combination: &Combination, stream: &Stream<T>, parts: Vec<Range<usize>>) -> Learner<T> {
    let sparse = Sparse::of(stream);
    let mut learner: Learner<T> = combination.build(FEATURES);
    for part in parts {
        sparse.with(part.clone(), |rows| learner.learn_batch(rows, stream.targets(part), None)).unwrap();
        assert!(combination.max_support().is_none_or(|most| learner.n_support() <= most), "{combination}");
    }
    learner
}

fn rows_and_batches<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let one_by_one = learn(combination, stream, pieces(1..=ROWS));
    let expected = combination.bytes(&one_by_one);
    for parts in cuts().into_iter().chain([pieces([0, ROWS])]) {
        assert_eq!(
            combination.bytes(&learn(combination, stream, parts)),
            expected,
            "{combination}: in pieces"
        );
    }
    let sparse = Sparse::of(stream);
    let scores = sparse.with(0..ROWS, |rows| one_by_one.decision_function(rows)).unwrap();
    assert!(scores.iter().all(|f| f.is_finite()), "{combination}");
    let parallel = sparse.with(0..ROWS, |rows| one_by_one.decision_function_parallel(rows)).unwrap();
    assert_eq!(bits(&parallel), bits(&scores), "{combination}");
    let outputs = one_by_one.n_outputs();
    for i in (0..ROWS).step_by(7) {
        let one = sparse.with(i..i + 1, |rows| one_by_one.decision_function(rows)).unwrap();
        assert_eq!(bits(&one), bits(&scores[i * outputs..(i + 1) * outputs]), "{combination}: row {i}");
    }
    // Dense rows are summed in a different order.
    let dense = one_by_one.decision_function(&stream.all()).unwrap();
    let coefficients: f64 = one_by_one.dual_coef().iter().map(|a| a.to_f64().abs()).sum();
    let unit = 2f64.powi(if T::LANES == 16 { -23 } else { -52 });
    for (a, b) in scores.iter().zip(&dense) {
        // No kernel value of this stream exceeds 400, nor do the sums under an exponential.
        let bound = 400.0 * 20.0 * unit * (1.0 + coefficients);
        assert!((a.to_f64() - b.to_f64()).abs() <= bound, "{combination}: sparse {a}, dense {b}");
    }
}

contracts! {
    streams:
    a_batch_equals_its_rows_however_it_is_cut = rows_and_batches;
}

/// In f64, rounding does not affect which support vectors are inserted and removed on this stream, if the strategy does
/// not compare kernel values.
#[test]
fn sparse_and_dense_rows_have_equal_support_vectors() {
    let is_robust = |combination: &Combination| {
        let spec = combination.spec.spec();
        !spec.maintenance.entry().needs_psd_kernel && spec.budget.is_some() && spec.gamma != Gamma::Scale
    };
    for (combination, stream) in streams::<f64>().filter(|(combination, _)| is_robust(combination)) {
        let sparse = learn(&combination, &stream, pieces([ROWS]));
        let mut dense: Learner<f64> = combination.build(FEATURES);
        stream.learn(&mut dense, 0..ROWS);
        assert_eq!(sparse.support_vectors(), dense.support_vectors(), "{combination}");
        let (a, b) = (sparse.counts(), dense.counts());
        assert_eq!((a.n_seen, a.updates, a.mistakes), (b.n_seen, b.updates, b.mistakes), "{combination}");
    }
}
