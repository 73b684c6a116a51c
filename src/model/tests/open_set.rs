//! Model files with open class sets.

use super::{AnyLearner, Change, Model, contents, each_change_raises, model_of};
use crate::batch::Task;
use crate::classes::Classes;
use crate::learner::{Learner, Rows, Targets};
use crate::params::{ClassWeight, Spec};
use crate::persist::decode;

/// A model trained with an open class set.
fn open_set(classes: Classes) -> Model {
    let class_weight = ClassWeight::Balanced;
    let spec = Spec { budget: Some(5), class_weight, ..Spec::named("online-kernel").unwrap() };
    let spec = spec.check().unwrap();
    let mut learner: Learner<f32> = spec.build(1, 2).unwrap();
    for i in 0..40u32 {
        let (x, class) = ([i as f32], i % classes.len() as u32);
        learner.begin_learning_open(&Rows::one(&x), Targets::Classes(&[class]), None).unwrap().learn(1);
    }
    Model { open_classes: true, ..model_of(learner, classes) }
}

fn texts(labels: &[&str]) -> Classes {
    Classes::Text(labels.iter().map(ToString::to_string).collect())
}

#[test]
fn labels_are_loaded_in_their_order() {
    for classes in [
        Classes::Int(vec![7]),
        Classes::Int(vec![3, -1]),
        Classes::Float(vec![0.5, 1e300, -2.0, 0.0]),
        texts(&["b", "a", "", "c"]),
    ] {
        let model = open_set(classes.clone());
        let file = model.to_bytes().unwrap();
        let loaded = Model::from_bytes(&file).unwrap();
        assert_eq!((loaded.classes.as_ref(), loaded.open_classes), (Some(&classes), true));
        assert_eq!(loaded.to_bytes().unwrap(), file);
        // A closed class set must be sorted.
        assert!(Model { open_classes: false, ..model.clone() }.to_bytes().is_err(), "{classes:?}");
    }
}

/// A file without the entry `open_classes` has a closed class set.
#[test]
fn a_sorted_class_set_may_be_open_or_closed() {
    let model = open_set(Classes::Int(vec![1, 2, 3]));
    for open_classes in [false, true] {
        let file = Model { open_classes, ..model.clone() }.to_bytes().unwrap();
        assert_eq!(decode(&file).unwrap().contains("open_classes"), open_classes);
        assert_eq!(Model::from_bytes(&file).unwrap().open_classes, open_classes);
    }
}

#[test]
fn inconsistent_files_raise() {
    let good = contents(&open_set(Classes::Int(vec![2, 1, 3])));
    let cases: [(&str, Change); 10] = [
        ("no learner", |r| ["learner", "dtype"].into_iter().for_each(|name| r.drop_entry(name))),
        ("classes twice", |r| r.reset("classes", vec![1i64, 2, 1])),
        ("a class too few", |r| r.reset("classes", vec![2i64, 1])),
        ("no class", |r| r.reset("classes", Vec::<i64>::new())),
        ("a class that is NaN", |r| r.reset("classes", vec![2.0, f64::NAN, 1.0])),
        ("bools", |r| r.reset("classes", true)),
        ("no classes", |r| r.drop_entry("classes")),
        ("a list that is whole", |r| r.reset("open_classes", false)),
        ("a number", |r| r.reset("open_classes", 1u64)),
        ("a whole list out of order", |r| r.drop_entry("open_classes")),
    ];
    each_change_raises(&good, &[], &cases);
}

#[test]
fn regression_has_no_classes() {
    let spec = Spec::named_regression("pa").unwrap().check().unwrap();
    let mut learner: Learner<f64> = spec.build(1, Task::Regression).unwrap();
    let error = learner.add_classes(3).unwrap_err().to_string();
    assert_eq!(error, "classes must be none, for regression, got 3");
    let rows = Rows::one(&[0.5]);
    learner.begin_learning_open(&rows, Targets::Values(&[1.5]), None).unwrap().learn(1);
    assert!(learner.begin_learning_open(&rows, Targets::Classes(&[4]), None).is_err());
    assert_eq!(learner.counts().n_seen, 1);
}

#[test]
fn classes_that_do_not_fit_into_memory_raise() {
    let model = open_set(Classes::Int(vec![2, 1, 3]));
    let Some(AnyLearner::F32(mut learner)) = model.trained else { panic!("it has learned") };
    let error = learner.add_classes(usize::MAX).unwrap_err().to_string();
    assert!(error.starts_with("budget must be a number of support vectors"), "{error}");
    assert_eq!(learner.n_classes(), 3);
    let error = learner.add_classes(2).unwrap_err().to_string();
    assert_eq!(error, "classes must be at least 3, got 2");
}
