//! Files of saved models: whole, extended, interrupted, damaged and exchanged.

use super::{assert_equal_single, bytes_of, learn, stream, template};
use crate::classes::Labels;
use crate::keyed::archive::{Archive, Head};
use crate::keyed::record_file::RecordFile;
use crate::keyed::{Key, KeyCounts, KeyedModels, Keys};
use crate::learner::Rows;
use crate::model::{Batch, LearnerFloat, Model};
use crate::persist::Metadata;
use ndarray::Array2;
use std::path::{Path, PathBuf};

/// Two threads save to one file repeatedly, one of them through a link. The file then contains the models of one of them.
#[cfg(unix)]
#[test]
fn concurrent_saves_keep_the_models_of_one() {
    let (template, folder) = (template("pa"), tempfile::tempdir().unwrap());
    let (path, link) = (folder.path().join("models"), folder.path().join("link"));
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let made = |seed| {
        let (stream, mut models) = (stream(200, seed), KeyedModels::new(template.clone()).unwrap());
        learn(&mut models, &stream, 0..200).unwrap();
        (Box::new(models), stream)
    };
    let mut both = [made(1), made(2)];
    std::thread::scope(|scope| {
        for ((models, _), path) in both.iter_mut().zip([&path, &link]) {
            scope.spawn(move || (0..20).for_each(|_| models.save(path).unwrap()));
        }
    });
    for (models, stream) in &both {
        assert_equal_single(models, &template, stream);
    }
    let loaded = KeyedModels::load(&path).unwrap();
    let key = Key::Int(3);
    let of = |models: &KeyedModels| models.get(&key).unwrap().unwrap().to_bytes().unwrap();
    let [first, second] = both;
    let which = if of(&loaded) == of(&first.0) { first.1 } else { second.1 };
    assert_equal_single(&loaded, &template, &which);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// Saves models that learned the first `width` columns of the stream of seed 4.
fn saved<T: LearnerFloat>(path: &Path, template: Model, width: usize, y: &Labels, weight: f64) -> PathBuf {
    let (stream, mut models) = (stream(200, 4), KeyedModels::new(template).unwrap());
    let x = Array2::from_shape_fn((200, width), |(i, j)| T::from_f64(stream.x[[i, j % 3]]));
    let weights = vec![weight; 200];
    let batch = Batch { weights: Some(&weights), ..Batch::labels(y) };
    models.learn(&Keys::Int(stream.keys), &Rows::Dense(x.view()), None, &batch).unwrap();
    models.save(path).unwrap();
    path.to_owned()
}

/// A file with the template and the keys of one file and the models of another.
fn mixed(path: &Path, plain: &Path, other: &Path) -> KeyedModels {
    let (plain, keys, _) = Archive::load(plain).unwrap();
    let (archive, _, others) = Archive::load(other).unwrap();
    let keys = keys.into_iter().next();
    let copy = |file: &mut RecordFile| {
        let models = (0..).zip(&others).filter_map(|(slot, (location, _))| Some((slot, (*location)?)));
        models.map(|(slot, location)| Ok((slot, file.append(&archive.file.read(location)?)?))).collect()
    };
    let counts = vec![KeyCounts::default(); others.len()];
    let head = Head { common: &plain.common, metadata: &plain.metadata, n_rows: 200, counts: &counts };
    Archive::create(path, head, keys, copy).unwrap();
    KeyedModels::load(path).unwrap()
}

#[test]
fn models_that_do_not_fit_the_template_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let y = Labels::Int(stream(200, 4).y);
    let text = Labels::Text(stream(200, 4).y.iter().map(ToString::to_string).collect());
    let prior = |y: &Labels| {
        let mut prior = template("pa");
        prior.learn(&Rows::Dense(stream(200, 4).x.view()), None, &Batch::labels(y)).unwrap();
        prior
    };
    let plain = saved::<f64>(&at("plain"), template("pa"), 3, &y, 1.0);
    let of_prior = saved::<f64>(&at("prior"), prior(&y), 3, &y, 1.0);
    let without_rows = saved::<f64>(&at("without rows"), template("pa"), 3, &y, 0.0);
    for (first, other, reason) in [
        (&plain, saved::<f64>(&at("text"), template("pa"), 3, &text, 1.0), "classes"),
        (&plain, saved::<f64>(&at("wide"), template("pa"), 4, &y, 1.0), "columns"),
        (&plain, saved::<f32>(&at("single"), template("pa"), 3, &y, 1.0), "float types"),
        (&plain, saved::<f64>(&at("rule"), template("pegasos"), 3, &y, 1.0), "parameters"),
        (&of_prior, saved::<f64>(&at("prior of text"), prior(&text), 3, &text, 1.0), "classes"),
        (&of_prior, without_rows, "rows"),
    ] {
        let mut loaded = mixed(&at("mixed"), first, &other);
        let error = loaded.get(&Key::Int(3)).unwrap_err().to_string();
        let expected = format!("not a valid model: its {reason} differ from the {reason} of the template");
        assert!(error.ends_with(&expected), "{error}");
        let x = Array2::zeros((1, 3));
        assert!(loaded.predict(&Keys::Int(vec![3]), &Rows::<f64>::Dense(x.view()), None).is_err());
    }
    // A model that fits is read.
    assert!(mixed(&at("mixed"), &plain, &plain).get(&Key::Int(3)).unwrap().is_some());
}

/// Every byte of the header and of the records that is changed, and every byte that is missing at the end.
#[test]
fn a_damaged_file_is_an_error() {
    let (folder, stream) = (tempfile::tempdir().unwrap(), stream(200, 4));
    let path = folder.path().join("models");
    let mut models = KeyedModels::new(template("pa")).unwrap();
    learn(&mut models, &stream, 0..200).unwrap();
    models.save(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let n_unreadable = || match KeyedModels::load(&path) {
        Ok(models) => (0..13).filter(|key| models.get(&Key::Int(*key)).is_err()).count(),
        Err(_) => usize::MAX,
    };
    assert_eq!(n_unreadable(), 0);
    for at in (0..64).chain((1024..whole.len()).step_by(7)) {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        std::fs::write(&path, &damaged).unwrap();
        // One model, or all of them; key 100 is not among those that are read.
        assert!(
            n_unreadable() > 0 || KeyedModels::load(&path).unwrap().get(&Key::Int(100)).is_err(),
            "byte {at}"
        );
    }
    for length in [0, 63, 64, 1024, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(n_unreadable(), usize::MAX, "{length} bytes");
    }
}

/// A save that is interrupted after any number of bytes leaves the models of the save before.
#[test]
fn an_interrupted_save_leaves_the_models_saved_before() {
    let (folder, stream, template) = (tempfile::tempdir().unwrap(), stream(900, 4), template("bsgd-merge"));
    let (path, half) = (folder.path().join("models"), folder.path().join("half"));
    let mut models = KeyedModels::new(template.clone()).unwrap();
    learn(&mut models, &stream, 0..500).unwrap();
    models.metadata = Metadata::new("{\"offset\":500}").unwrap();
    models.save(&path).unwrap();
    let before = std::fs::read(&path).unwrap();
    let (expected, counts) = (bytes_of(&models, 3), models.counts().1.to_vec());
    learn(&mut models, &stream, 500..900).unwrap();
    models.metadata = Metadata::new("{\"offset\":900}").unwrap();
    models.save(&path).unwrap();
    let after = std::fs::read(&path).unwrap();
    assert_eq!(before[..512], after[..512], "the second save writes the second commit");
    for length in (before.len()..after.len()).step_by(101) {
        std::fs::write(
            &half,
            [&before[..512], &after[512..576], &before[576..], &after[before.len()..length]].concat(),
        )
        .unwrap();
        assert!(KeyedModels::load(&half).is_err() || length == after.len(), "the commit comes last");
        std::fs::write(&half, [&before[..], &after[before.len()..length]].concat()).unwrap();
        let mut loaded = KeyedModels::load(&half).unwrap();
        assert_eq!(bytes_of(&loaded, 3), expected);
        assert_eq!(loaded.metadata.as_json(), "{\"offset\":500}");
        assert_eq!((loaded.n_rows(), loaded.counts().1), (500, &counts[..]));
        // The next save overwrites what the interrupted one left.
        learn(&mut loaded, &stream, 500..900).unwrap();
        loaded.save(&half).unwrap();
        let again = KeyedModels::load(&half).unwrap();
        assert_equal_single(&again, &template, &stream);
        assert_eq!((again.n_rows(), again.counts()), (900, models.counts()));
    }
}

/// A save appends what has changed, and begins a new file when most of it is outdated or another process wrote it.
#[test]
fn a_save_appends_what_has_changed() {
    let (folder, stream, template) = (tempfile::tempdir().unwrap(), stream(900, 4), template("bsgd-merge"));
    let path = folder.path().join("models");
    let size = || std::fs::metadata(&path).unwrap().len();
    let mut models = KeyedModels::new(template.clone()).unwrap();
    learn(&mut models, &stream, 0..899).unwrap();
    models.save(&path).unwrap();
    let whole = size();
    let mut other = KeyedModels::load(&path).unwrap();
    learn(&mut models, &stream, 899..900).unwrap();
    models.save(&path).unwrap();
    assert!(size() > whole && size() < whole + whole / 6, "one of 13 models: {whole} and {} bytes", size());
    let one_more = size();
    models.save(&path).unwrap();
    assert!(size() < one_more + 100, "nothing has changed");
    assert_equal_single(&KeyedModels::load(&path).unwrap(), &template, &stream);
    // `other` does not know the last two saves.
    learn(&mut other, &stream, 899..900).unwrap();
    other.save(&path).unwrap();
    assert!(size() < whole + 1000, "a new file");
    for models in [&models, &other, &KeyedModels::load(&path).unwrap()] {
        assert_equal_single(models, &template, &stream);
    }
    for round in 0..200 {
        learn(&mut other, &stream, 0..300).unwrap();
        other.save(&path).unwrap();
        assert!(size() < 3 << 20, "round {round}: {} bytes", size());
    }
}
