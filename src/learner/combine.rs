//! The weighted mean of models, as a model: a union of their support vectors, or its projection on a few of them.

use super::{Learner, Scratch};
use crate::error::Result;
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::label::{Label, Task};
use crate::linalg::{SparseProjection, TargetFunction, orthogonal_least_squares};
use crate::ops::SimdBuffer;
use crate::params::CheckedSpec;
use crate::row::Row;
use crate::store::{Keep, KernelExpansion, NewVector, Slot};
use std::collections::HashMap;

/// A model that is combined with others of the same kernel, scaling and metric, and of as many features and outputs.
#[derive(Debug)]
pub(crate) struct Part<'a, T: Real> {
    pub(crate) learner: &'a Learner<T>,
    /// What it weighs; the shares of all sum to 1.
    pub(crate) share: f64,
    /// The class of the combination that each of its classes is.
    pub(crate) classes: Vec<usize>,
}

impl<T: Real> Part<'_, T> {
    /// Adds its share of its outputs to those of the combination: the one output of two classes may change its sign.
    fn add(&self, own: impl Fn(usize) -> f64, outputs: &mut [f64]) {
        if let [output] = outputs {
            let swapped = self.classes.first().is_some_and(|first| *first == 1);
            *output += self.share * if swapped { -own(0) } else { own(0) };
        } else {
            for (class, &place) in self.classes.iter().enumerate() {
                outputs[place] += self.share * own(class);
            }
        }
    }

    /// The class that a label is in the combination.
    fn label(&self, label: Label, task: Task) -> Label {
        match (label.class(), task) {
            (Some(class), Task::Classes(classes)) => Label::of_class(self.classes[class], classes),
            _ => label,
        }
    }
}

/// The support vectors of all models, those that are equal once, in order; what they say of the function is exact.
struct Union<T: Real> {
    outputs: usize,
    vectors: Vec<Vec<T>>,
    labels: Vec<Label>,
    /// `outputs` to the vector.
    coefficients: Vec<f64>,
    /// The linear part: a row of features and the constant to the output.
    linear: Option<Vec<Vec<f64>>>,
}

impl<T: Real> Union<T> {
    fn of(parts: &[Part<'_, T>], task: Task) -> Self {
        let (outputs, features) = (task.outputs(), parts[0].learner.n_features());
        let mut union =
            Self { outputs, vectors: Vec::new(), labels: Vec::new(), coefficients: Vec::new(), linear: None };
        let mut places = HashMap::new();
        for part in parts {
            let served = part.learner.served();
            let (store, scale) = (served.store, served.store.scale());
            for slot in store.order().iter() {
                let mut x = vec![T::ZERO; features];
                store.read(slot, &mut x);
                let bits: Vec<u64> = x.iter().map(|x| x.to_f64().to_bits()).collect();
                let place = *places.entry(bits).or_insert_with(|| {
                    union.vectors.push(x);
                    union.labels.push(part.label(store.label(slot), task));
                    union.coefficients.resize(union.vectors.len() * outputs, 0.0);
                    union.vectors.len() - 1
                });
                let row = &mut union.coefficients[place * outputs..(place + 1) * outputs];
                part.add(|output| served.expansion.get(slot, output).to_f64() * scale, row);
            }
            if let Some(linear) = served.expansion.linear() {
                let all = union.linear.get_or_insert_with(|| vec![vec![0.0; outputs]; features + 1]);
                for (j, outputs) in all.iter_mut().enumerate() {
                    let number = |output| {
                        if j == features { linear.constant(output) } else { linear.get(output, j) }
                    };
                    part.add(|output| number(output).to_f64() * scale, outputs);
                }
            }
        }
        union
    }

    /// The vectors alone, as a store that computes their kernel rows.
    fn store(&self, kernel: AnyKernel, features: usize) -> KernelExpansion<T> {
        let mut store =
            KernelExpansion::new(Some(self.vectors.len() + 1), features, self.outputs, Keep::default());
        let (row, f, k) = (vec![T::ZERO; self.outputs], vec![T::ZERO; self.outputs], SimdBuffer::default());
        for (x, &label) in self.vectors.iter().zip(&self.labels) {
            let x = Row::Dense(x);
            store.insert(kernel, NewVector { x, norm: kernel.row_stat(x), label, row: &row, f: &f, k: &k });
        }
        store
    }

    /// Its projection on at most so many of its vectors, and what that loses of it.
    fn reduce(&mut self, kernel: AnyKernel, most: usize) -> f64 {
        if self.vectors.len() <= most {
            return 0.0;
        }
        let features = self.vectors[0].len();
        let store = self.store(kernel, features);
        let (mut x, mut k) = (vec![0.0; features], Vec::new());
        // Slots are taken in order.
        let row = |i: usize, out: &mut [f64]| {
            store.kernel_row_f64(kernel, Slot(i as u32), &mut x, &mut k);
            out.copy_from_slice(&k[..out.len()]);
        };
        let f = TargetFunction { outputs: self.outputs, coefficients: &self.coefficients };
        let SparseProjection { members, coefficients, relative_error } =
            orthogonal_least_squares(f, most, T::SPAN_RTOL, row);
        let mut chosen: Vec<_> = members.into_iter().zip(coefficients.chunks_exact(self.outputs)).collect();
        chosen.sort_unstable_by_key(|(member, _)| *member);
        self.vectors = chosen.iter().map(|&(i, _)| std::mem::take(&mut self.vectors[i])).collect();
        self.labels = chosen.iter().map(|&(i, _)| self.labels[i]).collect();
        self.coefficients = chosen.iter().flat_map(|(_, row)| *row).copied().collect();
        relative_error
    }

    /// Writes it into an empty store, the oldest first.
    fn write(&self, kernel: AnyKernel, store: &mut KernelExpansion<T>) {
        let (mut k, mut f) = (SimdBuffer::zeros(store.vectors()), vec![T::ZERO; self.outputs]);
        let vectors = self.vectors.iter().zip(&self.labels);
        for ((x, &label), row) in vectors.zip(self.coefficients.chunks_exact(self.outputs)) {
            let (x, row): (_, Vec<T>) = (Row::Dense(x), row.iter().map(|a| T::from_f64(*a)).collect());
            store.scores(kernel, (x, kernel.query_stat(x)), &mut k, &mut f);
            let new = NewVector { x, norm: kernel.row_stat(x), label, row: &row, f: &f, k: &k };
            store.insert(kernel, new);
            store.commit_insert(kernel);
            k.grow(store.vectors());
        }
        for (j, numbers) in self.linear.iter().flatten().enumerate() {
            let row: Vec<T> = numbers.iter().map(|number| T::from_f64(*number)).collect();
            if j == store.features() {
                store.step_linear(kernel, &row, (1.0, 1.0, Row::Sparse(&[], &[])));
            } else {
                store.step_linear(kernel, &row, (1.0, 0.0, Row::Sparse(&[j as u32], &[T::ONE])));
            }
        }
        store.refresh(kernel);
        store.restart_means();
    }
}

impl<T: Real> Learner<T> {
    /// The mean of what models predict with, by their shares, with at most `most` support vectors; and the share of its
    /// length that this loses, `|f - f_B| / |f|`, of the part of the kernel. Averages start from it. All else goes on
    /// as in the part `main`, whose classes are those of the combination: counters, steps, the generator; probabilities
    /// are calibrated by the mean of all calibrations.
    ///
    /// `spec` tells the parameters from the number of support vectors that there are.
    pub(crate) fn combined(
        parts: &[Part<'_, T>],
        main: usize,
        most: usize,
        spec: impl FnOnce(usize) -> Result<CheckedSpec>,
    ) -> Result<(Self, f64)> {
        let main = parts[main].learner;
        let (kernel, task) = (main.kernel, main.task);
        let mut union = Union::of(parts, task);
        let lost = union.reduce(kernel, most);
        let spec = spec(union.vectors.len())?;
        let mut learner: Self = spec.build(main.n_columns(), task)?;
        learner.kernel = kernel;
        learner.gamma = main.gamma.clone();
        learner.hashing.clone_from(&main.hashing);
        learner.scaling.clone_from(&main.scaling);
        learner.metric.clone_from(&main.metric);
        learner.frozen = main.frozen;
        learner.inclination.clone_from(&main.inclination);
        learner.update = main.update.clone();
        learner.balance.clone_from(&main.balance);
        learner.serving.clone_from(&main.serving);
        learner.counts = main.counts;
        learner.rng = main.rng.clone();
        learner.n_seen_classes = main.n_seen_classes;
        union.write(kernel, &mut learner.store);
        if let Some(averaging) = &mut learner.averaging {
            averaging.start_from(learner.counts.n_seen, &learner.store);
        }
        if let Some(serving) = &mut learner.serving {
            let others = parts.iter().filter_map(|part| Some((part.learner.serving.as_ref()?, part.share)));
            serving.calibrate(others);
        }
        learner.scratch = Scratch::of(&learner.store);
        Ok((learner, lost))
    }
}
