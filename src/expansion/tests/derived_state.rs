//! Every kind of derived state at once follows every edit: each is compared with its value computed from scratch.

use super::{Keep, Observed, RBF, Slot, insert, margin, testing};
use crate::batch::Label;
use crate::batch::Row;
use crate::expansion::{Edit, MergedPair};
use crate::kernel::{AnyKernel, Rbf};
use crate::ops::level;
use crate::rng::Rng;

const OUTPUTS: usize = 3;

/// The coefficients of all models so far by slot, the scale included; a removed slot is removed from all models.
type Models = Vec<Model>;
type Model = Vec<(Slot, Vec<f64>)>;

fn rows(expansion: &Observed<f64>) -> Vec<(Slot, Vec<f64>)> {
    let row =
        |slot| (0..OUTPUTS).map(|c| expansion.factor() * expansion.coefficients().get(slot, c)).collect();
    expansion.order().iter().map(|slot| (slot, row(slot))).collect()
}

/// `to += share from` in every model.
fn spread(models: &mut Models, from: Slot, to: Slot, share: f64) {
    for expansion in models {
        let row = |slot| expansion.iter().position(|(s, _)| *s == slot);
        if let Some(from) = row(from) {
            let from = expansion[from].1.clone();
            match row(to) {
                Some(to) => expansion[to].1.iter_mut().zip(&from).for_each(|(a, b)| *a += share * b),
                None => expansion.push((to, from.iter().map(|b| share * b).collect())),
            }
        }
    }
}

fn forget(models: &mut Models, slot: Slot) {
    for expansion in models {
        expansion.retain(|(s, _)| *s != slot);
    }
}

/// `models` are the models since the start of each mean.
fn check(expansion: &mut Observed<f64>, models: [&[Model]; 2], what: &str) {
    expansion.check_invariants(RBF);
    let (norm2, size) = expansion.norm2_f64(RBF);
    assert!(
        (expansion.norm2() - norm2).abs() <= 1e-12 * (1.0 + size),
        "{what}: {} is not {norm2}",
        expansion.norm2()
    );
    let margins: Vec<f64> = expansion.order().iter().map(|slot| margin(expansion, RBF, slot)).collect();
    let most = margins.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if let Some((_, found)) = expansion.largest_margin(None) {
        assert!((found - most).abs() <= 1e-10 * (1.0 + size.sqrt()), "{what}: margin {found}, not {most}");
    }
    for (number, models) in models.into_iter().enumerate() {
        let mean = expansion.mean(number);
        for slot in expansion.order().iter() {
            for c in 0..OUTPUTS {
                let of = |model: &Model| model.iter().find(|m| m.0 == slot).map_or(0.0, |m| m.1[c]);
                let exact = models.iter().map(of).sum::<f64>() / models.len() as f64;
                let found = mean.get(slot, c) * expansion.factor();
                assert!(
                    (found - exact).abs() <= 1e-10 * (1.0 + size.sqrt()),
                    "{what}, {slot:?}: mean {number} is {found}, not {exact}"
                );
            }
        }
    }
}

#[test]
fn all_derived_state_follows_all_edits() {
    let keep = Keep { norm2: true, gram: false, neighbours: 2, margins: true };
    let mut expansion: Observed<f64> = Observed::new(None, 2, OUTPUTS, keep);
    expansion.keep_linear();
    expansion.keep_means(2);
    let (mut rng, mut models, mut made, mut starts) = (Rng::new(11), Models::new(), [0; 10], [0; 2]);
    for round in 0..600 {
        models.push(rows(&expansion));
        if round % 90 == 89 {
            // The second mean becomes the first, and a new one starts.
            expansion.advance_means();
            starts = [starts[1], models.len() - 1];
        }
        expansion.accumulate_means(&starts.map(|start| 1.0 / (models.len() - start) as f64));
        let two = |rng: &mut Rng, expansion: &Observed<f64>| {
            let from = rng.index(expansion.len());
            let to = (from + 1 + rng.index(expansion.len() - 1)) % expansion.len();
            (expansion.nth_oldest(from), expansion.nth_oldest(to))
        };
        let kind = if expansion.len() < 4 { 0 } else { rng.index(10) };
        made[kind] += 1;
        match kind {
            1 if expansion.len() > 6 => {
                let (gone, _) = two(&mut rng, &expansion);
                expansion.remove(RBF, gone);
                forget(&mut models, gone);
            }
            2 => {
                let (from, to) = two(&mut rng, &expansion);
                let share = rng.uniform() - 0.5;
                expansion.edit(RBF, Edit::Give { from, to, share });
                spread(&mut models, from, to, share);
            }
            3 => {
                let (slot, _) = two(&mut rng, &expansion);
                expansion.edit(RBF, Edit::Redirect { slot, new_tau: 0.1 + rng.uniform() });
            }
            4 => {
                let (a, b) = two(&mut rng, &expansion);
                let row: Vec<f64> = (0..OUTPUTS).map(|_| rng.normal()).collect();
                let (receivers, d) = (&[a, b], &[0.3, -0.2]);
                expansion.edit(RBF, Edit::Absorb { receivers, d, share: 0.5, alpha: &row });
            }
            5 => expansion.multiply_coefficients(RBF, 0.8 + 0.3 * rng.uniform()),
            6 => {
                let (slot, _) = two(&mut rng, &expansion);
                let own = expansion.coefficients().weights().get(slot.index());
                let inner_product = expansion.inner_product(RBF, slot) - own;
                expansion.edit(RBF, Edit::MultiplyOthers { slot, factor: 0.9, inner_product });
            }
            7 => {
                let (p, receiver) = two(&mut rng, &expansion);
                let shares = [0.4];
                // The squared change is |alpha_p|^2 |phi_p - 0.4 phi_on|^2.
                let mut x = [[0.0; 2]; 2];
                expansion.read(p, &mut x[0]);
                expansion.read(receiver, &mut x[1]);
                let k = (-0.5 * ((x[0][0] - x[1][0]).powi(2) + (x[0][1] - x[1][1]).powi(2))).exp();
                expansion.project_on(RBF, p, &[receiver], &shares, 1.0 + 0.16 - 0.8 * k);
                spread(&mut models, p, receiver, 0.4);
                forget(&mut models, p);
            }
            8 => {
                let pair = two(&mut rng, &expansion);
                merge(&mut expansion, &mut models, pair);
            }
            9 => expansion.set_scale(0.1 + rng.uniform()),
            _ => {
                let x = [rng.normal(), rng.normal()];
                let row: Vec<f64> = (0..OUTPUTS).map(|_| rng.normal()).collect();
                let label = Label::of_class(rng.index(OUTPUTS), OUTPUTS);
                testing::insert_labelled(level(), &mut expansion, RBF, Row::Dense(&x), &row, label);
            }
        }
        check(&mut expansion, starts.map(|start| &models[start..]), &format!("round {round}, edit {kind}"));
    }
    assert!(made.iter().all(|count| *count > 20), "{made:?}");
    // The shared helper commits its insertions.
    insert(&mut expansion, RBF, Row::Dense(&[0.0, 0.0]), &[1.0, 0.0, -1.0]);
}

fn merge(expansion: &mut Observed<f64>, models: &mut Models, (m, n): (Slot, Slot)) {
    let AnyKernel::Rbf(rbf) = RBF else { unreachable!() };
    let Rbf { gamma } = rbf;
    let (mut x_m, mut x_n) = ([0.0; 2], [0.0; 2]);
    expansion.read(m, &mut x_m);
    expansion.read(n, &mut x_n);
    let h = 0.3;
    let l = gamma * ((x_m[0] - x_n[0]).powi(2) + (x_m[1] - x_n[1]).powi(2));
    let (u, v, k) = ((-l * 0.49).exp(), (-l * 0.09).exp(), (-l).exp());
    let degradation = (0..OUTPUTS).map(|c| {
        let (a, b) = (expansion.coefficients().get(m, c), expansion.coefficients().get(n, c));
        let z = u * a + v * b;
        z * z + a * a + b * b + 2.0 * k * a * b - 2.0 * u * z * a - 2.0 * v * z * b
    });
    let degradation = degradation.sum();
    expansion.merge(AnyKernel::Rbf(rbf), MergedPair { m, x_m: &x_m, n, h, u, v, degradation });
    for expansion in models.iter_mut() {
        expansion
            .iter_mut()
            .filter(|(slot, _)| *slot == n)
            .for_each(|(_, row)| row.iter_mut().for_each(|a| *a *= v));
    }
    spread(models, m, n, u);
    forget(models, m);
}
