//! Many random changes against algebra from scratch.

use super::{Outcome, World};
use crate::ops::{all_levels, fused_levels, level};
use crate::testing::fixed_cases;
use proptest::prelude::*;

#[test]
fn ten_thousand_changes_leave_rounding_errors_only() {
    for level in all_levels() {
        for (gamma, capacity, seed) in [(4.0, 60, 1), (1.0, 20, 2)] {
            let mut world = World::new(level, gamma, capacity, seed);
            let (mut checks, mut refused) = (0, 0);
            for change in 0..10_000 {
                refused += usize::from(matches!(world.change(), Some(Outcome::Dependent { .. })));
                if change % 20 == 0 {
                    world.check();
                    checks += 1;
                }
            }
            println!(
                "{level:?}: worst {:.1e}, {} of {checks} compared, {refused} refused",
                world.worst, world.compared
            );
            assert!(refused > 0, "exact copies were drawn, seed {seed}");
            assert!(world.compared > checks / 4, "most checks compared nothing, seed {seed}");
            assert!(world.compared < checks, "no near-duplicates made K ill-conditioned, seed {seed}");
        }
    }
}

/// Le et al. 2016, Theorem 14: one row and column of K are exchanged, and the inverse belongs to the new K to 1e-6 (as
/// `World::check` has it) while K is well enough conditioned.
#[test]
fn ten_thousand_replacements_equal_a_fresh_inverse() {
    for level in all_levels() {
        let mut world = World::new(level, 4.0, 40, 5);
        let mut replaced = 0;
        while replaced < 10_000 {
            let x = world.draw();
            if world.order.len() < 40 {
                world.append(x);
                continue;
            }
            let out = world.member();
            replaced += usize::from(matches!(world.replace(out, x), Outcome::Appended { .. }));
            if replaced % 100 == 0 {
                world.check();
            }
        }
        assert!(world.compared > 50, "most checks compared nothing");
    }
}

#[test]
fn a_full_factor_keeps_its_precision_at_two_hundred_members() {
    let mut world = World::new(level(), 40.0, 200, 3);
    for change in 0..3_000 {
        let x = world.draw();
        if world.order.len() == 200 {
            let out = world.member();
            world.replace(out, x);
        } else {
            world.append(x);
        }
        if change % 250 == 249 {
            world.check();
        }
    }
    assert!(world.compared > 0 && world.order.len() == 200);
}

#[test]
fn fused_levels_agree_bit_for_bit() {
    let states = fused_levels().into_iter().map(|level| {
        let mut world = World::new(level, 4.0, 60, 4);
        for _ in 0..500 {
            world.change();
        }
        world.factor.state()
    });
    let states: Vec<_> = states.collect();
    assert!(states.windows(2).all(|pair| pair[0] == pair[1]));
}

proptest! {
    #![proptest_config(fixed_cases(256))]
    #[test]
    fn any_sequence_of_changes_follows_a_mirror(
        seed in any::<u64>(), capacity in 1_usize..40, gamma in 0.5_f64..40.0, changes in 1_usize..80,
    ) {
        let mut world = World::new(level(), gamma, capacity, seed);
        for _ in 0..changes {
            world.change();
            world.check();
        }
    }
}
