//! Choices that can or cannot be combined.

use crate::error::Error;
use crate::parameter::quoted;
use crate::params::{KernelName, Loss, Maintenance, MaintenanceEntry, Rate, Spec};

/// The names of the strategies for which `has` is true, as error messages list them.
fn maintenances(has: impl Fn(&MaintenanceEntry) -> bool) -> String {
    let names = Maintenance::ALL.map(Maintenance::entry).into_iter().filter(|entry| has(entry));
    quoted(&names.map(|entry| entry.name).collect::<Vec<_>>())
}

/// The names of the kernels for which `has` is true, as error messages list them.
fn kernels(has: impl Fn(KernelName) -> bool) -> String {
    quoted(
        &KernelName::ALL.into_iter().filter(|kernel| has(*kernel)).map(KernelName::name).collect::<Vec<_>>(),
    )
}

/// The error that a combination of strategy, kernel and budget must raise: the parameter to change, its value, the
/// other choice, and the valid values.
fn expected_error(spec: &Spec) -> Option<(&'static str, String, String, String)> {
    let (entry, kernel) = (spec.maintenance.entry(), spec.kernel.info());
    let with_maintenance = format!("maintenance = {:?}", entry.name);
    let with_rule = format!("algorithm = {:?} ({})", spec.algorithm, spec.rule().name());
    let fits_rule = |entry: &MaintenanceEntry| entry.rule.is_none_or(|rule| rule == spec.rule());
    let got = format!("{:?}", kernel.name);
    if entry.merges && !kernel.merges {
        return Some(("kernel", got, with_maintenance, kernels(|kernel| kernel.info().merges)));
    }
    if !kernel.is_psd && (entry.needs_psd_kernel || spec.rule().needs_psd_kernel()) {
        let with = if entry.needs_psd_kernel { with_maintenance } else { with_rule };
        return Some(("kernel", got, with, kernels(|kernel| kernel.info().is_psd)));
    }
    if !fits_rule(&entry) {
        return Some(("maintenance", format!("{:?}", entry.name), with_rule, maintenances(fits_rule)));
    }
    match spec.budget {
        Some(budget) if spec.maintenance == Maintenance::None => Some((
            "budget",
            budget.to_string(),
            with_maintenance,
            "None (unbounded), or another maintenance, such as \"merge\"".into(),
        )),
        None if !entry.may_be_unbounded => {
            let unbounded = maintenances(|entry| entry.may_be_unbounded && fits_rule(entry));
            let valid = format!("an integer from 1 to 16777216 (None needs maintenance = {unbounded})");
            Some(("budget", "None".into(), with_maintenance, valid))
        }
        Some(_) | None => None,
    }
}

/// Some strategies need a kernel that can be merged, a positive semi-definite kernel, one rule, or a budget.
#[test]
fn invalid_combinations_raise_with_both_names() {
    for (maintenance, algorithm) in
        Maintenance::ALL.into_iter().flat_map(|m| [(m, "bsgd-merge"), (m, "bpa-nn")])
    {
        for kernel in KernelName::ALL {
            for budget in [None, Some(10)] {
                let spec = Spec { budget, maintenance, kernel, ..Spec::named(algorithm).unwrap() };
                let outcome = spec.check().map(drop);
                let expected = expected_error(&spec).map_or(Ok(()), |(name, got, with, valid)| {
                    Err(Error::Combination { name, got, with, valid })
                });
                assert_eq!(outcome, expected, "{algorithm} {maintenance:?} {kernel:?} {budget:?}");
            }
        }
    }
    let error = Spec { kernel: KernelName::Poly, ..Spec::named("bsgd-merge").unwrap() }.check().unwrap_err();
    let expected = r#"kernel = "poly" cannot be combined with maintenance = "merge"; valid: "rbf", "rational-quadratic""#;
    assert_eq!(error.to_string(), expected);
}

/// The papers prove the ball for some losses only.
#[test]
fn the_ball_requires_a_loss_that_has_one() {
    for loss in Loss::ALL {
        let mut spec = Spec { loss, project_to_ball: true, ..Spec::named("bsgd-merge").unwrap() };
        let valid = spec.rule().losses().contains(&loss);
        let has_ball = loss.has_ball();
        assert_eq!(spec.check().is_ok(), valid && has_ball, "{loss:?}");
        if valid && !has_ball {
            let error = spec.check().unwrap_err().to_string();
            assert!(error.contains("project_to_ball") && error.contains(loss.name()), "{error}");
        }
        spec.alpha = 1.5;
        assert_eq!(spec.check().is_ok(), valid && has_ball && loss != Loss::SquaredError, "{loss:?}");
    }
}

#[test]
fn a_rate_has_its_conditions() {
    let named = |name: &str| Spec::named(name).unwrap();
    let at = |rate| Spec { rate: Some(rate), ..named("nbsgd") };
    let message = |spec: &Spec| spec.check().map(drop).unwrap_err().to_string();

    assert!(message(&named("nbsgd")).starts_with("rate must be "), "{}", message(&named("nbsgd")));
    assert!(at(Rate::Value(3.0)).check().is_ok());
    assert!(message(&at(Rate::Auto)).contains("stream_length = None"), "{}", message(&at(Rate::Auto)));
    assert!(Spec { stream_length: Some(10), ..at(Rate::Auto) }.check().is_ok());

    let small = Spec { max_size: Some(499), ..at(Rate::Value(3.0)) };
    assert!(message(&small).contains("max_size = 499") && message(&small).contains("budget = 500"));
    assert!(Spec { budget: Some(499), ..small }.check().is_ok());
    let alone = Spec { max_size: Some(600), ..named("bsgd-merge") };
    assert!(message(&alone).contains("max_size = 600") && message(&alone).contains("rate = None"));

    for maintenance in Maintenance::ALL {
        let budget = (maintenance != Maintenance::None).then_some(10);
        let spec = Spec { budget, maintenance, ..at(Rate::Value(3.0)) };
        let without = Spec { rate: None, algorithm: "bsgd-merge", ..spec.clone() };
        let supports_rate = maintenance.entry().supports_rate;
        assert_eq!(spec.check().is_ok(), without.check().is_ok() && supports_rate, "{maintenance:?}");
    }
}
