//! Outputs that a model gains with new classes, and their values.

use crate::batch::Task;
use crate::float::Real;

/// The numbers of outputs before and after new classes. The single output f of two classes becomes `-f/2` and `f/2`,
/// which keeps decisions and margins. The outputs of new classes are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AddedOutputs {
    n_before: usize,
    n_after: usize,
}

impl AddedOutputs {
    /// From the classes of a task to the more classes of another task.
    pub(crate) fn new(from: Task, to: Task) -> Self {
        debug_assert!(from.outputs() < to.outputs(), "{from:?} and {to:?}");
        Self { n_before: from.outputs(), n_after: to.outputs() }
    }

    /// The number of outputs before.
    pub(crate) fn n_before(self) -> usize {
        self.n_before
    }

    /// The number of outputs after.
    pub(crate) fn n_after(self) -> usize {
        self.n_after
    }

    /// The value of an output after, of any quantity that is linear in the outputs and has the values `old` before.
    #[inline(always)]
    pub(crate) fn output<T: Real>(self, output: usize, old: impl Fn(usize) -> T) -> T {
        let half = T::from_f64(0.5);
        match (self.n_before, output) {
            // A subtraction, because the negative of zero would not have the bits of a free lane's zero.
            (1, 0) => T::ZERO - half * old(0),
            (1, 1) => half * old(0),
            (n_before, output) if output < n_before => old(output),
            _ => T::ZERO,
        }
    }

    /// The factor by which the sum of the squared norms of all outputs changes.
    pub(crate) fn squared_norm_factor(self) -> f64 {
        if self.n_before == 1 { 0.5 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs_after(from: usize, to: usize, old: &[f32]) -> Vec<f32> {
        let added = AddedOutputs::new(from.into(), to.into());
        (0..added.n_after()).map(|output| added.output(output, |output| old[output])).collect()
    }

    #[test]
    fn outputs_by_hand() {
        assert_eq!(outputs_after(2, 3, &[3.0]), [-1.5, 1.5, 0.0]);
        assert_eq!(outputs_after(2, 4, &[-1.0]), [0.5, -0.5, 0.0, 0.0]);
        assert_eq!(outputs_after(3, 4, &[1.0, -2.0, 1.0]), [1.0, -2.0, 1.0, 0.0]);
        assert!(outputs_after(2, 3, &[0.0]).iter().all(|a| a.to_bits() == 0));
    }
}
