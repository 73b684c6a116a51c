//! The loop over the rows of a batch.

use super::progress::LearnProgress;
use super::{Learner, Rows, Targets};
use crate::batch::{Example, Task};
use crate::float::Real;
use crate::input::RowSource;
use crate::ops::rows_left_in_block;
use std::ops::Range;

/// A batch that [`Learner::validate`] has passed.
#[derive(Clone, Copy)]
struct CheckedBatch<'a, 'r, T: Real> {
    rows: &'a Rows<'r, T>,
    targets: Targets<'a>,
    weights: Option<&'a [f64]>,
    task: Task,
}

impl<'a, T: Real> CheckedBatch<'a, '_, T> {
    /// The rows of `rows` that are learned: rows with a weight above 0.
    #[inline(always)]
    fn rows_to_learn(&self, rows: Range<usize>) -> impl Iterator<Item = usize> + use<'a, T> {
        let weights = self.weights;
        rows.filter(move |row| weights.is_none_or(|weights| weights[*row] > 0.0))
    }

    /// The part of `range` up to its `n`-th row with a weight above 0, or to the last such row if there are fewer; None
    /// if there is no such row.
    fn next_block(&self, range: Range<usize>, n: usize) -> Option<Range<usize>> {
        if self.weights.is_none() {
            return (!range.is_empty()).then(|| range.start..range.end.min(range.start + n));
        }
        let mut to_learn = self.rows_to_learn(range).take(n);
        let first = to_learn.next()?;
        Some(first..to_learn.last().unwrap_or(first) + 1)
    }

    /// The next example of the stream, from `row`.
    #[inline(always)]
    fn example(&self, row: usize, progress: &LearnProgress) -> Example {
        progress.example(self.targets.label(row, self.task), self.weights.map_or(1.0, |w| w[row]))
    }
}

impl<T: Real> Learner<T> {
    /// Learns the rows `range` of a batch that [`Learner::validate`] has passed.
    pub(super) fn learn_checked(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
        range: Range<usize>,
    ) {
        let batch = CheckedBatch { rows, targets, weights, task: self.progress.task };
        if self.input.is_identity() && self.monitors.is_plain() {
            self.learn_rows::<true>(batch, range);
        } else {
            self.learn_rows::<false>(batch, range);
        }
    }

    /// Learns rows without preprocessing and monitoring (`PLAIN`) or with them, block by block of the stream: a support
    /// set that outgrows the first cache is read once per block.
    fn learn_rows<const PLAIN: bool>(&mut self, batch: CheckedBatch<'_, '_, T>, mut range: Range<usize>) {
        let mut raw = Vec::new();
        while let Some(block) = batch.next_block(range.clone(), rows_left_in_block(self.progress.next_row()))
        {
            let remaining = range.end - block.start;
            range.start = block.end;
            // The kernel sums of a block are computed for one gamma.
            if self.input.has_final_gamma() && self.input.uses_blocks(&self.expansion, batch.rows, remaining)
            {
                self.learn_block::<PLAIN>(&batch, block);
            } else {
                for row in batch.rows_to_learn(block) {
                    let source = RowSource::Single(batch.rows.row(row, &mut raw));
                    self.learn_example::<PLAIN>(source, batch.example(row, &self.progress));
                }
            }
        }
    }

    /// Learns rows of one block of the stream with their kernel sums computed together.
    fn learn_block<const PLAIN: bool>(&mut self, batch: &CheckedBatch<'_, '_, T>, block: Range<usize>) {
        let mut row_block = std::mem::take(&mut self.buffers.row_block);
        let Self { input, expansion, monitors, progress, buffers, .. } = self;
        let mut first = batch.example(block.start, progress);
        first.effective_n_before = monitors.effective_n_before(first.t);
        let rows = (batch.rows, batch.rows_to_learn(block));
        input.fill_block(&first, expansion, rows, &mut row_block, &mut buffers.input);
        for i in 0..row_block.len() {
            let Self { input, expansion, budget, buffers, .. } = self;
            input.ensure_precomputed((&mut row_block, i), expansion, budget, &mut buffers.input);
            let example = batch.example(row_block.row(i), &self.progress);
            self.learn_example::<PLAIN>(RowSource::FromBlock(&row_block, i), example);
        }
        self.buffers.row_block = row_block;
    }
}
