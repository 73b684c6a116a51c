//! Leave-one-out margins against scores computed from scratch, after each of many edits.

use super::{Keep, Observed, RBF, Slot, margin, testing};
use crate::batch::Label;
use crate::batch::Row;
use crate::float::Real;
use crate::kernel::{AnyKernel, Polynomial};
use crate::ops::level;
use crate::rng::Rng;

const CAPACITY: usize = 30;
const FEATURES: usize = 3;

/// Checks that the found slot is live, is not the excepted one, and has the reported margin, which is the largest.
fn check<T: Real>(expansion: &mut Observed<T>, kernel: AnyKernel, but: Option<Slot>, near: f64, what: &str) {
    let margins: Vec<(Slot, f64)> =
        expansion.order().iter().map(|slot| (slot, margin(expansion, kernel, slot))).collect();
    let size = 1.0 + margins.iter().fold(0.0, |most: f64, (_, m)| most.max(m.abs()));
    let candidates = margins.iter().filter(|(slot, _)| Some(*slot) != but);
    let most = candidates.clone().fold(f64::NEG_INFINITY, |most, (_, m)| most.max(*m));
    let Some((slot, found)) = expansion.largest_margin(but) else {
        assert_eq!(candidates.count(), 0, "{what}");
        return;
    };
    let own = candidates.clone().find(|(other, _)| *other == slot).expect(what).1;
    assert!((own - found.to_f64()).abs() <= near * size, "{what}: {found} is {own}");
    assert!(own >= most - near * size, "{what}: {own}, but there is {most}");
}

fn operate<T: Real>(classes: usize, near: f64, seed: u64) {
    let outputs = if classes == 2 { 1 } else { classes };
    for kernel in [RBF, AnyKernel::Polynomial(Polynomial { gamma: 0.3, coef0: 0.5, degree: 2 })] {
        let keep = Keep { margins: true, ..Keep::default() };
        let mut rng = Rng::new(seed);
        let mut expansion: Observed<T> = Observed::new(Some(CAPACITY), FEATURES, outputs, keep);
        for operation in 0..600 {
            let what = format!("{}, {classes} classes, operation {operation}", kernel.name());
            let mut new = None;
            if expansion.len() == CAPACITY || (expansion.len() > 3 && rng.index(8) == 0) {
                let slot = expansion.nth_oldest(rng.index(expansion.len()));
                expansion.remove(kernel, slot);
            } else if rng.index(20) == 0 {
                expansion.multiply_coefficients(kernel, 0.5 + rng.uniform());
            } else {
                let x: Vec<T> = (0..FEATURES).map(|_| T::from_f64(rng.index(3) as f64)).collect();
                let indices: Vec<u32> = (0..FEATURES as u32).collect();
                let x = if rng.index(2) == 0 { Row::Dense(&x) } else { Row::Sparse(&indices, &x) };
                let row: Vec<T> = (0..outputs).map(|_| T::from_f64(rng.index(3) as f64 - 1.0)).collect();
                let label = Label::of_class(rng.index(classes), classes);
                new = Some(testing::insert_labelled(level(), &mut expansion, kernel, x, &row, label));
            }
            check(&mut expansion, kernel, None, near, &what);
            check(&mut expansion, kernel, new, near, &what);
        }
        // A changed kernel computes the margins from scratch.
        let wider = kernel.with_gamma(0.2);
        expansion.refresh(wider);
        check(&mut expansion, wider, None, near, "after the change of the kernel");
    }
}

#[test]
fn margins_equal_scores_computed_anew() {
    for (classes, seed) in [(2, 1), (3, 2), (6, 3)] {
        operate::<f64>(classes, 1e-12, seed);
        operate::<f32>(classes, 1e-5, seed);
    }
}
