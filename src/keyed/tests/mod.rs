//! Keyed models, compared with single models that learn only the rows of their key.

mod saving;
mod unseen;

use super::{Key, KeyedModels, Keys};
use crate::classes::Labels;
use crate::error::Result;
use crate::learner::Rows;
use crate::model::{Batch, Model, of_type};
use crate::params::Spec;
use crate::rng::Rng;
use ndarray::{Array2, Axis};

/// Rows of 13 keys.
struct Stream {
    keys: Vec<i64>,
    x: Array2<f64>,
    y: Vec<i64>,
}

fn stream(rows: usize, seed: u64) -> Stream {
    let mut rng = Rng::new(seed);
    let keys: Vec<i64> =
        (0..rows).map(|_| if rng.index(9) == 0 { 100 } else { rng.index(12) as i64 }).collect();
    let x = Array2::from_shape_fn((rows, 3), |_| rng.index(2000) as f64 / 100.0 - 10.0);
    let y = (0..rows)
        .map(|row| i64::from(x[[row, 0]] * x[[row, 1]] > keys[row] as f64) + rng.index(9) as i64 / 8);
    let y = y.collect();
    Stream { keys, x, y }
}

fn template(name: &str) -> Model {
    let mut spec = Spec::named(name).unwrap();
    spec.budget = spec.budget.map(|_| 5);
    Model::new(spec.check().unwrap())
}

/// The rows of a key and their labels.
fn rows_of(stream: &Stream, key: i64) -> (Array2<f64>, Labels) {
    let rows: Vec<usize> = (0..stream.keys.len()).filter(|row| stream.keys[*row] == key).collect();
    let y = Labels::Int(rows.iter().map(|row| stream.y[*row]).collect());
    (stream.x.select(Axis(0), &rows), y)
}

fn bytes_of(models: &KeyedModels, key: i64) -> Vec<u8> {
    models.get(&Key::Int(key)).unwrap().unwrap().to_bytes().unwrap()
}

/// A single model that learns the rows of a key.
fn single(template: &Model, stream: &Stream, key: i64) -> Model {
    let (mut model, (x, y)) = (template.clone(), rows_of(stream, key));
    model.learn(&Rows::Dense(x.view()), None, &Batch::labels(&y)).unwrap();
    model
}

fn learn(models: &mut KeyedModels, stream: &Stream, rows: std::ops::Range<usize>) -> Result<()> {
    let y = Labels::Int(stream.y[rows.clone()].to_vec());
    let x = stream.x.slice_axis(Axis(0), rows.clone().into());
    models.learn(&Keys::Int(stream.keys[rows].to_vec()), &Rows::Dense(x), None, &Batch::labels(&y))
}

fn assert_equal_single(models: &KeyedModels, template: &Model, stream: &Stream) {
    let Some(Keys::Int(keys)) = models.keys() else { panic!("integer keys") };
    assert_eq!(keys.len(), 13);
    for key in keys {
        let model = models.get(&Key::Int(key)).unwrap().unwrap();
        assert!(model.to_bytes().unwrap() == single(template, stream, key).to_bytes().unwrap(), "key {key}");
    }
}

/// With several memory limits, threads and batch sizes, and after saving repeatedly and loading.
#[test]
fn keyed_models_equal_single_models() {
    for name in ["online-kernel", "bsgd-merge", "bpa-s", "budget-perceptron"] {
        let (template, stream) = (template(name), stream(900, 5));
        for (memory, parallel) in [(1, false), (30_000, true), (1 << 30, false)] {
            let folder = tempfile::tempdir().unwrap();
            let mut models = KeyedModels::new(template.clone()).unwrap();
            models.set_memory_limit(memory, Some(folder.path().to_owned())).unwrap();
            models.set_parallel(parallel);
            let (mut from, mut size) = (0, 1);
            while from < 900 {
                let to = 900.min(from + size);
                learn(&mut models, &stream, from..to).unwrap();
                assert!(models.memory() <= memory, "{} bytes of {memory}", models.memory());
                if from > 300 && from < 500 {
                    models.save(folder.path().join("saved")).unwrap();
                    if size % 2 == 0 {
                        models = KeyedModels::load(folder.path().join("saved")).unwrap();
                        models.set_memory_limit(memory, None).unwrap();
                    }
                }
                (from, size) = (to, size * 2 % 127);
            }
            assert_equal_single(&models, &template, &stream);
            let keys = Keys::Int(stream.keys.clone());
            let labels = models.predict(&keys, &Rows::Dense(stream.x.view()), None).unwrap();
            let Labels::Int(labels) = labels else { panic!("integers") };
            for key in [3, 100] {
                let model = single(&template, &stream, key);
                let learner = of_type::<f64>(model.trained.as_ref().unwrap()).unwrap();
                for row in (0..900).filter(|row| stream.keys[*row] == key) {
                    let x = stream.x.row(row).to_vec();
                    let class = learner.predict(&Rows::one(&x)).unwrap();
                    let expected = super::gather::labels_of(model.classes.as_ref().unwrap(), &class);
                    assert_eq!(Labels::Int(vec![labels[row]]), expected);
                }
            }
            assert_eq!(models.len(), 13);
            assert_equal_single(&models, &template, &stream);
        }
    }
}

#[test]
fn models_of_new_keys_are_copies_of_the_template() {
    let (prior, stream) = (single(&template("bsgd-merge"), &stream(300, 1), 2), stream(500, 2));
    let mut models = KeyedModels::new(prior.clone()).unwrap();
    learn(&mut models, &stream, 0..500).unwrap();
    assert_equal_single(&models, &prior, &stream);
    // Unknown keys are predicted by the template.
    let x = Rows::one(&[1.0, 2.0, 3.0]);
    let mut only = KeyedModels::new(prior).unwrap();
    let stranger = only.predict(&Keys::Text(vec!["new".into()]), &x, None).unwrap();
    assert_eq!(stranger, models.predict(&Keys::Int(vec![-1]), &x, None).unwrap());
    assert_eq!((only.len(), models.len()), (0, 13));
}

#[test]
fn removed_keys_leave_the_other_models_unchanged() {
    let (template, stream) = (template("bsgd-merge"), stream(900, 5));
    // Models in memory, in the temporary file and in a saved file.
    for (max_memory, saves) in [(1 << 30, false), (4_000, false), (4_000, true)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models");
        let mut models = KeyedModels::new(template.clone()).unwrap();
        models.set_memory_limit(max_memory, None).unwrap();
        learn(&mut models, &stream, 0..900).unwrap();
        if saves {
            models.save(&path).unwrap();
        }
        let Some(Keys::Int(keys)) = models.keys() else { panic!("integer keys") };
        let (first, last) = (keys[0], keys[keys.len() - 1]);
        for (key, length) in [(first, 12), (keys[5], 11), (last, 10)] {
            assert!(models.remove(&Key::Int(key)) && !models.remove(&Key::Int(key)));
            assert_eq!((models.len(), models.get(&Key::Int(key)).unwrap().is_none()), (length, true));
        }
        assert!(!models.remove(&Key::Text("0".into())));
        models.save(&path).unwrap();
        for mut models in [models, KeyedModels::load(&path).unwrap()] {
            // A removed key starts anew.
            learn(&mut models, &stream, 0..900).unwrap();
            let mut expected = single(&template, &stream, first);
            assert_eq!(bytes_of(&models, first), expected.to_bytes().unwrap());
            let (rows, y) = rows_of(&stream, keys[1]);
            expected = single(&template, &stream, keys[1]);
            expected.learn(&Rows::Dense(rows.view()), None, &Batch::labels(&y)).unwrap();
            assert_eq!(bytes_of(&models, keys[1]), expected.to_bytes().unwrap());
        }
    }
}

#[test]
fn an_invalid_batch_changes_nothing() {
    let (template, stream) = (template("bsgd-merge"), stream(200, 3));
    let mut models = KeyedModels::new(template).unwrap();
    learn(&mut models, &stream, 0..200).unwrap();
    let before: Vec<u8> = models.get(&Key::Int(3)).unwrap().unwrap().to_bytes().unwrap();
    let x = Array2::zeros((2, 3));
    let (y, keys) = (Labels::Int(vec![0, 1]), Keys::Int(vec![3, 77]));
    let mut assert_error = |keys: &Keys, x: &Array2<f64>, y: &Labels, expected: &str| {
        let error = models.learn(keys, &Rows::Dense(x.view()), None, &Batch::labels(y)).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(models.len(), 13, "{expected}");
        assert!(models.get(&Key::Int(3)).unwrap().unwrap().to_bytes().unwrap() == before);
    };
    assert_error(&Keys::Int(vec![3]), &x, &y, "keys must have 2 entries, one per row, got 1");
    assert_error(
        &Keys::Text(vec!["a".into(), "b".into()]),
        &x,
        &y,
        "keys must have integers, as before, got strings",
    );
    assert_error(
        &keys,
        &Array2::zeros((2, 4)),
        &y,
        "X must have 3 features, as the rows learned before, got 4",
    );
    assert_error(&keys, &x, &Labels::Int(vec![0]), "y must have 2 entries, got 1");
    let texts = Labels::Text(vec!["a".into(), "b".into()]);
    assert_error(&keys, &x, &texts, "y must have labels of one type for all keys, got a different type");
    let bad = ndarray::arr2(&[[0.0, 0.0, 0.0], [0.0, f64::NAN, 0.0]]);
    let expected = "X contains NaN at row 1, column 1; all values must be finite";
    let error = models.learn(&keys, &Rows::Dense(bad.view()), None, &Batch::labels(&y)).unwrap_err();
    assert!(error.to_string().starts_with(expected), "{error}");
    let error = models.predict(&keys, &Rows::Dense(x.view()), None).unwrap_err();
    let expected =
        "keys must be known (a trained template model also predicts for unknown keys), got 77 at row 1";
    assert_eq!(error.to_string(), expected);
    let error = models.set_memory_limit(0, None).unwrap_err();
    assert_eq!(error.to_string(), "max_memory must be a number of bytes of at least 1, got 0");
}
