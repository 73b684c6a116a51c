//! The kernel expansion against slow code, after each of many random edits.

mod base_row;
mod derived_state;
mod edits;
mod growth;
mod invariants;
mod kernels;
mod local_errors;
mod margins;
mod means;
mod neighbours;
mod rescaling;
mod values;

use super::testing::{Keep, Observed};
use super::{Slot, testing};
use crate::batch::{Label, Row};
use crate::float::Real;
use crate::kernel::{AnyKernel, Linear, Rbf};
use crate::ops::level;
use crate::persist::Tensors;
use crate::rng::Rng;

const RBF: AnyKernel = AnyKernel::Rbf(Rbf { gamma: 0.5 });

fn insert<T: Real>(expansion: &mut Observed<T>, kernel: AnyKernel, x: Row<'_, T>, row: &[T]) -> Slot {
    let slot = testing::insert(level(), expansion, kernel, x, row);
    expansion.commit_insert(kernel);
    slot
}

/// A new model with this shape, loaded from the saved state.
fn reloaded<T: Real>(expansion: &Observed<T>, kernel: AnyKernel, keep: Keep) -> Observed<T> {
    let mut saved = Tensors::new();
    expansion.save(saved.scope_mut("expansion"));
    let read = crate::persist::decode(&crate::persist::encode(&saved).unwrap()).unwrap();
    let mut fresh =
        Observed::new(expansion.support.capacity, expansion.features(), expansion.outputs(), keep);
    fresh.load(read.scope("expansion").unwrap(), kernel, 3.into()).unwrap();
    fresh
}

/// The leave-one-out margin of a slot's label, from scores computed from scratch.
fn margin<T: Real>(expansion: &Observed<T>, kernel: AnyKernel, slot: Slot) -> f64 {
    let mut x = vec![T::ZERO; expansion.features()];
    expansion.read(slot, &mut x);
    let f = testing::scores(level(), expansion, kernel, Row::Dense(&x)).1;
    let diag = expansion.coefficients().diags().get(slot.index()).to_f64();
    let outputs = 0..expansion.outputs();
    let without: Vec<f64> =
        outputs.map(|c| f[c].to_f64() - expansion.coefficients().get(slot, c).to_f64() * diag).collect();
    match expansion.label(slot) {
        Label::Sign(y) | Label::Value(y) => y * without[0],
        Label::Class(y) => {
            let rivals = without.iter().enumerate().filter(|(r, _)| *r != y as usize);
            without[y as usize] - rivals.fold(f64::NEG_INFINITY, |most, (_, f)| most.max(*f))
        }
    }
}

/// The saved state as bytes.
fn bytes<T: Real>(expansion: &Observed<T>) -> Vec<u8> {
    let saved = Tensors::of(|out| expansion.save(out));
    crate::persist::encode(&saved).unwrap()
}

fn ties_go_to_the_oldest<T: Real>() {
    let tie = T::TIE_RTOL.to_f64();
    // Weights in insertion order, and the expected removal.
    let cases: [(&[f64], usize); 9] = [
        (&[1.0], 0),
        (&[2.0, 1.0, 1.0], 1),
        (&[1.0, 1.0, 1.0], 0),
        (&[1.0 + 0.5 * tie, 1.0], 0),
        (&[1.0 + 2.0 * tie, 1.0], 1),
        (&[3.0, 1.0 + 0.5 * tie, 1.0, 1.0 - 0.2 * tie], 1),
        (&[3.0, 1.0 + 2.0 * tie, 1.0 + 0.5 * tie, 2.0, 1.0], 2),
        (&[5.0, 0.0, 0.0], 1),
        (&[1.0, 0.0, 1e-30], 1),
    ];
    for (weights, expected) in cases {
        // The order of slots differs from the insertion order: the slot freed last is used first.
        for freed in 0..=weights.len() {
            let mut expansion: Observed<T> = Observed::new(Some(60), 1, 1, Keep::default());
            for i in 0..freed {
                insert(&mut expansion, RBF, Row::Dense(&[T::from_f64(i as f64)]), &[T::ONE]);
            }
            for i in 0..freed {
                expansion.remove(RBF, Slot(i as u32));
            }
            let mut born = Vec::new();
            for (i, w) in weights.iter().enumerate() {
                let x = [T::from_f64(10.0 * i as f64)];
                born.push(insert(&mut expansion, RBF, Row::Dense(&x), &[T::from_f64(w.sqrt())]));
            }
            assert_eq!(expansion.smallest(), born[expected], "{weights:?} after {freed} freed slots");
        }
    }
}

#[test]
fn smallest_gives_ties_to_the_oldest() {
    ties_go_to_the_oldest::<f32>();
    ties_go_to_the_oldest::<f64>();
}

/// The search against a scan in insertion order, for mostly equal weights over several SIMD vectors.
fn smallest_is_that_of_a_scan<T: Real>() {
    let mut rng = Rng::new(3);
    for case in 0..300 {
        let n = 1 + rng.index(5 * T::LANES);
        let mut expansion: Observed<T> = Observed::new(Some(2 * n), 1, 1, Keep::default());
        for i in 0..2 * n {
            let a = T::from_f64(1.0 + rng.index(3) as f64);
            insert(&mut expansion, RBF, Row::Dense(&[T::from_f64(i as f64)]), &[a]);
            if expansion.len() > n {
                let slot = expansion.nth_oldest(rng.index(expansion.len()));
                expansion.remove(RBF, slot);
            }
        }
        let weight = |slot: &Slot| expansion.coefficients().weights().get(slot.index()).to_f64();
        let least = expansion.order().iter().map(|slot| weight(&slot)).fold(f64::INFINITY, f64::min);
        let expected = expansion.order().iter().find(|slot| weight(slot) == least).unwrap();
        assert_eq!(expansion.smallest(), expected, "case {case}");
    }
}

#[test]
fn smallest_skips_free_slots() {
    smallest_is_that_of_a_scan::<f32>();
    smallest_is_that_of_a_scan::<f64>();
}

fn grows<T: Real>() {
    let mut rng = Rng::new(5);
    let mut expansion: Observed<T> = Observed::new(None, 3, 2, Keep { norm2: true, ..Keep::default() });
    let mut rows = Vec::new();
    for i in 0..700 {
        let x: Vec<T> = (0..3).map(|_| T::from_f64(rng.normal())).collect();
        let row = [T::from_f64(rng.normal()), T::ONE];
        insert(&mut expansion, RBF, Row::Dense(&x), &row);
        rows.push((x, row));
        if i % 5 == 4 {
            let index = rng.index(rows.len());
            let slot = expansion.nth_oldest(index);
            expansion.remove(RBF, slot);
            rows.remove(index);
        }
        if i % 100 == 50 {
            expansion = reloaded(&expansion, RBF, Keep { norm2: true, ..Keep::default() });
            expansion.check_invariants(RBF);
        }
    }
    expansion.check_invariants(RBF);
    assert_eq!(expansion.len(), rows.len());
    let (mut x, mut row) = (vec![T::ZERO; 3], [T::ZERO; 2]);
    for (slot, expected) in expansion.order().iter().zip(&rows) {
        expansion.read(slot, &mut x);
        expansion.coefficients().read(slot, &mut row);
        assert_eq!((&x, &row), (&expected.0, &expected.1));
    }
}

#[test]
fn an_unbounded_expansion_grows_and_keeps_what_it_has() {
    grows::<f32>();
    grows::<f64>();
}

/// A change that makes saved contents invalid.
type Damage = fn(&mut Tensors);

fn order(out: &mut Tensors, order: &[u32], free: &[u32]) {
    out.replace("order", &[order.len()], order.to_vec());
    out.replace("free", &[free.len()], free.to_vec());
}

#[test]
fn invalid_files_raise() {
    let keep = Keep { norm2: true, gram: true, ..Keep::default() };
    let mut expansion: Observed<f64> = Observed::new(Some(5), 2, 1, keep);
    for i in 0..4 {
        insert(&mut expansion, RBF, Row::Dense(&[f64::from(i), 1.0]), &[1.0]);
    }
    expansion.remove(RBF, Slot(1));
    let saved = Tensors::of(|out| expansion.save(out));
    let load = |saved: &Tensors| {
        let mut fresh: Observed<f64> = Observed::new(Some(5), 2, 1, keep);
        fresh.load(saved, RBF, 2.into())
    };
    load(&saved).unwrap();

    let cases: [(&str, Damage); 28] = [
        ("a slot twice in the order", |out| order(out, &[0, 2, 2], &[1])),
        ("a slot live and free", |out| order(out, &[0, 2, 3], &[3])),
        ("a slot beyond the last", |out| order(out, &[0, 2, 4], &[1])),
        ("a slot far beyond", |out| order(out, &[0, 2, u32::MAX], &[1])),
        ("too few slots", |out| order(out, &[0, 2], &[1])),
        ("too many slots", |out| order(out, &[0, 2, 3, 1], &[1])),
        ("a vector that is NaN", |out| {
            let mut vectors: Vec<f64> = out.get("vectors", &[4, 2]).unwrap();
            vectors[0] = f64::NAN;
            out.replace("vectors", &[4, 2], vectors);
        }),
        ("a free vector that is not zero", |out| out.replace("vectors", &[4, 2], vec![1.0; 8])),
        ("vectors of another width", |out| out.replace("vectors", &[2, 4], vec![1.0; 8])),
        ("an infinite coefficient", |out| {
            out.replace("coefficients", &[4, 1], vec![1.0, 0.0, f64::INFINITY, 1.0]);
        }),
        ("a free coefficient that is not zero", |out| out.replace("coefficients", &[4, 1], vec![1.0; 4])),
        ("two coefficients", |out| out.replace("coefficients", &[4, 2], vec![0.0; 8])),
        ("a label of no class", |out| out.replace("labels", &[4], vec![0u32, 1, 2, 0])),
        ("a scale that is NaN", |out| out.reset("scale", f64::NAN)),
        ("a scale of zero", |out| out.reset("scale", 0.0)),
        ("a negative scale", |out| out.reset("scale", -1.0)),
        ("an infinite norm", |out| out.reset("squared_norm", f64::INFINITY)),
        ("a norm of many changes", |out| out.reset("changes", u64::MAX)),
        ("a norm of too many changes", |out| out.reset("changes", 24u64)),
        ("a factor without a slot", |out| out.scope_mut("gram").replace("order", &[2], vec![0u32, 2])),
        ("a factor with a slot twice", |out| out.scope_mut("gram").replace("order", &[3], vec![0u32, 2, 2])),
        ("a factor with a free slot", |out| out.scope_mut("gram").replace("order", &[3], vec![0u32, 1, 2])),
        ("a factor with a slot beyond", |out| {
            out.scope_mut("gram").replace("order", &[3], vec![0u32, 1, 1 << 30]);
        }),
        ("a member that is dependent too", |out| {
            out.scope_mut("gram").replace("dependent", &[1], vec![0u32]);
        }),
        ("another capacity", |out| out.scope_mut("gram").reset("capacity", 3usize)),
        ("a capacity beyond the expansion", |out| out.scope_mut("gram").reset("capacity", usize::MAX)),
        ("a factor that is not one", |out| out.scope_mut("gram").replace("lower", &[6], vec![0.0; 6])),
        ("a triangle of another size", |out| out.scope_mut("gram").replace("lower", &[5], vec![1.0; 5])),
    ];
    for (what, damage) in cases {
        let error = load(&saved.changed(damage)).expect_err(what).to_string();
        assert!(error.starts_with("not a valid model: "), "{what}: {error}");
    }
    let mut small: Observed<f64> = Observed::new(Some(3), 2, 1, keep);
    assert!(small.load(&saved, RBF, 2.into()).is_err(), "more slots than the capacity");
}

/// A kernel whose Gram matrix has a low rank: vectors in the span of the others wait, and are removed first.
#[test]
fn vectors_in_the_span_wait_outside_the_factor() {
    let kernel = AnyKernel::Linear(Linear);
    let mut expansion: Observed<f64> =
        Observed::new(Some(8), 2, 1, Keep { norm2: true, gram: true, ..Keep::default() });
    for x in [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
        insert(&mut expansion, kernel, Row::Dense(&x), &[1.0]);
        expansion.check_invariants(kernel);
    }
    assert_eq!(expansion.dependent(), Some(Slot(1)));
    let before = expansion.norm2();
    expansion.project(kernel, Slot(1));
    expansion.check_invariants(kernel);
    assert_eq!(expansion.dependent(), Some(Slot(3)));
    expansion.project(kernel, Slot(3));
    expansion.check_invariants(kernel);
    // (1, 0) + (2, 0) + (0, 1) + (1, 1) = 4 (1, 0) + 2 (0, 1), and the model did not change.
    assert_eq!(
        (expansion.coefficients().get(Slot(0), 0), expansion.coefficients().get(Slot(2), 0)),
        (4.0, 2.0)
    );
    assert_eq!((before, expansion.norm2(), expansion.dependent()), (20.0, 20.0, None));
}
