//! Classes that are added to a model: what becomes of its outputs.

use crate::batch::Task;
use crate::float::Real;

/// From some classes to more. The one output f of two classes becomes `-f/2` and `f/2`: the same decisions, and the
/// same margin between the two. The outputs of new classes are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutputExpansion {
    before: usize,
    after: usize,
}

impl OutputExpansion {
    /// From the classes of a task to those of another one, which has more.
    pub(crate) fn new(from: Task, to: Task) -> Self {
        debug_assert!(from.outputs() < to.outputs(), "{from:?} and {to:?}");
        Self { before: from.outputs(), after: to.outputs() }
    }

    /// Outputs before.
    pub(crate) fn before(self) -> usize {
        self.before
    }

    /// Outputs after.
    pub(crate) fn after(self) -> usize {
        self.after
    }

    /// An output after, of anything that is linear in the outputs `old` before.
    #[inline(always)]
    pub(crate) fn output<T: Real>(self, output: usize, old: impl Fn(usize) -> T) -> T {
        let half = T::from_f64(0.5);
        match (self.before, output) {
            // Not the negative: zero stays the zero of the lanes that are free.
            (1, 0) => T::ZERO - half * old(0),
            (1, 1) => half * old(0),
            (before, output) if output < before => old(output),
            _ => T::ZERO,
        }
    }

    /// What the squared length of all outputs together is multiplied with.
    pub(crate) fn squares(self) -> f64 {
        if self.before == 1 { 0.5 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(from: usize, to: usize, old: &[f32]) -> Vec<f32> {
        let growth = OutputExpansion::new(from.into(), to.into());
        (0..growth.after()).map(|output| growth.output(output, |before| old[before])).collect()
    }

    #[test]
    fn outputs_by_hand() {
        assert_eq!(grown(2, 3, &[3.0]), [-1.5, 1.5, 0.0]);
        assert_eq!(grown(2, 4, &[-1.0]), [0.5, -0.5, 0.0, 0.0]);
        assert_eq!(grown(3, 4, &[1.0, -2.0, 1.0]), [1.0, -2.0, 1.0, 0.0]);
        assert!(grown(2, 3, &[0.0]).iter().all(|a| a.to_bits() == 0));
    }
}
