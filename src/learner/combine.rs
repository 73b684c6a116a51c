//! Combination of models: the weighted mean of their functions on the union of their support vectors, or its sparse
//! projection.

use super::{LearnBuffers, Learner};
use crate::batch::Row;
use crate::batch::{Label, Task};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, LinearInput, NewSupportVector, Shape, Slot};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::linalg::{SparseProjection, TargetFunction, orthogonal_least_squares};
use crate::maintenance::Budget;
use crate::ops::SimdBuffer;
use crate::params::CheckedSpec;
use std::collections::HashMap;

/// A model to be combined. All parts have equal kernels, scalers, metrics, and numbers of features and outputs.
#[derive(Debug)]
pub(crate) struct Part<'a, T: Real> {
    pub(crate) learner: &'a Learner<T>,
    /// The weight of the model; the shares of all parts sum to 1.
    pub(crate) share: f64,
    /// For each class of the model, its class in the combination.
    pub(crate) classes: Vec<usize>,
}

impl<T: Real> Part<'_, T> {
    /// Whether the model has the two classes of the combination in the other order.
    fn swaps_classes(&self) -> bool {
        matches!(self.classes[..], [1, 0])
    }

    /// Adds the model's outputs, times its share, to the outputs of the combination. The single output of two classes
    /// changes its sign if the classes are swapped.
    fn add(&self, model_output: impl Fn(usize) -> f64, outputs: &mut [f64]) {
        if let [output] = outputs {
            *output += self.share * if self.swaps_classes() { -model_output(0) } else { model_output(0) };
        } else {
            for (class, &output) in self.classes.iter().enumerate() {
                outputs[output] += self.share * model_output(class);
            }
        }
    }

    /// The label in the combination for a label of the model.
    fn label(&self, label: Label, task: Task) -> Label {
        match (label.class(), task) {
            (Some(class), Task::Classes(classes)) => Label::of_class(self.classes[class], classes),
            _ => label,
        }
    }
}

/// The union of the support vectors of all models, without duplicates, in order. It represents the mean exactly.
struct Union<T: Real> {
    outputs: usize,
    vectors: Vec<Vec<T>>,
    labels: Vec<Label>,
    /// For each support vector of the parts, in order, its vector of the union.
    sources: Vec<usize>,
    /// `outputs` coefficients per vector.
    coefficients: Vec<f64>,
    /// For each vector, the sums of share and of share times expected error over the parts that have it.
    errors: Vec<[f64; 2]>,
    /// The linear term: for each feature, then for the excess of each feature, if there is any, and then for the
    /// constant, one entry per output.
    linear: Option<Vec<Vec<f64>>>,
}

impl<T: Real> Union<T> {
    fn of(parts: &[Part<'_, T>], task: Task) -> Self {
        let (outputs, features) = (task.outputs(), parts[0].learner.n_features());
        let mut union = Self {
            outputs,
            vectors: Vec::new(),
            labels: Vec::new(),
            sources: Vec::new(),
            coefficients: Vec::new(),
            errors: Vec::new(),
            linear: None,
        };
        let mut indices = HashMap::new();
        for part in parts {
            let predictor = part.learner.learned();
            let (expansion, factor) = (predictor.expansion, predictor.expansion.factor());
            for slot in expansion.order().iter() {
                let mut x = vec![T::ZERO; features];
                expansion.read(slot, &mut x);
                let bits: Vec<u64> = x.iter().map(|x| x.to_f64().to_bits()).collect();
                let index = *indices.entry(bits).or_insert_with(|| {
                    union.vectors.push(x);
                    union.labels.push(part.label(expansion.label(slot), task));
                    union.coefficients.resize(union.vectors.len() * outputs, 0.0);
                    union.errors.push([0.0; 2]);
                    union.vectors.len() - 1
                });
                union.sources.push(index);
                let [shares, sum] = &mut union.errors[index];
                // A part of weight 0 has coefficients of 0, but its vectors are near some rows.
                let share = part.share.max(f64::MIN_POSITIVE);
                *shares += share;
                *sum += share * expansion.error_near(slot).unwrap_or(0.0);
                let alpha = &mut union.coefficients[index * outputs..(index + 1) * outputs];
                part.add(|output| predictor.coefficients.get(slot, output).to_f64() * factor, alpha);
            }
            if let Some(linear) = predictor.coefficients.linear() {
                let inputs = if linear.excess().is_some() { 2 * features } else { features };
                let all = union.linear.get_or_insert_with(|| vec![vec![0.0; outputs]; inputs + 1]);
                for (j, outputs) in all.iter_mut().enumerate() {
                    let entry = |output| match linear.excess() {
                        _ if j == inputs => linear.constant(output),
                        Some(excess) if j >= features => excess.get(output, j - features),
                        _ => linear.get(output, j),
                    };
                    part.add(|output| entry(output).to_f64() * factor, outputs);
                }
            }
        }
        union
    }

    /// Adds changes to the function of a single part: one per output and input of the linear term, then one
    /// per output and support vector of the part.
    fn add(&mut self, changes: &[f64]) {
        let n_linear = self.linear.as_ref().map_or(0, Vec::len);
        let (linear, kernel) = changes.split_at(n_linear * self.outputs);
        let entries = self.linear.iter_mut().flatten().flatten();
        entries.zip(linear).for_each(|(entry, change)| *entry += change);
        for (&index, changes) in self.sources.iter().zip(kernel.chunks_exact(self.outputs)) {
            let alpha = &mut self.coefficients[index * self.outputs..];
            alpha.iter_mut().zip(changes).for_each(|(alpha, change)| *alpha += change);
        }
    }

    /// A model of the vectors with zero coefficients, for computing kernel rows.
    fn kernel_model(&self, kernel: AnyKernel, features: usize) -> KernelExpansion<T> {
        let shape = Shape { capacity: Some(self.vectors.len() + 1), features, outputs: self.outputs };
        let mut expansion = KernelExpansion::new(kernel, shape);
        let (alpha, k) = (vec![T::ZERO; self.outputs], SimdBuffer::default());
        for (x, &label) in self.vectors.iter().zip(&self.labels) {
            let x = Row::Dense(x);
            let row_stat = kernel.row_stat(x);
            expansion
                .insert(NewSupportVector { z: x, row_stat, label, alpha: &alpha, f: &alpha, k: &k }, &mut ());
        }
        expansion
    }

    /// Projects the union on at most `max_size` of its vectors. Returns the relative error.
    fn reduce(&mut self, kernel: AnyKernel, max_size: usize) -> f64 {
        if self.vectors.len() <= max_size {
            return 0.0;
        }
        let features = self.vectors[0].len();
        let expansion = self.kernel_model(kernel, features);
        let (mut x, mut k) = (vec![0.0; features], Vec::new());
        // An empty model fills its slots in order.
        let row = |i: usize, out: &mut [f64]| {
            expansion.kernel_row_f64(Slot(i as u32), &mut x, &mut k);
            out.copy_from_slice(&k[..out.len()]);
        };
        let f = TargetFunction { outputs: self.outputs, coefficients: &self.coefficients };
        let SparseProjection { members, coefficients, relative_error } =
            orthogonal_least_squares(f, max_size, T::SPAN_RTOL, row);
        let mut chosen: Vec<_> = members.into_iter().zip(coefficients.chunks_exact(self.outputs)).collect();
        chosen.sort_unstable_by_key(|(member, _)| *member);
        self.vectors = chosen.iter().map(|&(i, _)| std::mem::take(&mut self.vectors[i])).collect();
        self.labels = chosen.iter().map(|&(i, _)| self.labels[i]).collect();
        self.errors = chosen.iter().map(|&(i, _)| self.errors[i]).collect();
        self.coefficients = chosen.iter().flat_map(|(_, alpha)| *alpha).copied().collect();
        relative_error
    }

    /// Writes the union into an empty model, the oldest vector first.
    fn write(&self, expansion: &mut KernelExpansion<T>, budget: &mut Budget<T>) {
        let (mut k, mut f) = (SimdBuffer::zeros(expansion.n_simd()), vec![T::ZERO; self.outputs]);
        let (kernel, unit) = (expansion.kernel(), expansion.unit());
        let in_units = |a: &f64| T::from_f64(*a / unit);
        let vectors = self.vectors.iter().zip(&self.labels);
        for ((x, &label), alpha) in vectors.zip(self.coefficients.chunks_exact(self.outputs)) {
            let (x, alpha): (_, Vec<T>) = (Row::Dense(x), alpha.iter().map(in_units).collect());
            expansion.scores((x, kernel.query_stat(x)), &mut k, &mut f);
            let row_stat = kernel.row_stat(x);
            expansion.insert(NewSupportVector { z: x, row_stat, label, alpha: &alpha, f: &f, k: &k }, budget);
            expansion.commit_insert(budget);
            k.grow(expansion.n_simd());
        }
        for (j, entries) in self.linear.iter().flatten().enumerate() {
            let alpha: Vec<T> = entries.iter().map(in_units).collect();
            let (feature, one) = ([(j % expansion.features()) as u32], [T::ONE]);
            let unit = Row::Sparse(&feature, &one);
            let zeros = LinearInput::from(Row::Sparse(&[], &[]));
            let is_constant = self.linear.as_ref().is_some_and(|linear| j + 1 == linear.len());
            let step = match j / expansion.features() {
                _ if is_constant => (1.0, 1.0, zeros),
                0 => (1.0, 0.0, unit.into()),
                _ => (1.0, 0.0, LinearInput { excess_features: &feature, excess: &one, ..zeros }),
            };
            expansion.step_linear(&alpha, step);
        }
        expansion.refresh(budget);
        expansion.restart_means();
    }
}

impl<T: Real> Learner<T> {
    /// The mean of the parts' predictors, weighted by share, with at most `max_size` support vectors, and the
    /// relative error `|f - f_B| / |f|` of the sparse projection of the kernel expansion. The means of past
    /// models start from it, and calibrations are averaged. Counters, step sizes and the random generator
    /// continue from the part `main`, whose classes are the classes of the combination.
    ///
    /// `spec` makes the parameters from the number of support vectors.
    pub(crate) fn combined(
        parts: &[Part<'_, T>],
        main: usize,
        max_size: usize,
        spec: impl FnOnce(usize) -> Result<CheckedSpec>,
    ) -> Result<(Self, f64)> {
        let main = parts[main].learner;
        let mut union = Union::of(parts, main.progress.task);
        let relative_error = union.reduce(main.expansion.kernel(), max_size);
        let spec = spec(union.vectors.len())?;
        let mut learner = Self::of_union(&union, parts, main, &spec)?;
        learner.rule.pool(parts.iter().map(|part| (&part.learner.rule, part.share)));
        Ok((learner, relative_error))
    }

    /// The model whose function is the function of the learned model plus `sum_i changes_i basis_i`, with the
    /// basis of [`Learner::basis`] and one change per output and basis function. The means of past models
    /// restart from this function.
    ///
    /// # Errors
    /// If there is not one change per output and basis function, or one is not finite.
    pub(crate) fn plus(&self, changes: &[f64]) -> Result<Self> {
        let expected = self.n_basis() * self.n_outputs();
        if changes.len() != expected || changes.iter().any(|change| !change.is_finite()) {
            let expected = format!("{expected} finite numbers");
            return Err(Error::parameter("changes", expected, format!("{} numbers", changes.len())));
        }
        let classes = (0..self.n_classes()).collect();
        let parts = [Part { learner: self, share: 1.0, classes }];
        let mut union = Union::of(&parts, self.progress.task);
        union.add(changes);
        Self::of_union(&union, &parts, self, &self.spec)
    }

    /// A learner with the function of a union, which continues the part `main`.
    fn of_union(union: &Union<T>, parts: &[Part<'_, T>], main: &Self, spec: &CheckedSpec) -> Result<Self> {
        let mut learner: Self = spec.build(main.n_columns(), main.progress.task)?;
        learner.input = main.input.clone();
        learner.rule = main.rule.clone();
        learner.progress = main.progress.clone();
        learner.set_kernel(main.expansion.kernel());
        learner.expansion.set_linear_step(main.expansion.linear_step().cloned());
        learner.expansion.set_unit(main.expansion.unit(), &mut learner.budget);
        union.write(&mut learner.expansion, &mut learner.budget);
        let errors: Vec<f64> = union.errors.iter().map(|[shares, sum]| sum / shares).collect();
        let mean_error = parts.iter().map(|part| part.share * part.learner.expansion.mean_error()).sum();
        learner.expansion.set_errors(&errors, mean_error, &main.expansion);
        let shares = parts.iter().map(|part| (&part.learner.monitors, part.share));
        let n_seen = learner.progress.counts.n_seen;
        learner.monitors.combine(&main.monitors, shares, &learner.expansion, n_seen);
        learner.buffers = LearnBuffers::of(&learner.expansion);
        Ok(learner)
    }
}
