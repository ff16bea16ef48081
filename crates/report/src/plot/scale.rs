//! Where a number is on an axis, and which numbers are written beside it.

/// How the numbers on an axis grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// By the same amount, for what is counted: whole numbers are written beside it.
    Count,
    /// By the same factor: a logarithmic scale.
    Log,
}

/// An axis from one number to another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Axis {
    scale: Scale,
    from: f64,
    to: f64,
}

impl Scale {
    /// Whether a number has a place.
    #[must_use]
    pub fn has(self, number: f64) -> bool {
        number.is_finite() && (self == Scale::Count || number > 0.0)
    }
}

impl Axis {
    /// The axis on which all these numbers have a place; it ends at round numbers.
    #[must_use]
    pub fn new(scale: Scale, numbers: impl Iterator<Item = f64>) -> Self {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for number in numbers.filter(|&number| scale.has(number)) {
            (from, to) = (from.min(number), to.max(number));
        }
        if from > to {
            (from, to) = (1.0, 1.0);
        }
        let (from, to) = match scale {
            Scale::Count => {
                // Counts begin at zero, unless they are far away from it.
                let from = if from >= 0.0 && from < 0.5 * to { 0.0 } else { from };
                let step = step(to - from);
                let (from, to) = ((from / step).floor() * step, (to / step).ceil() * step);
                if from < to { (from, to) } else { (from - step, to + step) }
            }
            Scale::Log => {
                let (down, up) = (round(from, false), round(to, true));
                if down < up { (down, up) } else { (down, (up * 10.0).min(f64::MAX)) }
            }
        };
        Axis { scale, from, to }
    }

    /// Where a number is: 0 at the beginning of the axis, 1 at its end.
    #[must_use]
    pub fn place(&self, number: f64) -> f64 {
        let of = |number: f64| match self.scale {
            Scale::Count => number,
            Scale::Log => number.log10(),
        };
        ((of(number) - of(self.from)) / (of(self.to) - of(self.from))).clamp(0.0, 1.0)
    }

    /// The numbers that are written, a few of them, with their names.
    #[must_use]
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let numbers: Vec<f64> = match self.scale {
            Scale::Count => {
                let step = step(self.to - self.from);
                let count = ((self.to - self.from) / step).round() as usize;
                (0..=count).map(|n| self.from + step * n as f64).collect()
            }
            Scale::Log => {
                let first = self.from.log10().floor() as i32;
                let last = self.to.log10().ceil() as i32;
                let every = (last - first) / 8 + 1;
                // Few powers of ten say too little.
                let factors: &[f64] = match self.to / self.from {
                    short if short < 9.0 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
                    some if some < 1.1e4 => &FACTORS[..3],
                    _ => &FACTORS[..1],
                };
                let powers = (first..=last).step_by(every as usize);
                let numbers =
                    powers.flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
                let (from, to) = (self.from * (1.0 - NEAR), self.to * (1.0 + NEAR));
                numbers.filter(|number| (from..=to).contains(number)).collect()
            }
        };
        numbers.into_iter().map(|number| (number, name(number))).collect()
    }
}

/// Round numbers are these, times a power of ten.
const FACTORS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];
/// Numbers that differ by less than this count as equal.
const NEAR: f64 = 1e-9;

/// The round number next to a positive one, above or below.
fn round(number: f64, is_up: bool) -> f64 {
    let power = 10f64.powf(number.log10().floor());
    let part = number / power;
    let factor = match is_up {
        true => FACTORS.iter().find(|&&factor| factor >= part * (1.0 - NEAR)),
        false => FACTORS.iter().rfind(|&&factor| factor <= part * (1.0 + NEAR)),
    };
    (factor.unwrap_or(&part) * power).clamp(f64::MIN_POSITIVE, f64::MAX)
}

/// A round step that divides a length into two to ten parts.
fn step(length: f64) -> f64 {
    if length <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(length.log10().floor());
    let parts = length / power;
    let factor = if parts < 2.0 {
        0.2
    } else if parts < 5.0 {
        0.5
    } else {
        1.0
    };
    // What is counted has no halves.
    (factor * power).max(1.0)
}

/// A number as short as it can be.
fn name(number: f64) -> String {
    match number.abs() {
        size if size < 1e-12 => "0".to_owned(),
        size if !(1e-3..1e7).contains(&size) => {
            let power = size.log10().floor();
            let factor = number / 10f64.powf(power);
            let factor = format!("{factor:.2}");
            let factor = factor.trim_end_matches('0').trim_end_matches('.');
            match factor {
                "1" => format!("1e{power}"),
                _ => format!("{factor}e{power}"),
            }
        }
        // Thousands stand apart.
        size if size >= 1e4 => {
            let digits = format!("{number:.0}");
            let groups = digits.as_bytes().rchunks(3).rev();
            let groups: Vec<_> = groups.map(|group| String::from_utf8_lossy(group)).collect();
            groups.join("\u{202f}")
        }
        _ => {
            let text = format!("{number:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(scale: Scale, numbers: &[f64]) -> String {
        let axis = Axis::new(scale, numbers.iter().copied());
        let names: Vec<String> = axis.ticks().into_iter().map(|(_, name)| name).collect();
        names.join(" ")
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(names(Scale::Count, &[1.0, 87.0]), "0 10 20 30 40 50 60 70 80 90");
        assert_eq!(names(Scale::Count, &[1.0, 4.0]), "0 1 2 3 4");
        assert_eq!(names(Scale::Count, &[1.0, 2.0]), "1 2");
        assert_eq!(names(Scale::Count, &[0.0, 0.3]), "0 1");
        assert_eq!(names(Scale::Count, &[3.0]), "2 3 4");
        assert_eq!(names(Scale::Count, &[]), "0 1 2");
        assert_eq!(
            names(Scale::Log, &[0.002, 7.0]),
            "0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10"
        );
        assert_eq!(names(Scale::Log, &[0.0002, 7.0]), "0.001 0.01 0.1 1 10");
        assert_eq!(names(Scale::Log, &[0.006, 4.0]), "0.005 0.01 0.02 0.05 0.1 0.2 0.5 1 2 5");
        assert_eq!(names(Scale::Log, &[0.0012, 0.0011]), "0.001 0.0015 0.002");
        assert_eq!(names(Scale::Log, &[0.03, 0.4]), "0.02 0.05 0.1 0.2 0.5");
        assert_eq!(names(Scale::Log, &[1.0]), "1 2 5 10");
        let many = "1 10 100 1000 10\u{202f}000 100\u{202f}000 1\u{202f}000\u{202f}000 1e7";
        assert_eq!(names(Scale::Log, &[1.0, 1e7]), many);
        assert_eq!(names(Scale::Log, &[1e-4, 0.0, -1.0, 2e-4]), "1e-4 1.5e-4 2e-4");
    }

    #[test]
    fn everything_has_a_place_on_its_axis() {
        for scale in [Scale::Count, Scale::Log] {
            for numbers in [&[1e-300, 1e300][..], &[0.1, 0.2, 0.9], &[5.0], &[f64::NAN, 1.0]] {
                let axis = Axis::new(scale, numbers.iter().copied());
                let places: Vec<f64> =
                    numbers.iter().filter(|&&n| scale.has(n)).map(|&n| axis.place(n)).collect();
                assert!(
                    places.iter().all(|place| (0.0..=1.0).contains(place)),
                    "{scale:?} {places:?}"
                );
                assert!(places.is_sorted());
                assert!((1..=20).contains(&axis.ticks().len()), "{scale:?} {:?}", axis.ticks());
            }
        }
    }
}
