//! Saving and loading.

use super::{World, solver};
use crate::Error;
use crate::linalg::{Factor, FactorState, Slot};
use crate::ops::level;

#[test]
fn a_loaded_factor_goes_on_bit_for_bit() {
    let mut world = World::new(level(), 4.0, 40, 11);
    for _ in 0..300 {
        world.change();
    }
    let mut loaded = world.clone();
    loaded.factor =
        Factor::from_state(solver(level()), 40, &world.factor.state()).expect("a state of its own");
    for _ in 0..200 {
        assert_eq!(loaded.factor.state(), world.factor.state());
        assert_eq!(loaded.change(), world.change());
        loaded.check();
        world.check();
    }
    assert_eq!(
        Factor::from_state(solver(level()), 0, &Factor::with_capacity(solver(level()), 0).state())
            .expect("nothing")
            .len(),
        0
    );
}

#[test]
fn nonsense_is_refused() {
    let good = FactorState {
        lower: vec![2.0, 1.0, 1.5],
        order: vec![Slot(4), Slot(1)],
        diag: vec![0.4, 0.5],
        changes: 2,
    };
    assert!(Factor::from_state(solver(level()), 3, &good).is_ok());
    let spoil = |change: fn(&mut FactorState)| {
        let mut state = good.clone();
        change(&mut state);
        state
    };
    let bad = [
        spoil(|s| s.lower[1] = f64::NAN),
        spoil(|s| s.lower[0] = f64::INFINITY),
        spoil(|s| s.lower[2] = 0.0),
        spoil(|s| s.lower[2] = -1.5),
        spoil(|s| s.lower[2] = 1e-320),
        spoil(|s| s.lower.truncate(2)),
        spoil(|s| s.lower.push(1.0)),
        spoil(|s| s.order[0] = Slot(1)),
        spoil(|s| s.order.truncate(1)),
        spoil(|s| s.diag.push(1.0)),
        spoil(|s| s.diag[0] = f64::NAN),
        spoil(|s| s.diag[1] = 0.0),
        spoil(|s| s.changes = 3),
    ];
    for state in bad {
        let error = Factor::from_state(solver(level()), 3, &state).expect_err("nonsense");
        assert!(matches!(error, Error::Model(_)), "{state:?}: {error}");
    }
    assert!(Factor::from_state(solver(level()), 1, &good).is_err(), "two members in a factor for one");
}
