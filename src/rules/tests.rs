//! Hand-computed coefficients of update rules, and the projection onto the ball.

use super::{AnyRule, Sgd, UpdateRule};
use crate::batch::{Example, Label};
use crate::expansion::testing::with_scores;
use crate::float::Real;
use crate::losses::{Ball, Hinge, SgdLoss};

fn sgd(lambda: f64, project: bool) -> AnyRule {
    AnyRule::Sgd(Sgd::new(SgdLoss::Hinge(Hinge), lambda, project.then_some(Ball::InvSqrtLambda)))
}

/// The coefficients of an example with these scores into `alpha`; whether the example adds them.
pub(super) fn learn<T: Real>(
    rule: &mut impl UpdateRule,
    example: Example,
    k_tt: T,
    f: &[T],
    alpha: &mut [T],
) -> bool {
    with_scores(example, k_tt, f, |scored| rule.coefficients(scored, alpha))
}

/// The coefficients of an example; `None` if the example adds nothing.
fn coefficients(rule: &mut AnyRule, label: Label, t: u64, weight: f64, f: &[f64]) -> Option<Vec<f64>> {
    let mut alpha = vec![9.0; f.len()];
    learn(rule, Example::new(label, t, weight), 1.0, f, &mut alpha).then_some(alpha)
}

#[test]
fn sgd_steps_by_hand() {
    // lambda = 1/4: before example t the margin is the unscaled score divided by (t - 1)/4.
    let cases = [
        // The first example always updates.
        (1.0, 1, 0.0, Some(1.0)),
        (-1.0, 1, 0.0, Some(-1.0)),
        // Before example 9 an unscaled score of 2 is a margin of exactly 1, which needs no update.
        (1.0, 9, 1.75, Some(1.0)),
        (1.0, 9, 2.0, None),
        (-1.0, 9, -2.0, None),
        (-1.0, 9, 2.0, Some(-1.0)),
        (-1.0, 9, -1.75, Some(-1.0)),
    ];
    for (y, t, f, expected) in cases {
        let alpha = coefficients(&mut sgd(0.25, false), Label::Sign(y), t, 1.0, &[f]);
        assert_eq!(alpha, expected.map(|a| vec![a]), "y = {y}, t = {t}, f = {f}");
    }
    let three = |f: &[f64]| coefficients(&mut sgd(0.25, false), Label::Class(1), 5, 2.0, f);
    assert_eq!(
        three(&[0.5, 1.25, 0.0]),
        Some(vec![-2.0, 2.0, 0.0]),
        "a margin of 3/4; a weight of 2 doubles the step"
    );
    assert_eq!(
        three(&[0.5, 0.0, 0.5]),
        Some(vec![-2.0, 2.0, 0.0]),
        "of two equal rivals, the one with the lower index"
    );
    assert_eq!(three(&[0.25, 1.25, 0.0]), None, "a margin of 1");
}

#[test]
fn the_scale_is_one_over_lambda_t() {
    for (lambda, t, expected) in [(0.25, 1, 4.0), (0.25, 8, 0.5), (1e-4, 1, 1e4), (1e-20, 1, 1e20)] {
        assert_eq!(sgd(lambda, false).scale(t), expected);
    }
}

#[test]
fn projection_onto_the_ball_bounds_the_norm() {
    let mut rule = sgd(0.25, true);
    assert!(rule.reads_norm() && !sgd(0.25, false).reads_norm());
    // The radius is 2; at t = 1 the scale is 4.
    assert_eq!(rule.project_to_ball(1, 0.25), 1.0);
    assert_eq!(rule.scale(1), 4.0, "a norm of 2 is within the ball");
    assert_eq!(rule.project_to_ball(1, 4.0), 1.0);
    assert_eq!(rule.scale(1), 1.0, "a norm of 8 becomes 2");
    assert_eq!(rule.project_to_ball(1, 4.0), 1.0);
    assert_eq!(rule.scale(1), 1.0, "the norm is 2 already");
    assert_eq!(rule.gradient_error_factor(2), 0.25);
    // The next step is the direction divided by the projection factor of 1/4, so that the scaled step is unchanged.
    assert_eq!(coefficients(&mut rule, Label::Sign(1.0), 5, 1.0, &[0.0]), Some(vec![4.0]));
    // The margin of the projected model is 0.25 f / (lambda (t - 1)) = f/4.
    assert_eq!(coefficients(&mut rule, Label::Sign(1.0), 5, 1.0, &[4.0]), None);
    assert_eq!(coefficients(&mut rule, Label::Sign(1.0), 5, 1.0, &[3.75]), Some(vec![4.0]));
    assert_eq!(rule.project_to_ball(1, -1.0), 1.0, "a squared norm that is negative by rounding counts as 0");
    assert_eq!(rule.scale(1), 1.0);
    let mut unprojected = sgd(0.25, false);
    assert_eq!((unprojected.project_to_ball(1, 1e9), unprojected.scale(1)), (1.0, 4.0));
}

/// A small product of projections moves into the coefficients, which leaves the model unchanged.
#[test]
fn a_small_projection_factor_is_folded() {
    let mut rule = sgd(0.25, true);
    let sq_norm = 1e8;
    let before = rule.scale(1);
    let factor = rule.project_to_ball(1, sq_norm);
    // 2 / (4 * 1e4)
    assert!((factor - 5e-5).abs() < 1e-18, "{factor}");
    assert_eq!(rule.scale(1), before, "the factor moved out of the scale");
    assert!((rule.scale(1) * factor * sq_norm.sqrt() - 2.0).abs() < 1e-12);
    assert_eq!(rule.gradient_error_factor(2), 1.0);
}
