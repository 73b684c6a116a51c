//! Throughput of the readers: text in pieces of 64 KiB.
//!
//! `cargo bench --package budgetrs-readers -- NAME` runs the benchmarks whose names contain NAME.

use budgetrs_readers::{Csv, Delimiter, Format, Kind, Libsvm, Reader, Rows, Task};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write;

const ROWS: u64 = 2000;
const FEATURES: u64 = 21;

/// Values in -8..8 with four decimals, and labels 0 to 2.
fn rows() -> impl Iterator<Item = (u64, Vec<f64>)> {
    // Multiples of an odd number, the upper bits: random enough for text.
    let random = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let value = move |i: u64| random(i) as f64 / (1u64 << 20) as f64 - 8.0;
    (0..ROWS).map(move |i| (random(i) % 3, (0..FEATURES).map(|j| value(i * FEATURES + j)).collect()))
}

fn libsvm_text() -> String {
    let mut text = String::new();
    for (class, row) in rows() {
        let _ = write!(text, "{class}");
        for (x, j) in row.iter().zip(1..) {
            let _ = write!(text, " {j}:{x:.4}");
        }
        text.push('\n');
    }
    text
}

fn csv_text() -> String {
    let mut text = String::new();
    for (class, row) in rows() {
        for x in row {
            let _ = write!(text, "{x:.4},");
        }
        let _ = writeln!(text, "{class}");
    }
    text
}

fn read(text: &str, format: impl Into<Format>) {
    let mut reader = Reader::new(format, Rows::new(Task::Classification, true));
    let mut rows = 0;
    for piece in text.as_bytes().chunks(64 << 10) {
        reader.feed(piece).expect("the text is valid");
        rows += reader.take().lines.len() as u64;
    }
    assert_eq!(rows, ROWS);
}

fn csv() -> Csv {
    let kinds = (0..FEATURES).map(|_| Kind::Number).chain([Kind::Target]).collect();
    let (missing, classes) = (Vec::new(), Vec::new());
    Csv { kinds, delimiter: Delimiter::Byte(b','), decimal: b'.', missing, classes, header: false }
}

fn reading(c: &mut Criterion) {
    let mut group = c.benchmark_group("read");
    let text = libsvm_text();
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("libsvm", |b| b.iter(|| read(&text, Libsvm::default())));
    let text = csv_text();
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("csv", |b| b.iter(|| read(&text, csv())));
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
