//! Identities, one by one.

use super::{Matrix, World, cholesky, distance, solve, solver, unit};
use crate::linalg::{Factor, Outcome, Slot, Solution};
use crate::ops::level;

/// A world whose points keep apart.
fn grid(capacity: usize, n: usize) -> World {
    let mut world = World::new(level(), 1.5, capacity, 7);
    for i in 0..n {
        let x = [(i % 7) as f64 + 0.2 * world.rng.uniform(), (i / 7) as f64 + 0.2 * world.rng.uniform()];
        assert!(matches!(world.append(x), Outcome::Appended { .. }));
    }
    world
}

/// The inverse by slots, whatever their order.
fn inverse(world: &World) -> Matrix {
    let mut a = vec![vec![0.0; world.points.len()]; world.points.len()];
    for &p in &world.order {
        for (&i, x) in world.order.iter().zip(world.column(p)) {
            a[p.0 as usize][i.0 as usize] = x;
        }
    }
    a
}

#[test]
fn a_matrix_worked_by_hand() {
    // K = [4 2; 2 3] = [2 0; 1 sqrt 2] [2 1; 0 sqrt 2], A = [3 -2; -2 4]/8.
    let mut factor = Factor::with_capacity(solver(level()), 2);
    assert_eq!(factor.append(Slot(5), &[], 4.0), Outcome::Appended { delta: 4.0 });
    assert_eq!(factor.append(Slot(3), &[2.0], 3.0), Outcome::Appended { delta: 2.0 });
    assert_eq!(factor.state().lower, [2.0, 1.0, 2.0_f64.sqrt()]);
    assert!(distance(factor.diag(), &[3.0 / 8.0, 0.5]) < 1e-15);
    let mut out = Solution::default();
    factor.column(Slot(5), &mut out);
    assert!(distance(out.get(), &[3.0 / 8.0, -0.25]) < 1e-15);
    factor.solve(&[8.0, 8.0], &mut out);
    assert!(distance(out.get(), &[1.0, 2.0]) < 1e-15);
    assert!((out.residual(solver(level()), 30.0) - 6.0).abs() < 1e-14, "30 - (8, 8).(1, 2)");
    factor.delete(Slot(5));
    assert_eq!(factor.order(), [Slot(3)]);
    assert!(distance(&factor.state().lower, &[3.0_f64.sqrt()]) < 1e-15);
    assert!(distance(factor.diag(), &[1.0 / 3.0]) < 1e-15);
}

#[test]
fn a_column_projects_its_member_on_the_others() {
    let world = grid(21, 21);
    let p = 9;
    let column = world.column(world.order[p]);
    let d: Vec<f64> =
        column.iter().enumerate().map(|(i, x)| if i == p { 0.0 } else { -x / column[p] }).collect();
    let k = world.gram();
    // The residual is orthogonal to every other member, and its square is k_pp - k_p.d.
    for i in (0..21).filter(|&i| i != p) {
        let along: f64 = (0..21).map(|j| k[i][j] * d[j]).sum();
        assert!((k[i][p] - along).abs() < 1e-13);
    }
    let residual = k[p][p] - (0..21).map(|j| k[p][j] * d[j]).sum::<f64>();
    assert!((residual * world.factor.diag()[p] - 1.0).abs() < 1e-12);
}

#[test]
fn exact_copies_are_refused_and_change_nothing() {
    for n in [1, 8, 20] {
        let mut world = grid(21, n);
        let before = world.factor.state();
        for slot in world.order.clone() {
            let outcome = world.append(world.points[slot.0 as usize]);
            assert!(matches!(outcome, Outcome::Dependent { delta } if delta.abs() < 1e-14), "{outcome:?}");
        }
        assert_eq!(world.factor.state(), before);
    }
    let mut factor = Factor::with_capacity(solver(level()), 1);
    assert_eq!(factor.append(Slot(0), &[], 0.0), Outcome::Dependent { delta: 0.0 }, "the zero vector");
    assert!(matches!(factor.append(Slot(0), &[], f64::NAN), Outcome::Dependent { .. }));
    assert_eq!(factor.len(), 0);
}

#[test]
fn the_threshold_lies_at_1e_12() {
    for (share, taken) in [(0.9e-12, false), (1.1e-12, true)] {
        let mut factor = Factor::with_capacity(solver(level()), 2);
        factor.append(Slot(0), &[], 1e4);
        // The second vector is the first, except for a component of squared length 1e4 * share.
        let outcome = factor.append(Slot(1), &[1e4], 1e4 + 1e4 * share);
        assert_eq!(matches!(outcome, Outcome::Appended { .. }), taken, "{outcome:?}");
    }
}

#[test]
fn what_leaves_and_returns_leaves_no_trace() {
    for n in [1, 9, 40] {
        let mut world = grid(40, n);
        let before = inverse(&world);
        for slot in world.order.clone() {
            let x = world.points[slot.0 as usize];
            world.delete(slot);
            assert_eq!(world.free(), slot);
            assert!(matches!(world.append(x), Outcome::Appended { .. }));
        }
        world.check();
        let after = inverse(&world);
        assert!(distance(&after.concat(), &before.concat()) < 1e-12, "{n} members");
    }
}

#[test]
fn replacing_equals_deleting_and_appending() {
    for n in [2, 8, 9, 17, 40] {
        for p in [0, n / 2, n - 1] {
            let mut one = grid(41, n);
            let mut two = one.clone();
            let (out, x) = (one.order[p], [2.5, 1.5]);
            let Outcome::Appended { delta } = one.replace(out, x) else { panic!("a new point") };
            two.delete(out);
            let Outcome::Appended { delta: expected } = two.append(x) else { panic!("a new point") };
            assert!((delta / expected - 1.0).abs() < 1e-12);
            one.check();
            let (one, two) = (one.factor.state(), two.factor.state());
            assert!(distance(&one.lower, &two.lower) < 1e-13, "{p} of {n}");
            assert!(distance(&one.diag, &two.diag) < 1e-12, "{p} of {n}");
            assert_eq!(one.order.len(), n);
        }
    }
}

#[test]
fn a_member_may_be_replaced_by_its_copy_but_not_by_another() {
    let mut world = grid(20, 20);
    let exact = inverse(&world);
    let (out, other) = (world.order[4], world.order[11]);
    let before = world.factor.state();
    let outcome = world.replace(out, world.points[other.0 as usize]);
    assert!(matches!(outcome, Outcome::Dependent { .. }), "{outcome:?}");
    assert_eq!(world.factor.state(), before);
    for _ in 0..3 {
        let x = world.points[out.0 as usize];
        assert!(matches!(world.replace(out, x), Outcome::Appended { .. }));
        assert!(distance(&inverse(&world).concat(), &exact.concat()) < 1e-12);
    }
    world.check();
}

#[test]
fn solutions_at_hand_serve_in_place_of_new_ones() {
    let mut one = grid(20, 20);
    let mut two = one.clone();
    let (out, k) = (one.order[6], one.row([0.5, 2.5]));
    let (mut column, mut image) = (Solution::default(), Solution::default());
    one.factor.column(out, &mut column);
    one.factor.solve(&k, &mut image);
    one.factor.replace_with(out, Slot(20), &column, &image, 1.0);
    one.factor.column(Slot(20), &mut column);
    one.factor.delete_with(Slot(20), &column);
    two.factor.replace(out, Slot(20), &k, 1.0);
    two.factor.delete(Slot(20));
    assert_eq!(one.factor.state(), two.factor.state());
}

#[test]
fn factoring_anew_drops_what_depends_on_earlier_members() {
    let mut world = grid(30, 30);
    let exact = inverse(&world);
    let rows = world.factor.state().lower;
    let (points, gamma) = (world.points.clone(), world.gamma);
    let kernel = |twin: Option<(Slot, Slot)>| {
        let points = points.clone();
        move |a: Slot, b: Slot| {
            let point =
                |slot| points[twin.map_or(slot, |(of, to)| if slot == of { to } else { slot }).0 as usize];
            let (a, b) = (point(a), point(b));
            (-gamma * ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2))).exp()
        }
    };
    assert!(world.factor.refresh(0.0, kernel(None)).is_empty());
    assert!(distance(&world.factor.state().lower, &rows) < 1e-14);
    assert!(distance(&inverse(&world).concat(), &exact.concat()) < 1e-12);
    let (of, to) = (world.order[12], world.order[3]);
    assert_eq!(world.factor.refresh(0.0, kernel(Some((of, to)))), [of]);
    world.order.retain(|&slot| slot != of);
    world.check();
}

#[test]
fn the_diagonal_is_renewed_every_capacity_changes() {
    let mut world = grid(25, 20);
    world.factor.diagonal.values.iter_mut().for_each(|x| *x += 0.01);
    for _ in 0..25 {
        let out = world.member();
        world.replace(out, world.points[out.0 as usize]);
    }
    let l = cholesky(&world.gram());
    let exact: Vec<f64> = (0..20).map(|p| solve(&l, &unit(20, p))[p]).collect();
    assert!(distance(world.factor.diag(), &exact) < 1e-12);
}

#[test]
fn an_entry_that_cancels_is_renewed_at_once() {
    let mut world = grid(50, 20);
    let near = world.points[3].map(|x| x + 1e-4);
    world.append(near);
    assert!(world.factor.diag()[3] > 1e6);
    let new = world.order[20];
    // An error in the sixth digit of the large entry would be 100% of the small one.
    world.factor.diagonal.values[3] *= 1.0 + 1e-6;
    world.delete(new);
    world.check();
    assert_eq!(world.compared, 1);
}

#[test]
fn room_comes_as_it_is_needed() {
    let (mut small, mut large) = (grid(40, 1), grid(40, 1));
    small.factor = Factor::with_capacity(solver(level()), 0);
    small.factor.append(Slot(0), &[], 1.0);
    for i in 1..40_u32 {
        let x = [f64::from(i % 7), f64::from(i / 7)];
        small.append(x);
        large.append(x);
        small.check();
    }
    assert_eq!(small.factor.state().lower, large.factor.state().lower);
    assert_eq!(small.factor.capacity(), 40);
    small.factor.reserve(30);
    assert_eq!(small.factor.capacity(), 40);
}
