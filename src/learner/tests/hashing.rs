//! Models with feature hashing against rows hashed by hand, and the checks of hashed rows.

use super::{build, bytes};
use crate::batch::Row;
use crate::error::Error;
use crate::float::Real;
use crate::input::{FeatureHasher, HashedRow};
use crate::learner::{Learner, Rows, Targets};
use crate::params::{Average, Gamma, KernelName, Scaling, Spec};
use crate::rng::Rng;
use ndarray::Array2;

const COLUMNS: usize = 60;
const N: usize = 9;

fn specs() -> Vec<Spec> {
    let named = |name: &str| Spec { hash_features: Some(N), budget: Some(12), ..Spec::named(name).unwrap() };
    vec![
        named("online-kernel"),
        Spec { scaling: Scaling::None, gamma: Gamma::Scale, ..named("online-kernel") },
        Spec { gamma: Gamma::Auto, average: Average::Polynomial, ..named("bsgd-merge") },
        Spec { gamma: Gamma::Standardized, scaling: Scaling::Online, ..named("bpa-nn") },
        Spec { kernel: KernelName::Poly, gamma: Gamma::Scale, ..named("bpa-s") },
        Spec { kernel: KernelName::Laplacian, linear_weight: Some(0.5), ..named("rbp") },
    ]
}

/// Sparse rows and their classes.
fn stream(rows: usize) -> (Array2<f64>, Vec<u32>) {
    let mut rng = Rng::new(11);
    let y: Vec<u32> = (0..rows).map(|_| rng.index(3) as u32).collect();
    let number = |(row, column): (usize, usize)| {
        let mean = if column % 3 == y[row] as usize { 1.0 } else { 0.0 };
        if rng.index(4) == 0 { mean + rng.normal() } else { 0.0 }
    };
    let x = Array2::from_shape_fn((rows, COLUMNS), number);
    (x, y)
}

struct Csr<T> {
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
    columns: usize,
}

impl<T: Real> Csr<T> {
    fn of(x: &Array2<T>) -> Self {
        let mut csr = Self { indptr: vec![0], indices: vec![], values: vec![], columns: x.ncols() };
        for row in x.rows() {
            for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != T::ZERO) {
                csr.indices.push(j as u32);
                csr.values.push(*x);
            }
            csr.indptr.push(csr.values.len());
        }
        csr
    }

    fn rows(&self) -> Rows<'_, T> {
        let Self { indptr, indices, values, columns } = self;
        Rows::Sparse { indptr, indices, values, columns: *columns }
    }
}

/// The saved state of a model, without parameters and columns.
fn known<T: Real>(learner: &Learner<T>) -> Vec<u8> {
    let mut plain = learner.clone();
    plain.input.remove_hasher();
    bytes(&plain)
}

#[test]
fn rows_may_have_any_number_of_columns() {
    let (x, y) = stream(200);
    for spec in specs() {
        // Each row ends with its last non-zero value.
        let mut single: Learner<f64> = build(&spec, 1, 3);
        let mut widest = 1;
        for (row, class) in x.rows().into_iter().zip(&y) {
            let width = row.iter().rposition(|x| *x != 0.0).map_or(0, |last| last + 1);
            single.learn_one(&row.to_slice().unwrap()[..width], *class, 1.0).unwrap();
            widest = widest.max(width);
            assert_eq!(single.n_columns(), widest);
        }
        let mut whole: Learner<f64> = build(&spec, COLUMNS, 3);
        whole.learn_batch(&Rows::Dense(x.view()), Targets::Classes(&y), None).unwrap();
        single.add_features(COLUMNS, false).unwrap();
        assert_eq!(bytes(&single), bytes(&whole));
        assert!(single.add_features(COLUMNS - 1, true).is_err());
        let narrow = whole.decision_function(&Rows::one(&[1.0])).unwrap();
        let mut wide = [0.0; 500];
        wide[0] = 1.0;
        assert_eq!(narrow, whole.decision_function(&Rows::one(&wide)).unwrap());
    }
}

/// The error of the first invalid row; an invalid batch does not change the model.
fn refused(spec: &Spec, x: &Array2<f32>) -> Error {
    let mut learner: Learner<f32> = build(spec, COLUMNS, 3);
    let (first, y) = stream(30);
    let first = first.mapv(|x| x as f32);
    learner.learn_batch(&Rows::Dense(first.view()), Targets::Classes(&y), None).unwrap();
    let before = bytes(&learner);
    let csr = Csr::of(x);
    let y = vec![0; x.nrows()];
    let [dense, sparse] = [Rows::Dense(x.view()), csr.rows()].map(|rows| {
        let error = learner.learn_batch(&rows, Targets::Classes(&y), None).unwrap_err();
        assert_eq!(learner.decision_function(&rows).unwrap_err().to_string(), error.to_string());
        error
    });
    assert_eq!(bytes(&learner), before);
    assert_eq!(dense, sparse);
    dense
}

#[test]
fn values_that_cannot_be_hashed_raise_by_row_and_column() {
    for spec in specs() {
        for bad in [f32::NAN, f32::INFINITY] {
            let mut x = Array2::from_elem((4, 7), 0.5);
            x[[2, 5]] = bad;
            let error = refused(&spec, &x);
            assert!(matches!(error, Error::NotFinite { row: 2, column: 5, .. }), "{error}");
        }
    }
}

/// Each value is valid, but not their sum.
#[test]
fn the_hashed_row_must_not_be_too_large() {
    for spec in specs() {
        let mut x = Array2::from_elem((3, 600), 0.5f32);
        x.row_mut(1).fill(3e38);
        let error = refused(&spec, &x);
        assert!(matches!(error, Error::TooLarge { row: 1, .. }), "{error}");
    }
}

#[test]
fn a_given_scaling_applies_to_hashed_rows() {
    let (x, y) = stream(100);
    let spec = Spec { kernel: KernelName::Poly, ..specs()[4].clone() };
    let (mean, deviation) = (vec![0.25; N], vec![2.0; N]);
    let mut learner: Learner<f64> = build(&spec, COLUMNS, 3);
    assert!(learner.set_scaling(&[0.0; COLUMNS], &[1.0; COLUMNS]).is_err());
    learner.set_scaling(&mean, &deviation).unwrap();
    let mut plain: Learner<f64> = build(&Spec { hash_features: None, ..spec.clone() }, N, 3);
    plain.set_scaling(&mean, &deviation).unwrap();
    let hashing = FeatureHasher::new(N, spec.seed, COLUMNS);
    let mut buffer = HashedRow::default();
    for (row, class) in x.rows().into_iter().zip(&y) {
        let row = row.to_slice().unwrap();
        learner.learn_one(row, *class, 1.0).unwrap();
        plain.learn_one(hashing.hash_row(Row::Dense(row), &mut buffer).values(), *class, 1.0).unwrap();
    }
    assert_eq!(known(&learner), known(&plain));
}

#[test]
fn missing_does_not_apply() {
    let mut spec = Spec { scaling: Scaling::Online, ..specs()[2].clone() };
    assert!(spec.set("missing", &crate::params::Value::Text("mean".into())).is_err());
    spec.hash_features = None;
    spec.set("missing", &crate::params::Value::Text("mean".into())).unwrap();
}
