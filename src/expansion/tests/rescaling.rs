//! The linear term and its covariance when the standardisation of a feature changes.

use crate::batch::Row;
use crate::expansion::arow::Arow;
use crate::expansion::{LinearInput, LinearTerm, Rescaling};
use crate::ops::{Ops, SimdBuffer, level};
use crate::persist::Tensors;
use crate::rng::Rng;

const CHANGES: [Rescaling; 4] = [
    Rescaling { feature: 2, shift: 0.7, ratio: 0.4 },
    Rescaling { feature: 0, shift: -3.0, ratio: 2.5 },
    Rescaling { feature: 2, shift: 0.0, ratio: 1.8 },
    Rescaling { feature: 1, shift: 0.6, ratio: 1.0 },
];

fn normals(rng: &mut Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| rng.normal()).collect()
}

/// The row as it is standardised after a change.
fn rescaled(x: &[f64], change: Rescaling) -> Vec<f64> {
    let mut x = x.to_vec();
    x[change.feature] = (x[change.feature] - change.shift) * change.ratio;
    x
}

/// A covariance after some rows.
fn trained(variance: f64, features: usize, has_excess: bool) -> Arow<f64> {
    let (mut arow, mut rng) = (Arow::new(variance, features, has_excess), Rng::new(2));
    for _ in 0..40 {
        let x = normals(&mut rng, features);
        let excess = LinearInput { clipped: Row::Dense(&x), excess_features: &[0, 2], excess: &[0.9, -1.5] };
        arow.squared_norm(if has_excess { excess } else { Row::Dense(&x).into() });
        arow.learn_direction();
    }
    arow
}

fn norm(arow: &mut Arow<f64>, x: &[f64]) -> f64 {
    arow.squared_norm(Row::Dense(x).into())
}

fn assert_near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{a} is not {b}");
}

#[test]
fn every_model_predicts_the_same_for_a_raw_row() {
    let (features, models, outputs) = (4, 3, 2);
    let (ops, mut rng) = (Ops::at(level()), Rng::new(1));
    let mut linear = LinearTerm::<f64>::new(models, outputs, features).with_excess();
    let mut saved = Tensors::of(|out| linear.save(out));
    let (all, excess) = (normals(&mut rng, 24), normals(&mut rng, 24));
    saved.replace("matrix", &[models, outputs, features], all);
    saved.replace("constant", &[models, outputs], normals(&mut rng, 6));
    saved.scope_mut("excess").replace("matrix", &[models, outputs, features], excess);
    linear.load(&saved).unwrap();
    let predictions = |linear: &LinearTerm<f64>, x: &[f64], excess: f64| {
        let mut values = SimdBuffer::default();
        let x = LinearInput { clipped: Row::Dense(x), excess_features: &[2], excess: &[excess] };
        linear.values(ops, x, &mut values);
        let mut all = [[0.0; 2]; 3];
        linear.add_to(&values, &mut all[0]);
        (0..2).for_each(|mean| linear.add_residual(mean, &values, &mut all[mean + 1]));
        all.concat()
    };
    let (mut x, mut excess) = (normals(&mut rng, features), 1.3);
    let before = predictions(&linear, &x, excess);
    for change in CHANGES {
        linear.rescale(change);
        x = rescaled(&x, change);
        excess *= if change.feature == 2 { change.ratio } else { 1.0 };
        let after = predictions(&linear, &x, excess);
        before.iter().zip(&after).for_each(|(before, after)| assert_near(*before, *after));
    }
}

#[test]
fn a_raw_row_keeps_its_variance() {
    let mut arow = trained(1.0, 4, false);
    let mut x = normals(&mut Rng::new(3), 4);
    let before = norm(&mut arow, &x);
    for change in CHANGES {
        arow.rescale(change);
        x = rescaled(&x, change);
        assert_near(before, norm(&mut arow, &x));
    }
}

/// The diagonal part has no covariance with the constant, so that only the unit can change.
#[test]
fn a_raw_row_keeps_its_variance_in_the_diagonal_part() {
    let mut arow = trained(1.0, 70, false);
    let mut x = normals(&mut Rng::new(3), 70);
    let before = norm(&mut arow, &x);
    for change in CHANGES {
        let change = Rescaling { feature: 66 + change.feature, shift: 0.0, ..change };
        arow.rescale(change);
        x = rescaled(&x, change);
        assert_near(before, norm(&mut arow, &x));
    }
    let shifted = Rescaling { feature: 69, shift: 5.0, ratio: 1.0 };
    arow.rescale(shifted);
    assert_near(before, norm(&mut arow, &x));
}

#[test]
fn the_excess_keeps_its_variance() {
    let mut arow = trained(1.0, 4, true);
    let norm = |arow: &mut Arow<f64>, excess: f64| {
        arow.squared_norm(LinearInput {
            clipped: Row::Dense(&[0.0; 4]),
            excess_features: &[2],
            excess: &[excess],
        })
    };
    let before = norm(&mut arow, 2.0) - norm(&mut arow, 0.0);
    arow.rescale(Rescaling { feature: 2, shift: 0.0, ratio: 0.4 });
    let after = norm(&mut arow, 2.0 * 0.4) - norm(&mut arow, 0.0);
    assert_near(before, after);
}

#[test]
fn variances_and_weights_have_limits() {
    let smaller = |feature| Rescaling { feature, shift: 0.0, ratio: 1e-5 };
    // The full part starts anew, and the limit holds for each of the other variances.
    let mut arow = trained(2.0, 3, false);
    arow.rescale(smaller(1));
    assert_eq!(norm(&mut arow, &[1.0, -2.0, 3.0]), 2.0 * (1.0 + 4.0 + 9.0 + 1.0));
    let mut arow = trained(2.0, 65, true);
    let constant = norm(&mut arow, &[0.0; 65]);
    arow.rescale(smaller(64));
    let mut x = [0.0; 65];
    x[64] = 1.0;
    let excess = LinearInput { clipped: Row::Dense(&x), excess_features: &[64], excess: &[1.0] };
    assert_near(arow.squared_norm(excess), 2.0 * 2e6 + constant);

    let mut linear = LinearTerm::<f64>::new(1, 1, 2);
    let mut saved = Tensors::of(|out| linear.save(out));
    saved.replace("matrix", &[1, 1, 2], vec![1e9, -1e9]);
    linear.load(&saved).unwrap();
    linear.rescale(smaller(0));
    linear.rescale(smaller(1));
    assert_eq!((linear.get(0, 0), linear.get(0, 1)), (1e12, -1e12));
}

#[test]
fn a_file_has_variances_up_to_the_limit() {
    let arow = trained(2.0, 66, true);
    let saved = Tensors::of(|out| arow.save(out));
    for (name, n) in [("matrix", 1), ("rest", 66), ("excess", 66)] {
        for (variance, loads) in [(2e6, true), (2.001e6, false), (-1.0, false)] {
            let mut changed = saved.clone();
            changed.replace(name, &[n], vec![variance; n]);
            let loaded = Arow::<f64>::new(2.0, 66, true).load(&changed);
            assert_eq!(loaded.is_ok(), loads, "{name} {variance}");
        }
    }
}
