//! Means of models against means of copies, and invalid files.

use super::{Keep, Observed, RBF, Slot, insert, remove, testing};
use crate::batch::Row;
use crate::error::Result;
use crate::expansion::MergedPair;
use crate::float::Real;
use crate::ops::level;
use crate::persist::Tensors;
use crate::rng::Rng;

fn averaging(capacity: Option<usize>, outputs: usize, gram: bool) -> Observed<f64> {
    let mut expansion = Observed::new(capacity, 2, outputs, Keep { gram, ..Keep::default() });
    expansion.keep_means(2);
    expansion
}

/// Copies of slots, coefficients and scales of all models.
type Models = Vec<(f64, Vec<(Slot, Vec<f64>)>)>;

fn coefficients(expansion: &Observed<f64>) -> (f64, Vec<(Slot, Vec<f64>)>) {
    let rows = expansion.order().iter().map(|slot| {
        let row = (0..expansion.outputs()).map(|output| expansion.coefficients().get(slot, output));
        (slot, row.collect())
    });
    (expansion.scale(), rows.collect())
}

/// The mean coefficients of a slot over all models, without removed vectors.
fn mean(models: &Models, slot: Slot, output: usize) -> f64 {
    let of =
        |rows: &[(Slot, Vec<f64>)]| rows.iter().find(|(s, _)| *s == slot).map_or(0.0, |(_, row)| row[output]);
    models.iter().map(|(scale, rows)| scale * of(rows)).sum::<f64>() / models.len() as f64
}

#[test]
fn means_are_those_of_all_models() {
    let mut rng = Rng::new(7);
    let mut expansion = averaging(None, 2, false);
    let (mut older, mut newer): (Models, Models) = (Vec::new(), Vec::new());
    for i in 0..400 {
        let now = coefficients(&expansion);
        older.push(now.clone());
        newer.push(now);
        expansion.accumulate_means(&[1.0 / older.len() as f64, 1.0 / newer.len() as f64]);
        match rng.index(8) {
            0 if expansion.len() > 3 => {
                let gone = expansion.nth_oldest(rng.index(expansion.len()));
                remove(&mut expansion, RBF, gone);
                // A removed vector is removed from all models.
                for (_, rows) in older.iter_mut().chain(&mut newer) {
                    rows.retain(|(slot, _)| *slot != gone);
                }
            }
            1 => testing::multiply_coefficients(level(), &mut expansion, RBF, 0.5 + rng.uniform()),
            2 => expansion.set_scale(0.1 + rng.uniform()),
            3 | 4 => {
                let x = [rng.normal(), rng.normal()];
                insert(&mut expansion, RBF, Row::Dense(&x), &[rng.normal(), rng.normal()]);
            }
            _ => {}
        }
        if i % 90 == 89 {
            expansion.advance_means();
            older = std::mem::take(&mut newer);
        }
        if i % 7 == 0 && !older.is_empty() {
            let found = expansion.mean(0);
            for slot in expansion.order().iter() {
                for output in 0..2 {
                    let expected = mean(&older, slot, output);
                    let got = found.get(slot, output) * expansion.scale();
                    assert!((got - expected).abs() < 1e-12, "row {i}, {slot:?}: {got}, not {expected}");
                }
            }
        }
    }
    assert!(expansion.len() > 20);
}

/// Projection is linear: the mean changes as the projection of its own coefficients changes it.
#[test]
fn means_are_projected_along() {
    let mut expansion = averaging(Some(4), 1, true);
    let all = [([0.0, 0.0], 1.0), ([0.3, 0.1], 2.0), ([0.1, 0.4], -1.5), ([0.5, 0.5], 0.5)];
    for (i, (x, a)) in all.into_iter().enumerate() {
        insert(&mut expansion, RBF, Row::Dense(&x), &[a]);
        expansion.accumulate_means(&[1.0 / (i + 1) as f64; 2]);
    }
    let before: Vec<f64> = (0..4).map(|i| expansion.mean(0).get(Slot(i), 0)).collect();
    let alphas: Vec<f64> = (0..4).map(|i| expansion.coefficients().get(Slot(i), 0)).collect();
    testing::project(level(), &mut expansion, RBF, Slot(0));
    for slot in [1, 2, 3] {
        let share = (expansion.coefficients().get(Slot(slot), 0) - alphas[slot as usize]) / alphas[0];
        let expected = before[slot as usize] + share * before[0];
        assert!((expansion.mean(0).get(Slot(slot), 0) - expected).abs() < 1e-12);
    }
}

/// A change that makes saved means invalid.
type Damage = fn(&mut Tensors);

#[test]
fn invalid_files_raise() {
    let mut expansion = averaging(Some(5), 1, false);
    for x in [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]] {
        insert(&mut expansion, RBF, Row::Dense(&x), &[4.0]);
        expansion.accumulate_means(&[0.5, 0.25]);
    }
    remove(&mut expansion, RBF, Slot(1));
    let mut saved = Tensors::new();
    expansion.save(&mut saved);
    let load = |damage: Damage| -> Result<()> {
        let mut damaged = saved.clone();
        damage(damaged.scope_mut("means").scope_mut("second"));
        averaging(Some(5), 1, false).load(&damaged, RBF, 2.into())
    };
    load(|_| {}).unwrap();
    let cases: [(&str, Damage); 7] = [
        ("a weight that is NaN", |t| t.reset("current_weight", f64::NAN)),
        ("a negative weight", |t| t.reset("current_weight", -1.0)),
        ("a residual weight above 1", |t| t.reset("inv_residual_weight", 0.5)),
        ("a residual weight that would have been folded", |t| t.reset("inv_residual_weight", 1e7)),
        ("an infinite residual", |t| t.replace("residual", &[3, 1], vec![0.0, 0.0, f64::INFINITY])),
        ("a residual of a free slot", |t| t.replace("residual", &[3, 1], vec![0.0, 1.0, 0.0])),
        ("a residual too few", |t| t.replace("residual", &[2, 1], vec![0.0, 1.0])),
    ];
    for (what, damage) in cases {
        let refused = load(damage).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|error| error.starts_with("not a valid model: ")), "{what}");
    }
}

/// Whether all saved values of this name are normal or zero.
fn all_are_normal(saved: &Tensors, name: &str, shape: [usize; 2]) -> bool {
    let numbers: Vec<f32> = saved.get(name, &shape).unwrap();
    numbers.iter().all(|x| *x == 0.0 || x.is_normal())
}

/// Values that shrink for ever would become subnormal numbers, which are slow.
#[test]
fn vanishing_values_become_zero() {
    let mut expansion: Observed<f32> = Observed::new(Some(3), 1, 3, Keep::default());
    expansion.keep_means(2);
    let kept = insert(&mut expansion, RBF, Row::Dense(&[0.0]), &[1.0, -1.0, -1.0]);
    for i in 0..2000 {
        expansion.accumulate_means(&[0.1, 0.5]);
        let m = insert(&mut expansion, RBF, Row::Dense(&[1.0]), &[1.0, 0.0, -1.0]);
        let merger = MergedPair { m, x_m: &[1.0], n: kept, h: 0.5, u: 0.7, v: 0.8, degradation: 0.1 };
        expansion.merge(RBF, merger);
        let mut saved = Tensors::new();
        expansion.save(&mut saved);
        assert!(all_are_normal(&saved, "coefficients", [2, 3]), "merger {i}");
        for mean in ["first", "second"] {
            let of_mean = saved.scope("means").unwrap().scope(mean).unwrap();
            assert!(all_are_normal(of_mean, "residual", [2, 3]), "merger {i}, mean {mean}");
        }
    }
    assert_eq!(expansion.coefficients().get(kept, 1), 0.0);
    assert!(expansion.coefficients().get(kept, 0) > 3.0, "{:?}", expansion.coefficients().get(kept, 0));
}

#[test]
fn vanishing_coefficients_become_zero_at_every_level() {
    fn of_type<T: Real>() {
        let [least, less] = [T::FLUSH_BELOW, T::FLUSH_BELOW * T::from_f64(0.5)];
        for level in crate::ops::all_levels() {
            let mut expansion: Observed<T> = Observed::new(Some(5), 1, 1, Keep::default());
            let rows = [least, -least, T::ONE, T::from_f64(f64::NAN)];
            let slots = rows.map(|a| insert(&mut expansion, RBF, Row::Dense(&[T::ZERO]), &[a]));
            let after =
                |expansion: &Observed<T>| slots.map(|slot| expansion.coefficients().get(slot, 0).to_f64());
            testing::multiply_coefficients(level, &mut expansion, RBF, 1.0);
            assert_eq!(after(&expansion)[..3], [least, -least, T::ONE].map(Real::to_f64));
            testing::multiply_coefficients(level, &mut expansion, RBF, 0.5);
            let [zero, negative, half, nan] = after(&expansion);
            assert!(zero == 0.0 && negative == 0.0 && less.to_f64() > 0.0, "{zero}, {negative}");
            assert!(zero.is_sign_positive() && negative.is_sign_negative());
            assert!(half == 0.5 && nan.is_nan());
        }
    }
    of_type::<f32>();
    of_type::<f64>();
}

/// Their products and squares would be subnormal, which is slow.
#[test]
fn coefficients_far_below_the_largest_of_their_vector_become_zero() {
    fn of_type<T: Real>() {
        for level in crate::ops::all_levels() {
            let mut expansion: Observed<T> = Observed::at_level(level, Some(3), 1, 3);
            let number = |share: f64| T::from_f64(share * T::NEGLIGIBLE.to_f64());
            let [large, small, negligible] = [T::ONE, number(2.0), number(0.4)];
            let to = insert(&mut expansion, RBF, Row::Dense(&[T::ZERO]), &[large, small, negligible]);
            let coefficients = |expansion: &Observed<T>, slot| {
                [0, 1, 2].map(|output| expansion.coefficients().get(slot, output))
            };
            assert_eq!(coefficients(&expansion, to), [large, small, T::ZERO]);
            let from = insert(&mut expansion, RBF, Row::Dense(&[T::ONE]), &[T::ZERO, T::ZERO, small]);
            let other = insert(&mut expansion, RBF, Row::Dense(&[T::ONE]), &[small, T::ZERO, T::ZERO]);
            // A share of 0.4 of the smallest coefficient that is kept beside 1.
            expansion.project_on(RBF, from, &[to], &[0.2], 0.0);
            assert_eq!(coefficients(&expansion, to), [large, small, T::ZERO]);
            assert_eq!(coefficients(&expansion, other), [small, T::ZERO, T::ZERO]);
            let weight = |slot: Slot| expansion.coefficients().weights().get(slot.index());
            assert_eq!([weight(to), weight(other)], [large + small * small, small * small]);
        }
    }
    of_type::<f32>();
    of_type::<f64>();
}
