//! How the linear part of a model learns.

use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Task;
use crate::params::{CheckedSpec, Rule};
use crate::persist::Tensors;
use crate::row::Row;

/// Features up to which second-order steps have a whole matrix.
const MOST: usize = 64;

/// What a row adds to the certainty of second-order steps: the more, the slower these shrink.
const SLOW: f64 = 30.0;

/// The length of a row for the linear part, `|x|^2` in its kernel, and the direction in which a step moves it.
#[derive(Debug, Clone)]
pub(crate) enum Inclination<T: Real> {
    /// Along `(x, 1)`, weighed by `linear / (d + 1)`.
    First { linear: f64, unit: f64 },
    /// Along `S (x, 1)`; S starts as `linear I` and shrinks by what is seen (Crammer, Kulesza and Dredze 2009, AROW).
    Second { linear: f64, matrix: Vec<f64>, is_full: bool, moved: Vec<f64>, direction: Vec<T>, length: f64 },
}

impl<T: Real> Inclination<T> {
    /// That of a specification with a linear part: of second order where numbers are predicted without tuning.
    pub(super) fn new(spec: &CheckedSpec, features: usize, task: Task) -> Option<Self> {
        let linear = spec.spec().linear?;
        if spec.spec().rule() != Rule::OnlineKernel || task != Task::Regression {
            return Some(Self::First { linear, unit: linear / (features as f64 + 1.0) });
        }
        let (is_full, moved, direction) =
            (features <= MOST, vec![0.0; features + 1], vec![T::ZERO; features]);
        let mut new = Self::Second { linear, matrix: Vec::new(), is_full, moved, direction, length: 0.0 };
        new.restart();
        Some(new)
    }

    /// S as it was at first.
    pub(super) fn restart(&mut self) {
        let Self::Second { linear, matrix, is_full, moved, .. } = self else { return };
        let d = moved.len();
        *matrix = vec![if *is_full { 0.0 } else { *linear }; if *is_full { d * d } else { d }];
        if *is_full {
            matrix.iter_mut().step_by(d + 1).for_each(|s| *s = *linear);
        }
    }

    /// The length of a row; what a step along it needs is kept.
    #[inline(always)]
    pub(super) fn length(&mut self, x: Row<'_, T>) -> f64 {
        match self {
            Self::First { unit, .. } => *unit * (x.length().to_f64() + 1.0),
            Self::Second { matrix, is_full, moved, direction, length, .. } => {
                x.scatter(direction);
                let d = moved.len();
                let own = |j: usize| if j + 1 == d { 1.0 } else { direction[j].to_f64() };
                for (i, moved) in moved.iter_mut().enumerate() {
                    *moved = if *is_full {
                        let row = &matrix[i * d..][..d];
                        row.iter().enumerate().map(|(j, s)| s * own(j)).sum()
                    } else {
                        matrix[i] * own(i)
                    };
                }
                *length = moved.iter().enumerate().map(|(j, moved)| moved * own(j)).sum::<f64>().max(0.0);
                *length
            }
        }
    }

    /// What `(x, 1)` and `1` of a step are multiplied with, and the direction in place of x where it has another.
    #[inline(always)]
    pub(super) fn step<'a>(&'a mut self, x: Row<'a, T>) -> (f64, f64, Row<'a, T>) {
        match self {
            Self::First { unit, .. } => (*unit, *unit, x),
            Self::Second { matrix, is_full, moved, direction, length, .. } => {
                let (d, shrink) = (moved.len(), 1.0 / (SLOW + *length));
                if *is_full {
                    for (row, a) in matrix.chunks_exact_mut(d).zip(&*moved) {
                        row.iter_mut().zip(&*moved).for_each(|(s, b)| *s -= a * b * shrink);
                    }
                } else {
                    matrix.iter_mut().zip(&*moved).for_each(|(s, a)| *s -= a * a * shrink);
                }
                direction.iter_mut().zip(&*moved).for_each(|(to, moved)| *to = T::from_f64(*moved));
                (1.0, moved[d - 1], Row::Dense(direction))
            }
        }
    }

    /// The largest number that a row's squared length is multiplied with.
    pub(super) fn most(&self) -> f64 {
        match self {
            Self::First { unit, .. } => *unit,
            Self::Second { linear, .. } => *linear,
        }
    }

    /// Appends features: whatever of second order was learned of the others stays.
    pub(super) fn widen(&mut self, features: usize, before: usize) {
        match self {
            Self::First { linear, unit } => *unit = *linear / (features as f64 + 1.0),
            Self::Second { linear, matrix, is_full, moved, direction, .. } => {
                let (old, new) = (before + 1, features + 1);
                let place = |i: usize| if i + 1 == old { new - 1 } else { i };
                let all = if *is_full { new * new } else { new };
                let mut wider = vec![if *is_full { 0.0 } else { *linear }; all];
                if *is_full {
                    wider.iter_mut().step_by(new + 1).for_each(|s| *s = *linear);
                }
                for i in 0..old {
                    if *is_full {
                        (0..old).for_each(|j| wider[place(i) * new + place(j)] = matrix[i * old + j]);
                    } else {
                        wider[place(i)] = matrix[i];
                    }
                }
                *matrix = wider;
                moved.resize(new, 0.0);
                direction.resize(features, T::ZERO);
            }
        }
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        if let Self::Second { matrix, .. } = self {
            out.put("matrix", &[matrix.len()], matrix.iter().copied());
        }
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        let Self::Second { matrix, is_full, moved, linear, .. } = self else { return Ok(()) };
        let [length]: [usize; 1] = from.shape("matrix")?;
        let d = moved.len();
        // It may have been whole before features were added, or not.
        *is_full = length == d * d && d > 1 || d == 1;
        if length != if *is_full { d * d } else { d } {
            return Err(Error::Model("the certainty of the linear part has another size".into()));
        }
        *matrix = from.get("matrix", &[length])?;
        let step = if *is_full { d + 1 } else { 1 };
        let mut diagonal = matrix.iter().step_by(step);
        let most = *linear * (1.0 + 1e-9);
        let legal = diagonal.all(|s| (0.0..=most).contains(s)) && matrix.iter().all(|s| s.abs() <= most);
        if legal {
            Ok(())
        } else {
            Err(Error::Model("the certainty of the linear part must be that of a run".into()))
        }
    }
}
