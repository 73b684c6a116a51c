//! The rules by hand: what an example comes with, and what the ball does about it.

use super::{AnyRule, Example, Sgd, UpdateRule};
use crate::label::Label;
use crate::losses::{Ball, Descent, Hinge};

fn sgd(alpha: f64, projects: bool) -> AnyRule {
    AnyRule::Sgd(Sgd::new(Descent::Hinge(Hinge), alpha, projects.then_some(Ball::Unit)))
}

/// The coefficients that an example comes with; none where it adds nothing.
fn proposed(rule: &mut AnyRule, label: Label, t: u64, weight: f64, f: &[f64]) -> Option<Vec<f64>> {
    let mut row = vec![9.0; f.len()];
    rule.coefficients(&Example::new(label, t, weight, 1.0), f, &mut row).then_some(row)
}

#[test]
fn sgd_adds_the_counted_direction() {
    // lambda = 1/4: before example t the margin is the score without its scale over (t - 1)/4.
    let cases = [
        // The first example updates whatever its label.
        (1.0, 1, 0.0, Some(1.0)),
        (-1.0, 1, 0.0, Some(-1.0)),
        // Before example 9 the threshold is 2, and equal to it is enough.
        (1.0, 9, 1.75, Some(1.0)),
        (1.0, 9, 2.0, None),
        (-1.0, 9, -2.0, None),
        (-1.0, 9, 2.0, Some(-1.0)),
        (-1.0, 9, -1.75, Some(-1.0)),
    ];
    for (y, t, f, expected) in cases {
        let row = proposed(&mut sgd(0.25, false), Label::Sign(y), t, 1.0, &[f]);
        assert_eq!(row, expected.map(|a| vec![a]), "y = {y}, t = {t}, f = {f}");
    }
    let three = |f: &[f64]| proposed(&mut sgd(0.25, false), Label::Class(1), 5, 2.0, f);
    assert_eq!(three(&[0.5, 1.25, 0.0]), Some(vec![-2.0, 2.0, 0.0]), "a margin of 3/4, and the weight twice");
    assert_eq!(three(&[0.5, 0.0, 0.5]), Some(vec![-2.0, 2.0, 0.0]), "the lowest of two rivals");
    assert_eq!(three(&[0.25, 1.25, 0.0]), None, "a margin of 1");
}

#[test]
fn the_scale_is_one_over_lambda_t() {
    for (alpha, t, expected) in [(0.25, 1, 4.0), (0.25, 8, 0.5), (1e-4, 1, 1e4), (1e-20, 1, 1e20)] {
        assert_eq!(sgd(alpha, false).scale(t), expected);
    }
}

#[test]
fn the_ball_keeps_the_length() {
    let mut rule = sgd(0.25, true);
    assert!(rule.reads_norm() && !sgd(0.25, false).reads_norm());
    // The radius is 2; at t = 1 the scale is 4.
    assert_eq!(rule.project_to_ball(1, 0.25), 1.0);
    assert_eq!(rule.scale(1), 4.0, "a length of 2 stays");
    assert_eq!(rule.project_to_ball(1, 4.0), 1.0);
    assert_eq!(rule.scale(1), 1.0, "a length of 8 becomes 2");
    assert_eq!(rule.project_to_ball(1, 4.0), 1.0);
    assert_eq!(rule.scale(1), 1.0, "and stays there");
    assert_eq!(rule.inv_step_size(2), 0.25);
    // What comes next is as large as without the ball once the scale is in: 4/ball times the direction.
    assert_eq!(proposed(&mut rule, Label::Sign(1.0), 5, 1.0, &[0.0]), Some(vec![4.0]));
    // The margin is that of the shrunk model: 0.25 f / (lambda (t - 1)) = f/4.
    assert_eq!(proposed(&mut rule, Label::Sign(1.0), 5, 1.0, &[4.0]), None);
    assert_eq!(proposed(&mut rule, Label::Sign(1.0), 5, 1.0, &[3.75]), Some(vec![4.0]));
    assert_eq!(rule.project_to_ball(1, -1.0), 1.0, "a norm that rounding made negative is none");
    assert_eq!(rule.scale(1), 1.0);
    let mut free = sgd(0.25, false);
    assert_eq!((free.project_to_ball(1, 1e9), free.scale(1)), (1.0, 4.0));
}

/// Where the product of projections gets small it moves into the coefficients, and the model stays what it is.
#[test]
fn a_small_ball_is_folded() {
    let mut rule = sgd(0.25, true);
    let norm2 = 1e8;
    let before = rule.scale(1);
    let factor = rule.project_to_ball(1, norm2);
    // 2 / (4 * 1e4)
    assert!((factor - 5e-5).abs() < 1e-18, "{factor}");
    assert_eq!(rule.scale(1), before, "the scale is whole again");
    assert!((rule.scale(1) * factor * norm2.sqrt() - 2.0).abs() < 1e-12);
    assert_eq!(rule.inv_step_size(2), 1.0);
}
