//! Predicts in several threads while one thread learns: readers hold a snapshot of the model, and the learner
//! replaces it.
//!
//! `cargo run --release --example serve`

use budgetrs::Classifier;
use budgetrs::generate::checkerboard;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

/// The number of rows between two snapshots, each of which is a copy of the model.
const ROWS_PER_SNAPSHOT: usize = 1000;

fn main() -> budgetrs::Result<()> {
    let stream = checkerboard(200_000, 0.0, 1);
    let rows: Vec<&[f32]> = stream.rows.chunks(2).collect();
    let mut model = Classifier::builder().budget(200).build()?;
    model.learn_one(rows[0], stream.classes[0])?;
    let snapshot = RwLock::new(Arc::new(model.clone()));
    let (is_done, predictions) = (AtomicBool::new(false), AtomicUsize::new(0));

    thread::scope(|scope| {
        for reader in 0..3 {
            let (snapshot, is_done, predictions, rows) = (&snapshot, &is_done, &predictions, &rows);
            scope.spawn(move || {
                let mut i = reader;
                while !is_done.load(Ordering::Relaxed) {
                    // The lock is held only while the pointer is copied.
                    let model = Arc::clone(&snapshot.read().unwrap_or_else(PoisonError::into_inner));
                    for _ in 0..100 {
                        i = (i + 3) % rows.len();
                        if let Err(error) = model.predict_one(rows[i]) {
                            eprintln!("{error}");
                        }
                        predictions.fetch_add(1, Ordering::Relaxed);
                    }
                    thread::sleep(Duration::from_micros(100));
                }
            });
        }
        let mut learn = || {
            for (chunk, classes) in
                rows.chunks(ROWS_PER_SNAPSHOT).zip(stream.classes.chunks(ROWS_PER_SNAPSHOT))
            {
                for (x, class) in chunk.iter().zip(classes) {
                    model.learn_one(*x, *class)?;
                }
                *snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(model.clone());
            }
            Ok(())
        };
        let learned = learn();
        is_done.store(true, Ordering::Relaxed);
        learned
    })?;

    let progress = model.progress();
    println!("{} rows learned, {:.1}% predicted wrongly before", progress.rows, 100.0 * progress.error);
    println!("{} predictions by three threads meanwhile", predictions.load(Ordering::Relaxed));
    Ok(())
}
