//! Counts of keys and removal of keys that were not seen, compared with single models and with the last row of each
//! key.

use super::{Stream, bytes_of, learn, single, stream, template};
use crate::classes::Labels;
use crate::keyed::{Key, KeyCounts, KeyedModels, Keys};
use crate::learner::Rows;
use crate::model::{Batch, Model, with_learner};
use std::ops::Range;

/// The keys of some rows in order of appearance, each with the number of its last row, from 1 on.
fn last_rows(stream: &Stream, rows: Range<usize>) -> Vec<(i64, u64)> {
    let mut found: Vec<(i64, u64)> = Vec::new();
    for row in rows {
        let (key, number) = (stream.keys[row], row as u64 + 1);
        match found.iter_mut().find(|(other, _)| *other == key) {
            Some((_, last)) => *last = number,
            None => found.push((key, number)),
        }
    }
    found
}

/// The counts of all keys, with the counts of single models.
fn expected_counts(models: &KeyedModels, last_rows: &[(i64, u64)]) -> Vec<KeyCounts> {
    let count = |(key, last_row): &(i64, u64)| {
        let model: Model = models.get(&Key::Int(*key)).unwrap().unwrap();
        let counts = with_learner!(model.learner().unwrap(), learner => learner.counts());
        KeyCounts { rows: counts.n_new, error: counts.mistakes as f64, last_row: *last_row }
    };
    last_rows.iter().map(count).collect()
}

/// With models in memory, in the temporary file and in a saved file, and with several batch sizes.
#[test]
fn keys_that_were_not_seen_are_removed() {
    let (template, mut stream) = (template("bsgd-merge"), stream(900, 5));
    // In the last 100 rows only the keys from 6 to 11, and in the 100 rows before from 3 to 8.
    for row in 700..900 {
        stream.keys[row] = stream.keys[row] % 6 + if row < 800 { 3 } else { 6 };
    }
    for (memory, saves, batch) in
        [(1 << 30, false, 900), (1 << 30, true, 1), (4_000, false, 64), (4_000, true, 200)]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models");
        let mut models = KeyedModels::new(template.clone()).unwrap();
        models.set_memory_limit(memory, None).unwrap();
        for from in (0..900).step_by(batch) {
            learn(&mut models, &stream, from..900.min(from + batch)).unwrap();
            if saves && from % 7 == 0 {
                models.save(&path).unwrap();
            }
        }
        let all = last_rows(&stream, 0..900);
        assert_eq!((models.n_rows(), models.counts().1), (900, &expected_counts(&models, &all)[..]));
        assert!(models.counts().1.iter().any(|counts| counts.error > 1.0));
        assert_eq!(models.remove_unseen(900).unwrap(), 0);
        let whole = models.memory();
        for rows in [190, 90, 4] {
            let seen: Vec<(i64, u64)> = all.iter().copied().filter(|(_, last)| last + rows > 900).collect();
            let removed = models.len() - seen.len();
            assert!(removed > 0, "{rows} rows");
            assert_eq!(models.remove_unseen(rows).unwrap(), removed);
            assert_eq!(models.keys(), Some(Keys::Int(seen.iter().map(|(key, _)| *key).collect())));
            assert_eq!(models.counts().1, expected_counts(&models, &seen));
            for (key, _) in &seen {
                assert_eq!(bytes_of(&models, *key), single(&template, &stream, *key).to_bytes().unwrap());
            }
        }
        assert!(memory < 1 << 30 || models.memory() < whole, "{} bytes", models.memory());
        models.save(&path).unwrap();
        let seen = models.counts();
        let loaded = KeyedModels::load(&path).unwrap();
        assert_eq!((loaded.n_rows(), loaded.counts()), (900, seen));
        // Both continue alike, and a removed key starts anew.
        for mut models in [loaded, models] {
            learn(&mut models, &stream, 0..900).unwrap();
            assert_eq!((models.n_rows(), models.len()), (1800, all.len()));
            let gone = all.iter().find(|(_, last)| last + 190 <= 900).unwrap().0;
            assert_eq!(bytes_of(&models, gone), single(&template, &stream, gone).to_bytes().unwrap());
            assert!(models.remove(&Key::Int(gone)));
            assert_eq!(models.counts().1.len(), all.len() - 1);
        }
    }
}

#[test]
fn no_rows_is_an_error_and_removes_nothing() {
    let mut models = KeyedModels::new(template("pa")).unwrap();
    assert_eq!((models.remove_unseen(1).unwrap(), models.n_rows(), models.counts()), (0, 0, (None, &[][..])));
    learn(&mut models, &stream(100, 1), 0..100).unwrap();
    let error = models.remove_unseen(0).unwrap_err();
    assert_eq!(error.to_string(), "rows must be an integer of at least 1, got 0");
    assert_eq!(models.len(), 13);
    // Only the key of the last row.
    assert_eq!((models.remove_unseen(1).unwrap(), models.len()), (12, 1));
}

/// A batch that some keys do not learn counts the rows that were learned.
#[test]
fn a_call_that_stops_counts_the_rows_that_it_learned() {
    let stream = stream(900, 5);
    let mut models = KeyedModels::new(template("pa")).unwrap();
    let (keys, y) = (Keys::Int(stream.keys.clone()), Labels::Int(stream.y.clone()));
    let (rows, batch) = (Rows::Dense(stream.x.view()), Batch::labels(&y));
    let mut asked = 0;
    let go_on = || {
        asked += 1;
        asked < 2
    };
    // The first model runs alone.
    let n_learned = models.learn_while(&keys, &rows, None, (&batch, None), go_on).unwrap();
    assert_eq!((models.n_rows(), models.len()), (n_learned as u64, 13));
    let learned: Vec<&KeyCounts> = models.counts().1.iter().filter(|counts| counts.rows > 0).collect();
    assert!(matches!(learned[..], [counts] if counts.rows == n_learned as u64));
    assert_eq!(models.remove_unseen(n_learned as u64).unwrap(), 12);
}
