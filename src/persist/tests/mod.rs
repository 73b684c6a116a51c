//! Tensors and values are read back bit-identical, and an entry of another type or shape is an error that names it.

mod hostile;
mod random;

use super::{Tensors, decode, encode};
use crate::float::Real;
use sha2::{Digest, Sha256};

/// Position of the digest, after the length and the constant start of the header.
const DIGEST: std::ops::Range<usize> = 51..115;

/// Sets the digest of a file that was written or changed by hand.
fn sign(file: &mut [u8]) {
    file[DIGEST].fill(b'0');
    let hash: Vec<String> = Sha256::digest(&*file).iter().map(|byte| format!("{byte:02x}")).collect();
    file[DIGEST].copy_from_slice(hash.concat().as_bytes());
}

/// A file with this header, in which `DIGEST` is replaced by the digest, and these bytes of tensors.
fn craft(header: &str, data: &[u8]) -> Vec<u8> {
    let mut header = header.replace("DIGEST", &"0".repeat(64));
    header += &" ".repeat(header.len().next_multiple_of(8) - header.len());
    let mut file = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat();
    if header.starts_with(r#"{"__metadata__":{"budgetrs":"{\"digest\":\"0000"#) {
        sign(&mut file);
    }
    file
}

/// Scopes, tensors and a value of each type.
fn small() -> Tensors {
    let mut tensors = Tensors::new();
    tensors.set("text", "é\"\\\n");
    tensors.set("flag", true);
    tensors.set("labels", vec!["a".to_owned(), String::new()]);
    tensors.put("bytes", &[3], [1u8, 2, 3]);
    let expansion = tensors.scope_mut("expansion");
    expansion.set("seen", 1000usize);
    expansion.set("seed", u64::MAX);
    expansion.set("scale", 0.1);
    expansion.put("vectors", &[2, 1], [1.0f32, -2.0]);
    let inner = expansion.scope_mut("average");
    inner.set("low", i64::MIN);
    inner.set("integers", vec![1i64, -1]);
    inner.set("reals", vec![f64::INFINITY, -0.0]);
    inner.put("sum", &[], [0.5]);
    tensors.scope_mut("update");
    tensors
}

#[test]
fn the_encoding_equals_a_file_written_by_hand() {
    let header = concat!(
        r#"{"__metadata__":{"budgetrs":"{\"digest\":\"DIGEST\",\"state\":{\"expansion\":{\"average\":{"#,
        r#"\"integers\":[\"i64s\",[1,-1]],"#,
        r#"\"low\":[\"i64\",-9223372036854775808],"#,
        r#"\"reals\":[\"f64s\",[\"7ff0000000000000\",\"8000000000000000\"]]},"#,
        r#"\"scale\":[\"f64\",\"3fb999999999999a\"],\"seed\":[\"u64\",\"ffffffffffffffff\"],"#,
        r#"\"seen\":[\"u64\",\"00000000000003e8\"]},\"flag\":[\"bool\",1],"#,
        r#"\"labels\":[\"texts\",[\"a\",\"\"]],\"text\":[\"text\",\"é\\\"\\\\\\n\"],\"update\":{}},\"version\":1}"},"#,
        r#""expansion.average.sum":{"dtype":"F64","shape":[],"data_offsets":[0,8]},"#,
        r#""expansion.vectors":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]},"#,
        r#""bytes":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}}"#
    );
    let data = [0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 1, 2, 3];
    let expected = craft(header, &data);
    let got = encode(&small()).unwrap();
    assert_eq!(String::from_utf8_lossy(&got), String::from_utf8_lossy(&expected));
    assert_eq!(got, expected);
}

#[test]
fn errors_name_the_path_of_the_entry() {
    let tensors = small();
    let expansion = tensors.scope("expansion").unwrap();
    let average = expansion.scope("average").unwrap();
    let cases = [
        (
            expansion.get::<f64>("vectors", &[2, 1]).map(drop),
            "tensor expansion.vectors must have dtype F64, got F32",
        ),
        (
            expansion.get::<f32>("vectors", &[1, 2]).map(drop),
            "tensor expansion.vectors must have shape [1, 2], got [2, 1]",
        ),
        (
            expansion.get::<f32>("vectors", &[2]).map(drop),
            "tensor expansion.vectors must have shape [2], got [2, 1]",
        ),
        (
            expansion.shape::<1>("vectors").map(drop),
            "tensor expansion.vectors must have 1 dimensions, got shape [2, 1]",
        ),
        (expansion.get::<f32>("vector", &[2, 1]).map(drop), "tensor expansion.vector is missing"),
        (expansion.get::<f32>("scale", &[]).map(drop), "tensor expansion.scale is missing"),
        (expansion.u64("scale").map(drop), "value expansion.scale must be u64, got f64"),
        (expansion.f64("seen").map(drop), "value expansion.seen must be f64, got u64"),
        (expansion.u64("vectors").map(drop), "value expansion.vectors is missing"),
        (average.text("low").map(drop), "value expansion.average.low must be text, got i64"),
        (average.i64("integers").map(drop), "value expansion.average.integers must be i64, got i64s"),
        (average.i64s("reals").map(drop), "value expansion.average.reals must be i64s, got f64s"),
        (average.f64s("low").map(drop), "value expansion.average.low must be f64s, got i64"),
        (tensors.bool("text").map(drop), "value text must be bool, got text"),
        (tensors.texts("flag").map(drop), "value flag must be texts, got bool"),
        (tensors.f64("labels").map(drop), "value labels must be f64, got texts"),
        (tensors.value("nothing").map(drop), "value nothing is missing"),
        (expansion.scope("sum").map(drop), "scope expansion.sum is missing"),
        (tensors.scope("flag").map(drop), "scope flag is missing"),
    ];
    for (got, expected) in cases {
        assert_eq!(got.unwrap_err().to_string(), format!("not a valid model: {expected}"));
    }
}

#[test]
fn invalid_names_and_shapes_of_a_program_panic() {
    let mistakes: [fn(&mut Tensors); 9] = [
        |tensors| tensors.set("taken", 2u64),
        |tensors| tensors.put("taken", &[], [2.0]),
        |tensors| drop(tensors.scope_mut("taken").clone()),
        |tensors| tensors.set("", 1u64),
        |tensors| tensors.set("a.b", 1u64),
        |tensors| tensors.put("__metadata__", &[], [1.0]),
        |tensors| tensors.put("short", &[2], [1.0]),
        |tensors| tensors.put("vast", &[usize::MAX, 2], [1.0]),
        |tensors| {
            let mut scope = tensors;
            for _ in 0..17 {
                scope = scope.scope_mut("deeper");
            }
        },
    ];
    for (i, mistake) in mistakes.into_iter().enumerate() {
        let outcome = std::panic::catch_unwind(|| {
            let mut tensors = Tensors::new();
            tensors.set("taken", 1u64);
            mistake(&mut tensors);
        });
        assert!(outcome.is_err(), "mistake {i}");
    }
}

#[test]
fn encoding_a_too_long_header_is_an_error() {
    let mut tensors = Tensors::new();
    tensors.set("labels", vec!["x".repeat(1 << 20); 4]);
    let error = encode(&tensors).unwrap_err().to_string();
    assert!(error.contains("at most 4194304"), "{error}");
    let mut tensors = Tensors::new();
    tensors.set("labels", (0..100_000).map(|i| format!("label number {i:07}")).collect::<Vec<_>>());
    assert_eq!(
        decode(&encode(&tensors).unwrap()).unwrap().texts("labels").unwrap()[99_999],
        "label number 0099999"
    );
}

/// Generic code saves floats with their type.
fn put_real<T: Real>(out: &mut Tensors, bits: &[T]) {
    out.put("reals", &[bits.len()], bits.iter().copied());
}

#[test]
fn bits_of_nan_are_kept() {
    let singles = [0x7fc0_0000u32, 0x7fc1_2345, 0xffff_ffff, 0x7f80_0000, 0x8000_0000, 1].map(f32::from_bits);
    let doubles =
        [0x7ff8_0000_0000_0001u64, 0xffff_ffff_ffff_ffff, 0x7ff0_0000_0000_0001, 1].map(f64::from_bits);
    let mut tensors = Tensors::new();
    put_real(tensors.scope_mut("single"), &singles);
    put_real(tensors.scope_mut("double"), &doubles);
    tensors.set("one", doubles[0]);
    tensors.set("all", doubles.to_vec());
    let back = decode(&encode(&tensors).unwrap()).unwrap();
    let got = back.scope("single").unwrap().get::<f32>("reals", &[6]).unwrap();
    assert_eq!(got.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), singles.map(f32::to_bits));
    let got = back.scope("double").unwrap().get::<f64>("reals", &[4]).unwrap();
    assert_eq!(got.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), doubles.map(f64::to_bits));
    assert_eq!(back.f64("one").unwrap().to_bits(), doubles[0].to_bits());
    let got = back.f64s("all").unwrap();
    assert_eq!(got.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), doubles.map(f64::to_bits));
}
