//! Random contents round-trip with equal bits.

use crate::element::Element;
use crate::persist::{Tensors, decode, encode};
use crate::testing::fixed_cases;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Random contents by scopes and name. Scopes are capital letters and entries start with a small letter, so names are
/// unique.
pub(super) type Contents = BTreeMap<(Vec<String>, String), Content>;

/// A random entry. Floats are bits, so that NaN compares.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Bool(bool),
    Bits(u64),
    Signed(i64),
    Real(u64),
    Text(String),
    Texts(Vec<String>),
    SignedList(Vec<i64>),
    RealList(Vec<u64>),
    Singles(Vec<u32>),
    Doubles(Vec<u64>),
    Bytes(Vec<u8>),
    Words(Vec<u32>),
    Longs(Vec<u64>),
    Integers(Vec<i64>),
}

fn content() -> impl Strategy<Value = Content> {
    fn list<T: Arbitrary>() -> impl Strategy<Value = Vec<T>> {
        prop::collection::vec(any::<T>(), 0..6)
    }
    prop_oneof![
        any::<bool>().prop_map(Content::Bool),
        any::<u64>().prop_map(Content::Bits),
        any::<i64>().prop_map(Content::Signed),
        any::<u64>().prop_map(Content::Real),
        any::<String>().prop_map(Content::Text),
        prop::collection::vec(any::<String>(), 0..4).prop_map(Content::Texts),
        list().prop_map(Content::SignedList),
        list().prop_map(Content::RealList),
        list().prop_map(Content::Singles),
        list().prop_map(Content::Doubles),
        list().prop_map(Content::Bytes),
        list().prop_map(Content::Words),
        list().prop_map(Content::Longs),
        list().prop_map(Content::Integers),
    ]
}

pub(super) fn contents() -> impl Strategy<Value = Contents> {
    let name = (prop::collection::vec("[A-C]", 0..4), "[a-z_][a-zA-Z0-9_]{0,3}");
    prop::collection::btree_map(name, content(), 0..12)
}

pub(super) fn build(contents: &Contents) -> Tensors {
    let mut tensors = Tensors::new();
    for ((scopes, name), content) in contents {
        let scope = scopes.iter().fold(&mut tensors, |scope, part| scope.scope_mut(part));
        match content.clone() {
            Content::Bool(x) => scope.set(name, x),
            Content::Bits(x) => scope.set(name, x),
            Content::Signed(x) => scope.set(name, x),
            Content::Real(x) => scope.set(name, f64::from_bits(x)),
            Content::Text(x) => scope.set(name, x),
            Content::Texts(x) => scope.set(name, x),
            Content::SignedList(x) => scope.set(name, x),
            Content::RealList(x) => scope.set(name, x.into_iter().map(f64::from_bits).collect::<Vec<_>>()),
            Content::Singles(x) => scope.put(name, &[1, x.len()], x.into_iter().map(f32::from_bits)),
            Content::Doubles(x) => scope.put(name, &[x.len(), 1], x.into_iter().map(f64::from_bits)),
            Content::Bytes(x) => scope.put(name, &[x.len()], x),
            Content::Words(x) => scope.put(name, &[x.len()], x),
            Content::Longs(x) => scope.put(name, &[x.len()], x),
            Content::Integers(x) => scope.put(name, &[x.len()], x),
        }
    }
    tensors
}

/// The numbers of a tensor, converted to bits.
fn numbers<T: Element, B>(scope: &Tensors, name: &str, shape: &[usize], bits: impl Fn(T) -> B) -> Vec<B> {
    scope.get::<T>(name, shape).unwrap().into_iter().map(bits).collect()
}

fn check(tensors: &Tensors, contents: &Contents) {
    for ((scopes, name), content) in contents {
        let scope = scopes.iter().fold(tensors, |scope, part| scope.scope(part).unwrap());
        match content {
            Content::Bool(x) => assert_eq!(scope.bool(name).unwrap(), *x),
            Content::Bits(x) => assert_eq!(scope.u64(name).unwrap(), *x),
            Content::Signed(x) => assert_eq!(scope.i64(name).unwrap(), *x),
            Content::Real(x) => assert_eq!(scope.f64(name).unwrap().to_bits(), *x),
            Content::Text(x) => assert_eq!(scope.text(name).unwrap(), x),
            Content::Texts(x) => assert_eq!(scope.texts(name).unwrap(), x),
            Content::SignedList(x) => assert_eq!(scope.i64s(name).unwrap(), x),
            Content::RealList(x) => {
                assert_eq!(scope.f64s(name).unwrap().iter().map(|x| x.to_bits()).collect::<Vec<_>>(), *x);
            }
            Content::Singles(x) => assert_eq!(numbers(scope, name, &[1, x.len()], f32::to_bits), *x),
            Content::Doubles(x) => assert_eq!(numbers(scope, name, &[x.len(), 1], f64::to_bits), *x),
            Content::Bytes(x) => assert_eq!(numbers(scope, name, &[x.len()], |x: u8| x), *x),
            Content::Words(x) => assert_eq!(numbers(scope, name, &[x.len()], |x: u32| x), *x),
            Content::Longs(x) => assert_eq!(numbers(scope, name, &[x.len()], |x: u64| x), *x),
            Content::Integers(x) => assert_eq!(numbers(scope, name, &[x.len()], |x: i64| x), *x),
        }
    }
}

proptest! {
    #![proptest_config(fixed_cases(256))]

    #[test]
    fn contents_round_trip(contents in contents()) {
        let tensors = build(&contents);
        check(&tensors, &contents);
        let bytes = encode(&tensors).unwrap();
        let back = decode(&bytes).unwrap();
        check(&back, &contents);
        prop_assert_eq!(encode(&back).unwrap(), bytes);
    }
}
