//! Means of models against means of copies, and invalid files.

use super::{Damage, Keep, Observed, RBF, Slot, insert};
use crate::batch::Row;
use crate::error::Result;
use crate::expansion::MergedPair;
use crate::float::Real;
use crate::persist::Tensors;

fn averaging() -> Observed<f64> {
    let mut expansion = Observed::new(Some(5), 2, 1, Keep::default());
    expansion.keep_means(2);
    expansion
}

#[test]
fn invalid_files_raise() {
    let mut expansion = averaging();
    for x in [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]] {
        insert(&mut expansion, RBF, Row::Dense(&x), &[4.0]);
        expansion.accumulate_means(&[0.5, 0.25]);
    }
    expansion.remove(RBF, Slot(1));
    let saved = Tensors::of(|out| expansion.save(out));
    let load = |damage: Damage| -> Result<()> {
        let damaged = saved.changed(|file| damage(file.scope_mut("means").scope_mut("second")));
        averaging().load(&damaged, RBF, 2.into())
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
        let saved = Tensors::of(|out| expansion.save(out));
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
            expansion.moved_to(level).multiply_coefficients(RBF, 1.0);
            assert_eq!(after(&expansion)[..3], [least, -least, T::ONE].map(Real::to_f64));
            expansion.moved_to(level).multiply_coefficients(RBF, 0.5);
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
