//! Sparse rows: a batch equals its rows one by one, and sparse rows equal dense rows up to rounding.

use crate::combinations::{Combination, Float, combinations};
use crate::stream::{FEATURES, ROWS, Stream, bits, cuts};
use budgetrs::params::Gamma;
use budgetrs::{Learner, Rows};

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

    /// Runs a function on the rows `from..to`.
    fn with<R>(&self, from: usize, to: usize, run: impl FnOnce(&Rows<'_, T>) -> R) -> R {
        let entries = self.indptr[from]..self.indptr[to];
        let indptr: Vec<usize> = self.indptr[from..=to].iter().map(|at| at - entries.start).collect();
        let (indices, values) = (&self.indices[entries.clone()], &self.values[entries]);
        run(&Rows::Sparse { indptr: &indptr, indices, values, columns: FEATURES })
    }
}

fn learn<T: Float>(combination: &Combination, stream: &Stream<T>, ends: &[usize]) -> Learner<T> {
    let sparse = Sparse::of(stream);
    let mut learner: Learner<T> = combination.build(FEATURES);
    let mut from = 0;
    for &to in ends {
        sparse.with(from, to, |rows| learner.learn_batch(rows, stream.targets(from, to), None)).unwrap();
        assert!(combination.max_support().is_none_or(|most| learner.n_support() <= most), "{combination}");
        from = to;
    }
    learner
}

fn rows_and_batches<T: Float>(combination: &Combination) {
    let stream: Stream<T> = Stream::new(combination.classes);
    let single: Vec<usize> = (1..=ROWS).collect();
    let one_by_one = learn(combination, &stream, &single);
    let expected = combination.bytes(&one_by_one);
    for ends in [vec![ROWS], vec![0, ROWS, ROWS]].into_iter().chain(cuts()) {
        assert_eq!(
            combination.bytes(&learn(combination, &stream, &ends)),
            expected,
            "{combination}: {ends:?}"
        );
    }
    let sparse = Sparse::of(&stream);
    let scores = sparse.with(0, ROWS, |rows| one_by_one.decision_function(rows)).unwrap();
    assert!(scores.iter().all(|f| f.is_finite()), "{combination}");
    let parallel = sparse.with(0, ROWS, |rows| one_by_one.decision_function_parallel(rows)).unwrap();
    assert_eq!(bits(&parallel), bits(&scores), "{combination}");
    let outputs = one_by_one.n_outputs();
    for i in (0..ROWS).step_by(7) {
        let one = sparse.with(i, i + 1, |rows| one_by_one.decision_function(rows)).unwrap();
        assert_eq!(bits(&one), bits(&scores[i * outputs..(i + 1) * outputs]), "{combination}: row {i}");
    }
    // Dense rows are summed in a different order.
    let dense = one_by_one.decision_function(&stream.rows(0, ROWS)).unwrap();
    let coefficients: f64 = one_by_one.dual_coef().iter().map(|a| a.to_f64().abs()).sum();
    let unit = 2f64.powi(if T::LANES == 16 { -23 } else { -52 });
    for (a, b) in scores.iter().zip(&dense) {
        // No kernel value of this stream exceeds 400, nor do the sums under an exponential.
        let bound = 400.0 * 20.0 * unit * (1.0 + coefficients);
        assert!((a.to_f64() - b.to_f64()).abs() <= bound, "{combination}: sparse {a}, dense {b}");
    }
}

#[test]
fn a_batch_equals_its_rows_however_it_is_cut() {
    combinations::<f32>().for_each(|combination| rows_and_batches::<f32>(&combination));
    combinations::<f64>().for_each(|combination| rows_and_batches::<f64>(&combination));
}

/// In f64, rounding does not affect which support vectors are inserted and removed on this stream, if the strategy does
/// not compare kernel values.
#[test]
fn sparse_and_dense_rows_have_equal_support_vectors() {
    let is_robust = |combination: &Combination| {
        let spec = combination.spec.spec();
        !spec.maintenance.entry().needs_psd_kernel && spec.budget.is_some() && spec.gamma != Gamma::Scale
    };
    for combination in combinations::<f64>().filter(is_robust) {
        let stream: Stream<f64> = Stream::new(combination.classes);
        let sparse = learn(&combination, &stream, &[ROWS]);
        let mut dense: Learner<f64> = combination.build(FEATURES);
        dense.learn_batch(&stream.rows(0, ROWS), stream.targets(0, ROWS), None).unwrap();
        assert_eq!(sparse.support_vectors(), dense.support_vectors(), "{combination}");
        let (a, b) = (sparse.counts(), dense.counts());
        assert_eq!((a.n_seen, a.updates, a.mistakes), (b.n_seen, b.updates, b.mistakes), "{combination}");
    }
}
