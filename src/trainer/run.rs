//! The loop over the rows of a batch.

use super::step::Step;
use super::{Learner, Rows, Targets};
use crate::batch::Task;
use crate::float::Real;
use crate::input::{Arrival, Identity, RowSource};
use crate::monitor::{Monitor, Progressive};
use crate::ops::is_grid_row;
use std::ops::Range;

/// A batch that [`Learner::validate`] has passed.
#[derive(Clone, Copy)]
struct CheckedBatch<'a, 'r, T: Real> {
    rows: &'a Rows<'r, T>,
    targets: Targets<'a>,
    weights: Option<&'a [f64]>,
    task: Task,
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
        if self.input.is_identity() && self.monitoring.is_plain() {
            self.learn_rows::<true>(batch, range);
        } else {
            self.learn_rows::<false>(batch, range);
        }
    }

    /// Learns rows without preprocessing and monitoring (`PLAIN`) or with them, block by block: a support set that
    /// outgrows the first cache is read once per block.
    fn learn_rows<const PLAIN: bool>(&mut self, batch: CheckedBatch<'_, '_, T>, mut range: Range<usize>) {
        let mut raw = Vec::new();
        while !range.is_empty() {
            // The kernel sums of a block are computed for one gamma.
            let uses_blocks =
                self.input.has_final_gamma() && self.input.uses_blocks(&self.model, batch.rows, range.len());
            range.start = if uses_blocks {
                self.learn_block::<PLAIN>(batch, range.clone())
            } else {
                self.learn_singles::<PLAIN>(batch, range.clone(), &mut raw)
            };
        }
    }

    /// Learns rows one by one up to the next grid row. Returns the row after the last one.
    fn learn_singles<const PLAIN: bool>(
        &mut self,
        batch: CheckedBatch<'_, '_, T>,
        range: Range<usize>,
        raw: &mut Vec<T>,
    ) -> usize {
        for row in range.clone() {
            let learned = batch.weights.is_none_or(|weights| weights[row] > 0.0);
            if learned {
                let source = RowSource::Single(batch.rows.row(row, raw));
                self.learn_row::<PLAIN>(&batch, row, source);
                if is_grid_row(self.progress.next()) {
                    return row + 1;
                }
            }
        }
        range.end
    }

    /// Learns rows as one block, up to the next grid row. Returns the row after the last one.
    fn learn_block<const PLAIN: bool>(
        &mut self,
        batch: CheckedBatch<'_, '_, T>,
        range: Range<usize>,
    ) -> usize {
        let mut row_block = std::mem::take(&mut self.work.row_block);
        let Self { input, model, monitoring, progress, work, .. } = self;
        let t = progress.next();
        let effective_n_before = monitoring.effective_n_before(t);
        let first = Arrival { t, effective_n_before, repeated: progress.repeats };
        let rows = (batch.rows, batch.weights);
        let next =
            input.fill_block(first, model, rows, (range.start, range.end), &mut row_block, &mut work.input);
        for i in 0..row_block.len() {
            let Self { input, model, budget, progress, work, .. } = self;
            input.ensure_precomputed(progress.next(), (&mut row_block, i), model, budget, &mut work.input);
            self.learn_row::<PLAIN>(&batch, row_block.row(i), RowSource::FromBlock(&row_block, i));
        }
        self.work.row_block = row_block;
        next
    }

    #[inline(always)]
    fn learn_row<const PLAIN: bool>(
        &mut self,
        batch: &CheckedBatch<'_, '_, T>,
        row: usize,
        source: RowSource<'_, T>,
    ) {
        let (label, weight) = (batch.targets.label(row, batch.task), batch.weights.map_or(1.0, |w| w[row]));
        let Self { input, model, rule, budget, monitoring, progress, work, .. } = self;
        let mut step = Step { model, rule, budget, progress, work };
        if PLAIN {
            step.learn(&mut Identity, &mut Progressive, source, label, weight);
        } else {
            step.learn(input, monitoring, source, label, weight);
        }
    }
}
