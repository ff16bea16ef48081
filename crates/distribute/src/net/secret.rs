//! # A secret that all processes know
//! Whoever connects proves that it knows the secret without saying it: each side chooses a number at random, and the code of both numbers and of what is claimed
//! (HMAC with SHA-256, RFC 2104) is what only somebody with the secret can write. What is sent afterwards is neither hidden nor signed.

use std::hint::black_box;

use sha2::{Digest, Sha256};

/// The bytes of a code.
pub(super) type Code = [u8; 32];

/// The bytes that SHA-256 takes at a time.
const BLOCK: usize = 64;

/// The fewest bytes of a secret.
const SHORTEST: usize = 16;

/// The secret that all processes of a run share.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// A secret of these bytes; white space around them does not count.
    pub fn new(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.trim_ascii();
        match bytes.len() {
            ..SHORTEST => Err(format!(
                "a secret has {SHORTEST} bytes or more, and this one has {}; `openssl rand -hex 32` makes a good one",
                bytes.len()
            )),
            _ => Ok(Secret(bytes.to_vec())),
        }
    }

    /// The empty secret, for processes on this machine alone.
    #[must_use]
    pub fn none() -> Self {
        Secret(Vec::new())
    }

    /// Makes a new random secret, as text.
    pub fn random() -> Result<String, String> {
        Ok(nonce()?.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The code of a message.
    pub(super) fn code(&self, message: &[&[u8]]) -> Code {
        let mut key = [0; BLOCK];
        match self.0.len() {
            ..=BLOCK => key[..self.0.len()].copy_from_slice(&self.0),
            _ => key[..32].copy_from_slice(&digest(&[&self.0])),
        }
        let inner = key.map(|byte| byte ^ 0x36);
        let outer = key.map(|byte| byte ^ 0x5c);
        let mut parts: Vec<&[u8]> = vec![&inner];
        parts.extend(message);
        digest(&[&outer, &digest(&parts)])
    }

    /// Whether a code is that of a message; how long that takes says nothing about the code.
    pub(super) fn is_code(&self, code: &Code, message: &[&[u8]]) -> bool {
        let right = self.code(message);
        let differences = right.iter().zip(code).fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
        differences == 0
    }
}

/// Says nothing of the secret.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A number that was never used before.
pub(super) fn nonce() -> Result<Code, String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|why| format!("this machine has no random numbers: {why}"))?;
    Ok(bytes)
}

/// The digest of some bytes.
pub(super) fn digest(parts: &[&[u8]]) -> Code {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// RFC 4231, test cases 1, 2 and 6.
    #[test]
    fn codes_are_those_of_the_standard() {
        let code = |key: &[u8], message: &[u8]| hex(&Secret(key.to_vec()).code(&[message]));
        assert_eq!(
            code(&[0x0b; 20], b"Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            code(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            code(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn one_bit_makes_another_code() {
        let secret = Secret::new(b"0123456789abcdef\n").unwrap();
        let code = secret.code(&[b"a", b"bc"]);
        assert!(secret.is_code(&code, &[b"ab", b"c"]));
        for bit in 0..256 {
            let mut other = code;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!secret.is_code(&other, &[b"abc"]));
        }
        assert!(!Secret::none().is_code(&code, &[b"abc"]));
        assert!(Secret::new(b"   short   ").is_err());
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }
}
