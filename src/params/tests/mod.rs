//! Every parameter's illegal values and every illegal pair, by name; what is set is what is got.

mod cases;
mod names;

use super::{
    ALGORITHMS, Average, Gamma, KernelName, KernelParameters, Loss, LossParameters, Maintenance, Rate, Spec,
    Value, table,
};
use crate::error::Error;
use crate::testing::fixed_cases;
use cases::{ALWAYS, cases};
use proptest::prelude::*;

/// A legal specification that has the parameter.
fn having(name: &str) -> Spec {
    let spec = match name {
        "n_neighbors" => Spec::named("bpa-nn"),
        "newcomer_may_leave" => Spec::named("bpa-s"),
        "C" => Spec::named("pa"),
        "max_size" => Spec::named("nbsgd").map(|spec| Spec { rate: Some(Rate::Value(1.0)), ..spec }),
        "epsilon" => Spec::named_regression("bpa-nn"),
        "margin" => Spec::named("budget-mira"),
        "eta" => Spec::named("projectron++"),
        "eta0" | "clip" => Spec::named("bogd"),
        "delta" => Spec::named_regression("bsgd-merge").map(|spec| Spec { loss: Loss::Huber, ..spec }),
        "quantile" => Spec::named_regression("bsgd-merge").map(|spec| Spec { loss: Loss::Quantile, ..spec }),
        "degree" | "coef0" => {
            Spec::named("bsgd-random").map(|spec| Spec { kernel: KernelName::Poly, ..spec })
        }
        "C0" | "decay" | "ramp" | "forget" | "missing" => Spec::named("online-kernel"),
        "alpha_rq" => {
            Spec::named("bsgd-random").map(|spec| Spec { kernel: KernelName::RationalQuadratic, ..spec })
        }
        "grad_tol" => Spec::named("bsgd-merge").map(|spec| Spec { loss: Loss::LogLoss, ..spec }),
        _ => Spec::named("bsgd-merge"),
    };
    spec.unwrap()
}

/// Sets one parameter of a legal specification and checks it.
fn with(name: &str, value: &Value) -> Result<Spec, Error> {
    let mut spec = having(name);
    spec.set(name, value)?;
    spec.check().map(|checked| checked.spec().clone())
}

#[test]
fn illegal_values_are_refused_by_name() {
    let cases = cases();
    let names = || cases.iter().map(|case| case.0);
    assert!(table().all(|parameter| names().filter(|name| *name == parameter.info().name).count() == 1));
    assert_eq!(cases.len(), table().count(), "a case for every parameter");
    for (name, expected, legal, illegal) in cases {
        for value in legal {
            let spec = with(name, &value).unwrap_or_else(|error| panic!("{name} = {value}: {error}"));
            let as_float = |value: &Value| {
                if let Value::Int(i) = value { Value::Float(*i as f64) } else { value.clone() }
            };
            let got = spec.get(name).unwrap();
            assert!(got == value || got == as_float(&value), "{name} = {value} became {got}");
        }
        for value in illegal {
            let error = with(name, &value).expect_err(name);
            assert!(error.to_string().contains(&format!(", got {value}")), "{error}");
            assert!(error.to_string().starts_with(&format!("{name} must be {expected}, got ")), "{error}");
        }
    }
}

#[test]
fn unknown_names_are_refused() {
    let mut spec = Spec::named("bsgd-merge").unwrap();
    let error = spec.set("budgets", &Value::Int(1)).unwrap_err().to_string();
    assert!(error.contains("budgets") && spec.parameters().all(|name| error.contains(name)), "{error}");
    assert_eq!(spec.get("budgets"), None);
    let error = Spec::named("svm").unwrap_err().to_string();
    assert!(error.contains("\"svm\"") && ALGORITHMS.iter().all(|a| error.contains(a.name)), "{error}");
}

#[test]
fn parameters_that_do_not_apply_are_refused_with_those_that_do() {
    // Algorithm, kernel, parameter, what it is for.
    let cases = [
        ("bsgd-random", "rbf", "C", "passive-aggressive or MIRA"),
        ("pa", "rbf", "alpha", "stochastic gradient descent or online gradient descent"),
        ("bogd", "rbf", "loss", "stochastic gradient descent or passive-aggressive"),
        ("bsgd-random", "rbf", "n_neighbors", "maintenance = \"project-nn\", \"nn\""),
        ("bsgd-random", "rbf", "margin", "MIRA, the Perceptron (but with"),
        ("bsgd-random", "rbf", "grad_tol", "loss = \"log_loss\""),
        ("bsgd-random", "rbf", "degree", "kernel = \"poly\""),
        ("bsgd-random", "laplacian", "coef0", "kernel = \"poly\", \"sigmoid\""),
        ("bsgd-random", "linear", "gamma", "kernel = \"rbf\", \"laplacian\", \"poly\", \"sigmoid\""),
    ];
    for (algorithm, kernel, name, applies_with) in cases {
        let mut spec = Spec { kernel: KernelName::named(kernel).unwrap(), ..Spec::named(algorithm).unwrap() };
        let before = spec.clone();
        assert_eq!(spec.get(name), None);
        let error = spec.set(name, &Value::Float(1.0)).unwrap_err();
        assert_eq!(error.parameter_name(), Some(name));
        let error = error.to_string();
        assert!(
            error.starts_with(&format!("{name} does not apply to algorithm = {algorithm:?} with ")),
            "{error}"
        );
        assert!(error.contains(&format!(": it is for {applies_with}")), "{error}");
        let known: Vec<_> = spec.parameters().collect();
        assert!(error.ends_with(&known.join(", ")) && !known.contains(&name), "{error}");
        assert_eq!(spec, before);
    }
}

/// What is written of a parameter can be printed as it is.
#[test]
fn every_row_has_its_text() {
    for parameter in table() {
        let row = parameter.info();
        assert!(row.description.ends_with('.') && !row.description.contains("  "), "{}", row.description);
        let spec = having(row.name);
        assert!(parameter.applies(&spec), "{}", row.name);
        row.check(&parameter.get(&spec)).unwrap();
        let always = ALWAYS.contains(&row.name);
        assert_eq!(parameter.applies_with().is_empty(), always, "{}", row.name);
    }
}

#[test]
fn a_refused_value_changes_nothing() {
    for (name, _, _, illegal) in cases() {
        for value in illegal {
            let mut spec = having(name);
            let before = spec.clone();
            if spec.set(name, &value).is_err() {
                assert_eq!(spec, before, "{name} = {value:?}");
            }
        }
    }
}

/// Legal are merging with two kernels alone, lengths in feature space with a definite one, no maintenance
/// without a budget, the other way round those that can do without, and strategies of one rule with that rule alone.
#[test]
fn pairs_that_do_not_go_together_are_refused_by_both_names() {
    for (maintenance, algorithm) in
        Maintenance::ALL.into_iter().flat_map(|m| [(m, "bsgd-merge"), (m, "bpa-nn")])
    {
        for kernel in KernelName::ALL {
            for budget in [None, Some(10)] {
                let mut spec = Spec::named(algorithm).unwrap();
                (spec.maintenance, spec.kernel, spec.budget) = (maintenance, kernel, budget);
                let lengths = !matches!(maintenance.name(), "none" | "stop" | "random" | "oldest");
                let joint = matches!(maintenance.name(), "simple" | "nn" | "joint");
                let others =
                    matches!(maintenance.name(), "forgetron" | "projectron" | "projectron++" | "bogd");
                let generic = r#""none", "stop", "random", "oldest", "smallest", "project", "project-best", "project-nn", "merge", "merge-newest""#;
                let legal;
                let mut with = format!("maintenance = {:?}", maintenance.name());
                let other = if maintenance.name().starts_with("merge")
                    && !matches!(kernel.name(), "rbf" | "rational-quadratic")
                {
                    Some(("kernel", format!("{:?}", kernel.name()), "\"rbf\", \"rational-quadratic\""))
                } else if kernel.name() == "sigmoid" && (lengths || algorithm == "bpa-nn") {
                    if !lengths {
                        with = "algorithm = \"bpa-nn\" (passive-aggressive)".into();
                    }
                    let definite = r#""rbf", "laplacian", "poly", "linear", "cosine", "matern32", "matern52", "rational-quadratic""#;
                    Some(("kernel", "\"sigmoid\"".to_owned(), definite))
                } else if (joint && algorithm == "bsgd-merge") || others {
                    let (rule, own) = if algorithm == "bsgd-merge" {
                        ("stochastic gradient descent", "")
                    } else {
                        ("passive-aggressive", ", \"simple\", \"nn\", \"joint\"")
                    };
                    with = format!("algorithm = {algorithm:?} ({rule})");
                    legal = format!("{generic}{own}, \"margin\", \"distill\"");
                    Some(("maintenance", format!("{:?}", maintenance.name()), &legal[..]))
                } else if maintenance.name() == "none" && budget.is_some() {
                    Some(("budget", "10".to_owned(), "None (unbounded)"))
                } else if !matches!(maintenance.name(), "none" | "distill") && budget.is_none() {
                    let bounded = "an integer from 1 to 16777216 (unbounded is for maintenance = \"none\", \"distill\")";
                    Some(("budget", "None".to_owned(), bounded))
                } else {
                    None
                };
                let outcome = spec.check().map(drop);
                let told = other.map_or(Ok(()), |(name, got, legal)| {
                    Err(Error::Combination { name, got, with, valid: legal.to_owned() })
                });
                assert_eq!(outcome, told, "{algorithm} {maintenance:?} {kernel:?} {budget:?}");
                if let Err(error) = outcome {
                    let error = error.to_string();
                    assert!(error.contains(" = ") && error.contains("legal are: "), "{error}");
                }
            }
        }
    }
}

/// The ball goes with the losses that the papers prove it for.
#[test]
fn the_ball_goes_with_some_losses() {
    for loss in Loss::ALL {
        let mut spec = Spec { loss, ball: true, ..Spec::named("bsgd-merge").unwrap() };
        let legal = spec.rule().losses().contains(&loss);
        let has_ball = matches!(loss.name(), "hinge" | "log_loss" | "squared_error");
        assert_eq!(spec.check().is_ok(), legal && has_ball, "{loss:?}");
        if legal && !has_ball {
            let error = spec.check().unwrap_err().to_string();
            assert!(error.contains("ball") && error.contains(loss.name()), "{error}");
        }
        spec.alpha = 1.5;
        assert_eq!(spec.check().is_ok(), legal && has_ball && loss != Loss::SquaredError, "{loss:?}");
    }
}

#[test]
fn a_rate_has_its_conditions() {
    let named = |name: &str| Spec::named(name).unwrap();
    let at = |rate| Spec { rate: Some(rate), ..named("nbsgd") };
    let told = |spec: &Spec| spec.check().map(drop).unwrap_err().to_string();

    assert!(told(&named("nbsgd")).starts_with("rate must be "), "{}", told(&named("nbsgd")));
    assert!(at(Rate::Value(3.0)).check().is_ok());
    assert!(told(&at(Rate::Auto)).contains("stream_length = None"), "{}", told(&at(Rate::Auto)));
    assert!(Spec { stream_length: Some(10), ..at(Rate::Auto) }.check().is_ok());

    let small = Spec { max_size: Some(499), ..at(Rate::Value(3.0)) };
    assert!(told(&small).contains("max_size = 499") && told(&small).contains("budget = 500"));
    assert!(Spec { budget: Some(499), ..small }.check().is_ok());
    let alone = Spec { max_size: Some(600), ..named("bsgd-merge") };
    assert!(told(&alone).contains("max_size = 600") && told(&alone).contains("rate = None"));

    for maintenance in Maintenance::ALL {
        let budget = (maintenance != Maintenance::None).then_some(10);
        let spec = Spec { budget, maintenance, ..at(Rate::Value(3.0)) };
        let without = Spec { rate: None, algorithm: "bsgd-merge", ..spec.clone() };
        let takes = !["none", "stop", "merge-newest", "margin", "distill"].contains(&maintenance.name());
        assert_eq!(spec.check().is_ok(), without.check().is_ok() && takes, "{maintenance:?}");
    }
}

#[test]
fn every_algorithm_is_legal_and_its_own() {
    for (i, algorithm) in ALGORITHMS.iter().enumerate() {
        let rate = algorithm.requires_rate.then_some(Rate::Value(10.0));
        let spec = Spec { rate, ..Spec::named(algorithm.name).unwrap() };
        assert_eq!(spec.check().unwrap().spec(), &spec);
        assert_eq!((spec.algorithm, spec.maintenance), (algorithm.name, algorithm.maintenance));
        for text in [algorithm.summary, algorithm.source] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{text}: the documentation adds the full stop");
        }
        assert!(ALGORITHMS[..i].iter().all(|a| a.name != algorithm.name));
    }
}

#[test]
fn a_model_must_fit_into_memory() {
    let spec = |name: &str, budget: usize| {
        let mut spec = Spec::named(name).unwrap();
        spec.budget = Some(budget);
        spec.check().unwrap()
    };
    let cases = [
        // More than the address space.
        (spec("bsgd-random", 1 << 24), 1 << 24, 2),
        (spec("bsgd-merge", 1 << 24), u32::MAX as usize, u32::MAX as usize),
        (spec("bsgd-smallest", 100), 1, usize::MAX),
        // Projection keeps a triangle of budget^2 / 2 numbers.
        (spec("bsgd-project", 1 << 24), 1, 2),
    ];
    for (spec, features, classes) in cases {
        let error = spec.build::<f64>(features, classes).map(drop).unwrap_err().to_string();
        assert!(error.contains("memory"), "{features} features, {classes} classes: {error}");
        let error = spec.build::<f32>(features, classes).map(drop).unwrap_err().to_string();
        assert!(error.contains("memory"), "{features} features, {classes} classes: {error}");
    }
    let spec = Spec::named("bsgd-merge").unwrap().check().unwrap();
    for (features, classes, name) in
        [(0, 2, "X"), (usize::MAX, 2, "X"), (1 << 32, 3, "X"), (1, 0, "classes"), (1, 1, "classes")]
    {
        let error = spec.build::<f32>(features, classes).map(drop).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{name} must ")),
            "{features} features, {classes} classes: {error}"
        );
    }
}

fn specs() -> impl Strategy<Value = Spec> {
    let gamma = prop_oneof![Just(Gamma::Scale), Just(Gamma::Auto), (1e-3..1e3f64).prop_map(Gamma::Value)];
    let names = (0..ALGORITHMS.len(), 0..Maintenance::ALL.len(), 0..KernelName::ALL.len());
    let numbers = (prop::option::of(1..1000usize), 1e-9..10.0f64, 1..=100u32, 0.0..5.0f64);
    (names, numbers, gamma, any::<bool>(), any::<u64>()).prop_map(
        |((algorithm, maintenance, kernel), (budget, alpha, degree, coef0), gamma, ball, seed)| {
            let maintenance = Maintenance::ALL[maintenance];
            let kernel = KernelName::ALL[kernel];
            let averages = [Average::Last, Average::Random, Average::Suffix(0.3), Average::Late];
            let spec = ALGORITHMS[algorithm].spec();
            let spec = Spec { budget, maintenance, kernel, seed, ..spec };
            // What the algorithm does not take stays as it is.
            let taken = |name| spec.get(name).is_some();
            let KernelParameters { degree: three, coef0: zero, alpha_rq: one } = spec.kernel_parameters;
            let kernel_parameters = KernelParameters {
                degree: if taken("degree") { degree } else { three },
                coef0: if taken("coef0") { coef0 } else { zero },
                alpha_rq: if taken("alpha_rq") { alpha.max(1e-3) } else { one },
            };
            let of_loss = spec.loss_parameters;
            let loss_parameters = LossParameters {
                epsilon: if taken("epsilon") { coef0 } else { of_loss.epsilon },
                delta: if taken("delta") { alpha } else { of_loss.delta },
                ..of_loss
            };
            Spec {
                gamma: if taken("gamma") { gamma } else { spec.gamma },
                kernel_parameters,
                loss_parameters,
                alpha: if taken("alpha") { alpha } else { spec.alpha },
                ball: taken("ball") && ball,
                c: if taken("C") { alpha } else { spec.c },
                margin: taken("margin").then_some(coef0).filter(|_| ball),
                eta: if taken("eta") { coef0 } else { spec.eta },
                eta0: if taken("eta0") { alpha } else { spec.eta0 },
                clip: if taken("clip") { 1.0 + coef0 } else { spec.clip },
                n_neighbors: taken("n_neighbors").then_some(degree as usize % 64 + 1),
                rate: taken("rate").then_some(Rate::Value(alpha)).filter(|_| ball),
                max_size: taken("max_size").then_some(degree as usize),
                stream_length: taken("stream_length").then_some(u64::from(degree)).filter(|_| ball),
                average: if taken("average") { averages[degree as usize % 4] } else { spec.average },
                newcomer_may_leave: taken("newcomer_may_leave") && ball,
                ..spec
            }
        },
    )
}

proptest! {
    #![proptest_config(fixed_cases(256))]

    #[test]
    fn what_is_set_is_got(spec in specs()) {
        let mut copy = Spec::named(spec.algorithm).unwrap();
        for name in spec.parameters() {
            copy.set(name, &spec.get(name).unwrap()).unwrap();
        }
        prop_assert_eq!(copy, spec);
    }
}
