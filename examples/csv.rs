//! Trains a classifier on a CSV file, in one pass and in constant memory, and prints its error as it learns.
//!
//! `cargo run --release --example csv -- FILE.csv LABEL_COLUMN`: a column whose values are all numbers is numeric, all
//! other columns are categories, and empty cells are missing values.

use budgetrs::{Cell, Classifier};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, label] = arguments.as_slice() else { return Err("usage: csv FILE.csv LABEL_COLUMN".into()) };
    let names: Vec<String> = csv::Reader::from_path(path)?.headers()?.iter().map(str::to_owned).collect();
    let label = names.iter().position(|name| name == label).ok_or(format!("{path} has no column {label}"))?;

    let mut numeric = vec![true; names.len()];
    for record in csv::Reader::from_path(path)?.records() {
        for (numeric, cell) in numeric.iter_mut().zip(&record?) {
            *numeric &= cell.is_empty() || cell.parse::<f64>().is_ok();
        }
    }

    let mut model = Classifier::new();
    for record in csv::Reader::from_path(path)?.records() {
        let record = record?;
        let cell = |column: usize| match &record[column] {
            "" => Cell::Missing,
            text if numeric[column] => text.parse().map_or(Cell::Missing, Cell::Number),
            text => Cell::Text(text),
        };
        let others = (0..names.len()).filter(|column| *column != label);
        let row: Vec<(&str, Cell<'_>)> =
            others.map(|column| (names[column].as_str(), cell(column))).collect();
        model.learn_one(&row[..], &record[label])?;
        let progress = model.progress();
        if progress.rows.is_power_of_two() && progress.rows >= 64 {
            println!(
                "{:8} rows: {:.1}% of the predictions were wrong",
                progress.rows,
                100.0 * progress.error
            );
        }
    }
    let progress = model.progress();
    println!(
        "{} rows: {:.1}% of the predictions were wrong; always predicting the most frequent label: {:.1}%",
        progress.rows,
        100.0 * progress.error,
        100.0 * progress.constant_error
    );
    Ok(())
}
