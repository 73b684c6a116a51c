//! Model files: damaged files raise, and so do files with a valid digest but inconsistent contents.

mod open_set;
mod reachable;
mod untrained;

use super::{AnyLearner, LearnerFloat, Model};
use crate::classes::Classes;
use crate::error::Result;
use crate::generate::{checkerboard, waveform};
use crate::learner::{Learner, Rows, Targets};
use crate::params::{ALGORITHMS, Average, Gamma, KernelName, MetricLearning, Rate, Scaling, Spec};
use crate::persist::{MAX_HEADER, N_DIGESTS, Tensors, decode, encode};
use crate::rng::Rng;
use crate::testing::fixed_cases;
use ndarray::ArrayView2;
use proptest::prelude::*;

/// A small trained model with all parts that a file can contain.
fn trained(algorithm: &str, ball: bool, classes: usize) -> Model {
    let mut spec = Spec::named(algorithm).unwrap();
    (spec.project_to_ball, spec.gamma, spec.alpha) = (ball, Gamma::Scale, 0.01);
    spec.budget = spec.budget.map(|_| 12);
    if spec.metric_learning == MetricLearning::Auto && ball {
        (spec.project_to_ball, spec.metric_learning) = (false, MetricLearning::Diagonal);
    }
    if ALGORITHMS.iter().any(|known| known.name == algorithm && known.requires_rate) {
        spec.rate = Some(Rate::Value(5.0));
        spec.average = if ball { Average::Suffix(0.5) } else { Average::Random };
    }
    let stream = if classes == 2 { checkerboard(60, 0.2, 1) } else { waveform(60, 1) };
    let spec = spec.check().unwrap();
    let mut learner: Learner<f32> = spec.build(stream.n_features, classes).unwrap();
    if learner.spec().spec().scaling == Scaling::None {
        learner.set_scaling(&vec![0.1; stream.n_features], &vec![1.5; stream.n_features]).unwrap();
    }
    let rows = ArrayView2::from_shape((60, stream.n_features), &stream.rows).unwrap();
    learner.learn_batch(&Rows::Dense(rows), Targets::Classes(&stream.classes), None).unwrap();
    let labels = (0..classes).map(|c| format!("class {c}")).collect();
    model_of(learner, Classes::Text(labels))
}

fn learner(model: &Model) -> &Learner<f32> {
    match &model.trained {
        Some(AnyLearner::F32(learner)) => learner,
        other => panic!("{other:?}"),
    }
}

/// A model with these classes that consists of a learner.
fn model_of<T: LearnerFloat>(learner: Learner<T>, classes: Classes) -> Model {
    let spec = learner.spec().clone();
    Model { classes: Some(classes), trained: Some(T::wrap(learner)), ..Model::new(spec) }
}

/// The contents of the file of a model.
fn contents(model: &Model) -> Tensors {
    decode(&model.to_bytes().unwrap()).unwrap()
}

/// The model of a file with these contents, whose digest is valid.
fn load(contents: &Tensors) -> Result<Model> {
    Model::from_bytes(&encode(contents).unwrap())
}

/// A change of the contents of a model file.
type Change = fn(&mut Tensors);

/// Loads the contents; after each change of a part, loading raises an error.
fn each_change_raises(good: &Tensors, part: &[&str], cases: &[(&str, Change)]) {
    load(good).unwrap();
    for (what, change) in cases {
        let bad = good.changed(|file| change(part.iter().fold(file, |scope, name| scope.scope_mut(name))));
        let error = load(&bad).map(drop).expect_err(what).to_string();
        assert!(error.starts_with("not a valid model: "), "{what}: {error}");
    }
}

#[test]
fn a_file_is_hashed_once_to_be_read() {
    let bytes = trained("bsgd-merge", true, 3).to_bytes().unwrap();
    let before = N_DIGESTS.get();
    Model::from_bytes(&bytes).unwrap();
    assert_eq!(N_DIGESTS.get() - before, 1);
}

#[test]
fn labels_of_every_type_can_be_loaded() {
    let all = [
        Classes::Bool,
        Classes::Int(vec![i64::MIN, -1, 7]),
        Classes::Float(vec![-0.5, 0.0, 1e300]),
        Classes::Text(vec![String::new(), "a\"b\n".into(), "é".into()]),
    ];
    let spec = Spec::named("bsgd-merge").unwrap().check().unwrap();
    for classes in all {
        let trained = (classes.len() > 1).then(|| AnyLearner::F64(spec.build(2, classes.len()).unwrap()));
        let model = Model { classes: Some(classes.clone()), trained, ..Model::new(spec.clone()) };
        assert_eq!(Model::from_bytes(&model.to_bytes().unwrap()).unwrap().classes, Some(classes));
    }
}

/// Labels that pass the check can be saved, up to almost the size limit of a file.
#[test]
fn labels_must_fit_into_a_file() {
    let of = |length| Classes::Text(vec!["\"".repeat(length), "b".into()]);
    // A quotation mark takes four bytes in JSON within JSON.
    let fitting = (MAX_HEADER - (1 << 20) - (3 << 17)) / 4;
    Model::check_classes(&of(fitting)).unwrap();
    let spec = Spec::named("bsgd-project").unwrap().check().unwrap();
    model_of::<f64>(spec.build(2, 2).unwrap(), of(fitting)).to_bytes().unwrap();
    for classes in [of(MAX_HEADER / 4), of(MAX_HEADER), Classes::Int((0..1_000_000).collect())] {
        let error = Model::check_classes(&classes).unwrap_err().to_string();
        assert!(error.starts_with("classes must be labels that take less than "), "{error}");
    }
}

#[test]
fn files_are_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let model = trained("bsgd-merge", false, 2);
    model.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), model.to_bytes().unwrap());
    assert_eq!(Model::load(&path).unwrap().to_bytes().unwrap(), model.to_bytes().unwrap());
    assert!(Model::load(folder.path()).is_err() && Model::load(folder.path().join("none")).is_err());
}

#[test]
fn every_flipped_byte_raises() {
    let file = trained("bsgd-project", true, 3).to_bytes().unwrap();
    let mut rng = Rng::new(3);
    for at in 0..file.len() {
        let mut flipped = file.clone();
        flipped[at] ^= 1 << rng.index(8);
        assert!(Model::from_bytes(&flipped).is_err(), "byte {at}");
    }
    for length in (0..file.len()).step_by(7).chain([file.len() - 1]) {
        assert!(Model::from_bytes(&file[..length]).is_err(), "first {length} bytes");
    }
    assert!(Model::from_bytes(&[&file[..], b"\0"].concat()).is_err());
}

/// Inconsistent contents raise, although the digest is valid.
#[test]
fn inconsistent_files_raise() {
    let good = contents(&trained("bsgd-project", true, 3));
    let learner: [(&str, Change); 24] = [
        ("no features", |l| l.reset("features", 0usize)),
        ("other features", |l| l.reset("features", 20usize)),
        ("more features than memory", |l| l.reset("features", usize::MAX)),
        ("features beyond their indices", |l| l.reset("features", 1usize << 32)),
        ("other classes", |l| l.reset("classes", 4usize)),
        ("more classes than memory", |l| l.reset("classes", usize::MAX)),
        ("one class", |l| l.reset("classes", 1usize)),
        ("gamma of zero", |l| l.reset("gamma", 0.0)),
        ("negative gamma", |l| l.reset("gamma", -1.0)),
        ("gamma that is NaN", |l| l.reset("gamma", f64::NAN)),
        ("gamma too large", |l| l.reset("gamma", 1e31)),
        ("no gamma", |l| l.drop_entry("gamma")),
        ("fewer rows for gamma", |l| l.scope_mut("moments").reset("rows", 0u64)),
        ("more rows for gamma", |l| l.scope_mut("moments").reset("rows", 61u64)),
        ("more numbers for gamma", |l| l.scope_mut("moments").reset("nonzero", 60 * 21 + 1u64)),
        ("deviations below zero", |l| l.scope_mut("moments").reset("m2", -1.0)),
        ("a mean that is NaN", |l| l.scope_mut("moments").reset("mean", f64::NAN)),
        ("no ball", |l| l.scope_mut("rule").reset("projection_factor", 0.0)),
        ("a ball too large", |l| l.scope_mut("rule").reset("projection_factor", 2.0)),
        ("a generator of another type", |l| l.reset("generator", 1i64)),
        ("another entry", |l| l.set("more", 1u64)),
        ("no expansion", |l| l.drop_entry("expansion")),
        ("no scaling factor", |l| l.scope_mut("scaling").replace("factor", &[21], vec![0f32; 21])),
        ("a scaling of another width", |l| l.scope_mut("scaling").replace("factor", &[2], vec![1f32; 2])),
    ];
    let counts: [(&str, Change); 6] = [
        ("more updates than rows", |c| c.reset("updates", 61u64)),
        ("more mistakes than rows", |c| c.reset("mistakes", 61u64)),
        ("more maintenances than can be counted", |c| c.reset("maintenances", u64::MAX)),
        ("more rows than there can be", |c| c.reset("seen", u64::MAX)),
        ("an error that is NaN", |c| c.reset("gradient_error", f64::NAN)),
        ("a negative error", |c| c.reset("gradient_error", -1.0)),
    ];
    let parameters: [(&str, Change); 9] = [
        ("a budget of zero", |p| p.reset("budget", 0i64)),
        ("a smaller budget", |p| p.reset("budget", 5i64)),
        ("a budget beyond all", |p| p.reset("budget", i64::MAX)),
        ("no budget", |p| p.drop_entry("budget")),
        ("another kernel", |p| p.reset("kernel", "sigmoid")),
        ("another maintenance", |p| p.reset("maintenance", "none")),
        ("another gamma", |p| p.reset("gamma", 0.125)),
        ("a negative alpha", |p| p.reset("alpha", -1.0)),
        ("a parameter of another type", |p| p.reset("project_to_ball", 1u64)),
    ];
    let root: [(&str, Change); 8] = [
        ("another type", |r| r.reset("dtype", "float64")),
        ("an unknown type", |r| r.reset("dtype", "float16")),
        ("an unknown algorithm", |r| r.reset("algorithm", "svm")),
        ("fewer classes", |r| r.reset("classes", vec![1i64, 2])),
        ("classes out of order", |r| r.reset("classes", vec![2i64, 1, 3])),
        ("classes twice", |r| r.reset("classes", vec![1.0, 1.0, 2.0])),
        ("a class that is NaN", |r| r.reset("classes", vec![1.0, 2.0, f64::NAN])),
        ("no classes", |r| r.drop_entry("classes")),
    ];
    each_change_raises(&good, &["learner"], &learner);
    each_change_raises(&good, &["learner", "counts"], &counts);
    each_change_raises(&good, &["parameters"], &parameters);
    each_change_raises(&good, &[], &root);
}

/// If the parameters fix gamma, the file must not have another one.
#[test]
fn a_fixed_gamma_must_equal_the_parameter() {
    for kernel in [KernelName::Rbf, KernelName::Linear] {
        let mut spec = Spec::named("bsgd-smallest").unwrap();
        (spec.kernel, spec.gamma) = (kernel, Gamma::Value(0.25));
        let learner: Learner<f32> = spec.check().unwrap().build(2, 2).unwrap();
        let mut damaged = contents(&model_of(learner, Classes::Bool));
        let learner = damaged.scope_mut("learner");
        if learner.contains("gamma") {
            learner.reset("gamma", 0.5);
        } else {
            learner.set("gamma", 0.25);
        }
        assert!(load(&damaged).is_err(), "{kernel:?}");
    }
}

/// Saves and loads before and after each update of gamma from the data.
#[test]
fn a_gamma_from_the_data_is_saved() {
    let stream = checkerboard(1100, 0.1, 5);
    let file = |learner: Learner<f32>| model_of(learner, Classes::Bool).to_bytes().unwrap();
    for kernel in [KernelName::Rbf, KernelName::Poly] {
        for algorithm in ["bsgd-smallest", "bsgd-project", "pegasos"] {
            let mut spec = Spec::named(algorithm).unwrap();
            spec.kernel = kernel;
            spec.budget = spec.budget.map(|_| 7);
            let mut uninterrupted: Learner<f32> = spec.check().unwrap().build(2, 2).unwrap();
            let mut reloaded = uninterrupted.clone();
            for (i, (x, &class)) in stream.rows.chunks(2).zip(&stream.classes).enumerate() {
                uninterrupted.learn_one(x, class, 1.0).unwrap();
                reloaded.learn_one(x, class, 1.0).unwrap();
                if i < 20 || i.is_power_of_two() || (i + 2).is_power_of_two() {
                    reloaded = learner(&Model::from_bytes(&file(reloaded)).unwrap()).clone();
                }
            }
            assert_eq!(file(reloaded), file(uninterrupted), "{algorithm} {kernel:?}");
        }
    }
}

/// Learns and predicts 60 rows. A damaged model may raise, but must not panic.
fn continue_training(model: &mut Model, rng: &mut Rng) {
    let Some(AnyLearner::F32(learner)) = &mut model.trained else { return };
    let x: Vec<f32> = (0..60 * learner.n_features()).map(|_| rng.normal() as f32).collect();
    let y: Vec<u32> = (0..60).map(|i| i % learner.n_classes() as u32).collect();
    let rows = Rows::Dense(ArrayView2::from_shape((60, learner.n_features()), &x).unwrap());
    let _ = learner.learn_batch(&rows, Targets::Classes(&y), None);
    let _ = learner.predict(&rows);
}

/// Each count of a file set to its maximum, with a valid digest: loading raises, or training continues.
#[test]
fn counts_do_not_overflow() {
    for algorithm in ALGORITHMS {
        for (ball, classes) in [(false, 2), (true, 3)] {
            let good = contents(&trained(algorithm.name, ball, classes));
            for at in 0..good.clone().integers().len() {
                for large in [1 << 53, u64::MAX - 1, u64::MAX] {
                    if let Ok(mut model) = load(&good.changed(|file| *file.integers()[at] = large)) {
                        continue_training(&mut model, &mut Rng::new(5));
                    }
                }
            }
        }
    }
}

#[test]
fn training_continues_after_the_largest_count() {
    for algorithm in ALGORITHMS {
        for (ball, classes) in [(false, 2), (true, 3)] {
            let mut file = contents(&trained(algorithm.name, ball, classes));
            let learner = file.scope_mut("learner");
            learner.scope_mut("counts").integers().into_iter().for_each(|count| *count = 1 << 53);
            crate::monitor::Baselines::set_rows(learner.scope_mut("baselines"), 1 << 53);
            if learner.contains("moments") {
                learner.scope_mut("moments").reset("rows", 1024u64);
            }
            if learner.scope("scaling").is_ok_and(|scaling| scaling.contains("rows")) {
                learner.scope_mut("scaling").reset("rows", 3000u64);
            }
            let mut model = load(&file).unwrap();
            continue_training(&mut model, &mut Rng::new(5));
        }
    }
}

proptest! {
    #![proptest_config(fixed_cases(1500))]

    /// Random changes of the contents, with a valid digest: loading raises, or the model learns and predicts without
    /// panic.
    #[test]
    fn random_changes_do_not_panic(which in 0..ALGORITHMS.len(), classes in 2..4usize, seed in any::<u64>(), times in 1..4) {
        let mut rng = Rng::new(seed);
        let mut damaged = contents(&trained(ALGORITHMS[which].name, seed % 2 == 0, classes));
        for _ in 0..times {
            damaged.damage(&mut rng);
        }
        let file = encode(&damaged).unwrap();
        if let Ok(mut model) = Model::from_bytes(&file) {
            prop_assert_eq!(model.to_bytes().unwrap(), file);
            continue_training(&mut model, &mut rng);
        }
    }

    #[test]
    fn damaged_bytes_do_not_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        cut in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let original = trained("bsgd-merge", true, 2).to_bytes().unwrap();
        let mut file = original.clone();
        for (at, byte) in edits {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Some((from, to)) = cut {
            let (from, to) = (from.index(file.len()), to.index(file.len()));
            file.drain(from.min(to)..from.max(to));
        }
        prop_assert!(file == original || Model::from_bytes(&file).is_err());
    }
}
