//! Expected errors follow the edits of the model.

use crate::batch::{Label, Row};
use crate::expansion::{KernelExpansion, MergedPair, NewSupportVector, Shape};
use crate::kernel::{KernelName, KernelParameters};
use crate::ops::SimdBuffer;

/// A model of one feature with vectors at these places, far apart.
fn expansion(places: &[f64], kernel: KernelName) -> KernelExpansion<f64> {
    let shape = Shape { capacity: Some(8), features: 1, outputs: 1 };
    let mut expansion = KernelExpansion::new(kernel.with(1.0, KernelParameters::default()), shape);
    expansion.keep_local_errors();
    for x in places {
        insert(&mut expansion, *x);
    }
    expansion
}

/// The kernel row of a row, and `k(x, x)`.
fn kernel_row(expansion: &KernelExpansion<f64>, x: f64) -> (SimdBuffer<f64>, f64) {
    let (x, mut k) = ([x], SimdBuffer::zeros(expansion.n_simd()));
    let x = Row::Dense(&x[..]);
    expansion.kernel_row((x, expansion.kernel().query_stat(x)), &mut k);
    (k, expansion.kernel().diag(expansion.kernel().row_stat(x)))
}

fn insert(expansion: &mut KernelExpansion<f64>, x: f64) {
    let (k, _) = kernel_row(expansion, x);
    let x = [x];
    let row_stat = expansion.kernel().row_stat(Row::Dense(&x));
    let new = NewSupportVector {
        z: Row::Dense(&x),
        row_stat,
        label: Label::Value(0.0),
        alpha: &[1.0],
        f: &[0.0],
        k: &k,
    };
    expansion.insert(new, &mut ());
}

fn observe(expansion: &mut KernelExpansion<f64>, x: f64, error: f64) -> f64 {
    let (k, k_tt) = kernel_row(expansion, x);
    expansion.observe_local_error((&k, k_tt), error)
}

fn expected(expansion: &KernelExpansion<f64>, x: f64) -> f64 {
    let (k, k_tt) = kernel_row(expansion, x);
    expansion.expected_error((&k, k_tt))
}

fn near(expansion: &KernelExpansion<f64>) -> Vec<f64> {
    expansion.order().iter().map(|slot| expansion.error_near(slot).unwrap()).collect()
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
}

#[test]
fn errors_by_hand() {
    let mut expansion = expansion(&[0.0, 100.0], KernelName::Rbf);
    assert_eq!(observe(&mut expansion, 0.0, 2.0), 0.0);
    // The weight of the vector at 0 is 1, of the mean 0.05: rho moves by 0.06 / 1.05 of the difference.
    assert_near(near(&expansion)[0], 0.06 / 1.05 * 2.0);
    assert_eq!(near(&expansion)[1], 0.0);
    // Far away from all vectors the mean error is expected: 2 after the first row, 1 after the second.
    assert_near(expected(&expansion, 50.0), 2.0);
    assert_near(observe(&mut expansion, 50.0, 0.0), 2.0);
    assert_near(expected(&expansion, 50.0), 1.0);
    // A new vector begins with the expected error.
    let before = expected(&expansion, 1.0);
    insert(&mut expansion, 1.0);
    assert_near(near(&expansion)[2], before);
}

#[test]
fn merging_removing_and_reusing_slots() {
    let mut expansion = expansion(&[0.0, 10.0, 20.0], KernelName::Rbf);
    for (x, error) in [(0.0, 3.0), (10.0, 5.0), (20.0, 7.0)] {
        observe(&mut expansion, x, error);
    }
    let [a, b, c] = near(&expansion)[..] else { panic!("three vectors") };
    let slots: Vec<_> = expansion.order().iter().collect();
    let merger =
        MergedPair { m: slots[0], x_m: &[0.0], n: slots[1], h: 0.25, u: 1.0, v: 1.0, degradation: 0.0 };
    expansion.merge(merger, &mut ());
    assert_near(near(&expansion)[0], 0.75 * b + 0.25 * a);
    assert_near(near(&expansion)[1], c);
    // Beyond either vector the error of the nearer one counts.
    let [merged, _] = near(&expansion)[..] else { panic!("two vectors") };
    let merger =
        MergedPair { m: slots[1], x_m: &[7.5], n: slots[2], h: -0.5, u: 1.0, v: 1.0, degradation: 0.0 };
    expansion.merge(merger, &mut ());
    assert_near(near(&expansion)[0], c);
    assert!(merged > 0.0);
    expansion.remove(slots[2], &mut ());
    assert_near(expected(&expansion, 20.0), 5.0);
    insert(&mut expansion, 20.0);
    assert_near(near(&expansion)[0], 5.0);
}

#[test]
fn weights_of_other_kernels_are_squared_cosines() {
    for kernel in [KernelName::Linear, KernelName::Poly, KernelName::Cosine, KernelName::Sigmoid] {
        let mut expansion = expansion(&[1.0, 3.0], kernel);
        observe(&mut expansion, 3.0, 4.0);
        let all = near(&expansion);
        assert!(all.iter().all(|error| (0.0..=4.0).contains(error)), "{kernel:?}: {all:?}");
        let found = expected(&expansion, 2.0);
        assert!((0.0..=4.0).contains(&found), "{kernel:?}: {found}");
        // A row of zeros may have k(x, x) = 0.
        assert!(expected(&expansion, 0.0).is_finite());
    }
}
