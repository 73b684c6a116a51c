//! Expected errors follow the edits of the model.

use crate::batch::{Label, Row};
use crate::kernel::{KernelName, KernelParameters};
use crate::ops::SimdBuffer;
use crate::store::{KernelExpansion, MergedPair, NewVector, Shape};

/// A model of one feature with vectors at these places, far apart.
fn model(places: &[f64], kernel: KernelName) -> KernelExpansion<f64> {
    let shape = Shape { capacity: Some(8), features: 1, outputs: 1 };
    let mut model = KernelExpansion::new(kernel.with(1.0, KernelParameters::default()), shape);
    model.keep_local_errors();
    for x in places {
        insert(&mut model, *x);
    }
    model
}

/// The kernel row of a row, and `k(x, x)`.
fn kernel_row(model: &KernelExpansion<f64>, x: f64) -> (SimdBuffer<f64>, f64) {
    let (x, mut k) = ([x], SimdBuffer::zeros(model.n_simd()));
    let x = Row::Dense(&x[..]);
    model.kernel_row((x, model.kernel().query_stat(x)), &mut k);
    (k, model.kernel().diag(model.kernel().row_stat(x)))
}

fn insert(model: &mut KernelExpansion<f64>, x: f64) {
    let (k, _) = kernel_row(model, x);
    let x = [x];
    let row_stat = model.kernel().row_stat(Row::Dense(&x));
    let new =
        NewVector { x: Row::Dense(&x), row_stat, label: Label::Value(0.0), alpha: &[1.0], f: &[0.0], k: &k };
    model.insert(new, &mut ());
}

fn observe(model: &mut KernelExpansion<f64>, x: f64, error: f64) -> f64 {
    let (k, k_tt) = kernel_row(model, x);
    model.observe_error((&k, k_tt), error)
}

fn expected(model: &KernelExpansion<f64>, x: f64) -> f64 {
    let (k, k_tt) = kernel_row(model, x);
    model.expected_error((&k, k_tt))
}

fn near(model: &KernelExpansion<f64>) -> Vec<f64> {
    model.order().iter().map(|slot| model.error_near(slot).unwrap()).collect()
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
}

#[test]
fn errors_by_hand() {
    let mut model = model(&[0.0, 100.0], KernelName::Rbf);
    assert_eq!(observe(&mut model, 0.0, 2.0), 0.0);
    // The weight of the vector at 0 is 1, of the mean 0.05: rho moves by 0.06 / 1.05 of the difference.
    assert_near(near(&model)[0], 0.06 / 1.05 * 2.0);
    assert_eq!(near(&model)[1], 0.0);
    // Far away from all vectors the mean error is expected: 2 after the first row, 1 after the second.
    assert_near(expected(&model, 50.0), 2.0);
    assert_near(observe(&mut model, 50.0, 0.0), 2.0);
    assert_near(expected(&model, 50.0), 1.0);
    // A new vector begins with the expected error.
    let before = expected(&model, 1.0);
    insert(&mut model, 1.0);
    assert_near(near(&model)[2], before);
}

#[test]
fn merging_removing_and_reusing_slots() {
    let mut model = model(&[0.0, 10.0, 20.0], KernelName::Rbf);
    for (x, error) in [(0.0, 3.0), (10.0, 5.0), (20.0, 7.0)] {
        observe(&mut model, x, error);
    }
    let [a, b, c] = near(&model)[..] else { panic!("three vectors") };
    let slots: Vec<_> = model.order().iter().collect();
    let merger =
        MergedPair { m: slots[0], x_m: &[0.0], n: slots[1], h: 0.25, u: 1.0, v: 1.0, degradation: 0.0 };
    model.merge(merger, &mut ());
    assert_near(near(&model)[0], 0.75 * b + 0.25 * a);
    assert_near(near(&model)[1], c);
    // Beyond either vector the error of the nearer one counts.
    let [merged, _] = near(&model)[..] else { panic!("two vectors") };
    let merger =
        MergedPair { m: slots[1], x_m: &[7.5], n: slots[2], h: -0.5, u: 1.0, v: 1.0, degradation: 0.0 };
    model.merge(merger, &mut ());
    assert_near(near(&model)[0], c);
    assert!(merged > 0.0);
    model.remove(slots[2], &mut ());
    assert_near(expected(&model, 20.0), 5.0);
    insert(&mut model, 20.0);
    assert_near(near(&model)[0], 5.0);
}

#[test]
fn weights_of_other_kernels_are_squared_cosines() {
    for kernel in [KernelName::Linear, KernelName::Poly, KernelName::Cosine, KernelName::Sigmoid] {
        let mut model = model(&[1.0, 3.0], kernel);
        observe(&mut model, 3.0, 4.0);
        let all = near(&model);
        assert!(all.iter().all(|error| (0.0..=4.0).contains(error)), "{kernel:?}: {all:?}");
        let found = expected(&model, 2.0);
        assert!((0.0..=4.0).contains(&found), "{kernel:?}: {found}");
        // A row of zeros may have k(x, x) = 0.
        assert!(expected(&model, 0.0).is_finite());
    }
}
