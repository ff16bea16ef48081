//! The set and the interner against the collections of the standard library; what happens when ids
//! run out; hashes in two processes.

use std::collections::HashMap;
use std::process::Command;

use proptest::prelude::*;
use selvedge_store::{Batch, Full, Interner, StateSet, hash};

/// Words of one length with numbers that outgrow their columns, or of several lengths.
fn words() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let number = prop_oneof![8 => 0..4u32, 4 => 0..300u32, 1 => any::<u32>()];
    let fixed = (0..12usize).prop_flat_map({
        let number = number.clone();
        move |length| prop::collection::vec(prop::collection::vec(number.clone(), length), 0..300)
    });
    let loose = prop::collection::vec(prop::collection::vec(number, 0..4), 0..300);
    prop_oneof![3 => fixed, 1 => loose]
}

/// The numbers that words have in the order in which they come.
fn numbers(words: &[Vec<u32>]) -> Vec<u32> {
    let mut known = HashMap::new();
    let number = |word| {
        let next = known.len() as u32;
        *known.entry(word).or_insert(next)
    };
    words.iter().map(number).collect()
}

proptest! {
    #[test]
    fn a_set_numbers_words_in_their_order(words in words()) {
        let mut set = StateSet::default();
        for (word, number) in words.iter().zip(numbers(&words)) {
            let known = set.find(word);
            prop_assert_eq!(known.is_none(), number == set.end());
            prop_assert_eq!(set.insert(word), Ok((number, known.is_none())));
            prop_assert_eq!(set.find(word), Some(number));
        }
        for (word, number) in words.iter().zip(numbers(&words)) {
            prop_assert_eq!(&*set.get(number), &word[..]);
            prop_assert_eq!(set.first(number), word.first().copied().unwrap_or(0));
        }
    }

    #[test]
    fn a_batch_is_the_same_as_one_after_the_other(words in words(), size in 1..50usize) {
        let mut set = StateSet::default();
        let mut batch = Batch::default();
        let mut told = Vec::new();
        for words in words.chunks(size) {
            words.iter().for_each(|word| batch.push(word));
            set.insert_all(&mut batch, |_, number, _| told.push(number)).expect("room");
            prop_assert!(batch.is_empty());
        }
        prop_assert_eq!(told, numbers(&words));
    }

    #[test]
    fn rows_are_words(words in words()) {
        let (mut by_rows, mut batch) = (StateSet::default(), Batch::default());
        let mut told = Vec::new();
        for word in &words {
            by_rows.make_room(word);
            match by_rows.narrow() {
                Some(columns) => batch.push_row(columns.pack(word)),
                None => batch.push(word),
            }
            by_rows.insert_all(&mut batch, |_, number, _| told.push(number)).expect("room");
        }
        prop_assert_eq!(told, numbers(&words));
    }

    #[test]
    fn an_interner_numbers_things_in_their_order(words in words()) {
        let mut interner: Interner<Vec<u32>> = Interner::of("words");
        for (word, number) in words.iter().zip(numbers(&words)) {
            prop_assert_eq!(interner.find(&word[..]).is_none(), number as usize == interner.len());
            prop_assert_eq!(interner.intern_ref(&word[..]), Ok(number));
            prop_assert_eq!(interner.intern(word.clone()), Ok(number));
            prop_assert_eq!(interner.get(number), word);
        }
    }
}

/// Ids of 8 and of 16 bits: what was given stays true when they run out, and nothing has an id
/// twice.
#[test]
fn ids_run_out_and_never_wrap() {
    let mut small: Interner<u32, u8> = Interner::of("numbers");
    for number in 0..192u8 {
        assert_eq!(small.intern(number.into()), Ok(number));
    }
    for number in 192..1000 {
        assert_eq!(small.intern(number), Err(Full { what: "numbers", most: 192 }));
    }
    for number in 0..192u8 {
        assert_eq!(small.intern(number.into()), Ok(number));
        assert_eq!(*small.get(number), number.into());
    }
    let mut larger: Interner<u32, u16> = Interner::of("numbers");
    let given = (0..100_000).take_while(|&number| larger.intern(number).is_ok()).count();
    assert_eq!(given, 3 << 14);
    assert_eq!(larger.find(&77_777), None);
    assert_eq!(larger.find(&49_151), Some(49_151));
}

#[test]
fn a_full_set_keeps_what_it_has() {
    for lengths in [1, 2] {
        let mut set = StateSet::default();
        set.limit(Some(100));
        let word = |number: u32| vec![number; 1 + number as usize % lengths];
        for number in 0..100 {
            assert_eq!(set.insert(&word(number)), Ok((number, true)));
        }
        assert_eq!(set.insert(&word(100)), Err(Full { what: "states", most: 100 }));
        assert_eq!(set.insert(&word(7)), Ok((7, false)));
        let mut batch = Batch::default();
        (90..110).for_each(|number| batch.push(&word(number)));
        let mut told = Vec::new();
        let full = set.insert_all(&mut batch, |_, number, new| told.push((number, new)));
        assert_eq!(full, Err(Full { what: "states", most: 100 }));
        assert_eq!(told, (90..100).map(|number| (number, false)).collect::<Vec<_>>());
        assert_eq!(set.len(), 100);
    }
}

fn some_hashes() -> String {
    let hashes = [
        hash::of("warp and weft"),
        hash::of(&(7u32, 9u32)),
        hash::of_word(&[1, 2, 3]),
        hash::of_row(1 << 100 | 5),
    ];
    format!("{hashes:016x?}")
}

/// Another process computes the hashes of this one, and both are what they have always been.
#[test]
fn hashes_are_the_same_in_every_process() {
    const CHILD: &str = "SELVEDGE_STORE_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        println!("hashes {}", some_hashes());
        return;
    }
    let this = std::env::current_exe().expect("a path");
    let args = ["--exact", "hashes_are_the_same_in_every_process", "--nocapture"];
    let child = Command::new(this).args(args).env(CHILD, "1").output().expect("a child");
    let said = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(said.contains(&some_hashes()), "{said}");
    let always = "[27baaa3881070fd1, f3b4cc053d937c9f, 01eb908f350e7482, 244af43b10cbb3a3]";
    assert_eq!(some_hashes(), always);
}
