//! Drawing: a [`Plot`] as SVG, with styles for light and dark inside.

use std::fmt::Write as _;

use super::scale::Axis;
use super::{Mark, Plot, Series};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 60.0;
/// So many points on a line cannot be told apart.
const MANY: usize = 60;
/// The height of a line of the legend.
const LINE: f64 = 20.0;

/// Colours for light and dark, which differ in lightness as well.
const COLOURS: [(&str, &str); 6] = [
    ("#1f5fa8", "#7fb4f0"),
    ("#c2500a", "#f5a564"),
    ("#1f7a4d", "#74d3a3"),
    ("#8a2f8f", "#dd9be2"),
    ("#7a5c00", "#e0c060"),
    ("#444444", "#c8c8c8"),
];
const DASHES: [&str; 3] = ["none", "7 4", "2 3"];

/// The picture as a text.
#[must_use]
pub fn write(plot: &Plot) -> String {
    let lines = plot.series.len() + usize::from(plot.diagonal.is_some());
    let legend = LINE * lines as f64;
    let mut numbers: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for &(x, y) in plot.series.iter().flat_map(|series| &series.points) {
        numbers[0].push(x);
        numbers[1].push(y);
    }
    if plot.diagonal.is_some() {
        let all = numbers.concat();
        numbers = [all.clone(), all];
    }
    let [xs, ys] = numbers;
    let (x_axis, y_axis) =
        (Axis::new(plot.x.1, xs.into_iter()), Axis::new(plot.y.1, ys.into_iter()));
    let frame = Frame { x_axis, y_axis, top: TOP + legend, height: HEIGHT - TOP - BOTTOM };
    let height = HEIGHT + legend;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n<title>{}</title>\n{}",
        escape(&plot.title),
        escape(&plot.title),
        style()
    );
    put(&mut svg, format_args!("<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>"));
    let title = escape(&shorten(&plot.title, 84));
    let class = if plot.title.chars().count() <= 64 { "title" } else { "long title" };
    put(&mut svg, format_args!("<text class=\"{class}\" x=\"20\" y=\"30\">{title}</text>"));
    frame.draw(&mut svg, plot);
    for (number, series) in plot.series.iter().enumerate() {
        frame.series(&mut svg, series, number);
        key(&mut svg, series, number, TOP + LINE * number as f64);
    }
    if let Some(words) = &plot.diagonal {
        let y = TOP + LINE * plot.series.len() as f64;
        let sample = format!("M{LEFT} {y:.1}h34");
        put(
            &mut svg,
            format_args!("<path class=\"axis\" stroke-dasharray=\"4 4\" d=\"{sample}\"/>"),
        );
        label(&mut svg, words, y);
    }
    svg + "</svg>\n"
}

/// Where the axes are.
struct Frame {
    x_axis: Axis,
    y_axis: Axis,
    top: f64,
    height: f64,
}

impl Frame {
    fn x(&self, number: f64) -> f64 {
        LEFT + self.x_axis.place(number) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, number: f64) -> f64 {
        self.top + (1.0 - self.y_axis.place(number)) * self.height
    }

    fn draw(&self, svg: &mut String, plot: &Plot) {
        let (right, bottom) = (WIDTH - RIGHT, self.top + self.height);
        for (number, name) in self.x_axis.ticks() {
            let x = self.x(number);
            put(
                svg,
                format_args!("<path class=\"grid\" d=\"M{x:.1} {:.1}V{bottom:.1}\"/>", self.top),
            );
            put(
                svg,
                format_args!(
                    "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                    bottom + 18.0
                ),
            );
        }
        for (number, name) in self.y_axis.ticks() {
            let y = self.y(number);
            put(svg, format_args!("<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/>"));
            put(
                svg,
                format_args!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
                    LEFT - 8.0,
                    y + 4.0
                ),
            );
        }
        put(
            svg,
            format_args!(
                "<path class=\"axis\" d=\"M{LEFT} {:.1}V{bottom:.1}H{right}\"/>",
                self.top
            ),
        );
        if plot.diagonal.is_some() {
            put(
                svg,
                format_args!(
                    "<path class=\"axis\" stroke-dasharray=\"4 4\" d=\"M{LEFT} {bottom:.1}L{right} {:.1}\"/>",
                    self.top
                ),
            );
        }
        let middle = f64::midpoint(LEFT, right);
        put(
            svg,
            format_args!(
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 44.0,
                escape(&plot.x.0)
            ),
        );
        let middle = self.top + self.height / 2.0;
        put(
            svg,
            format_args!(
                "<text transform=\"translate(20 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                escape(&plot.y.0)
            ),
        );
    }

    fn series(&self, svg: &mut String, series: &Series, number: usize) {
        let places: Vec<(f64, f64)> =
            series.points.iter().map(|&(x, y)| (self.x(x), self.y(y))).collect();
        if series.mark != Mark::Points {
            line(svg, &places, number);
        }
        // A line through one point is not to be seen, and many points on a line are a thick one.
        let is_dotted = match series.mark {
            Mark::Points => true,
            Mark::Line => places.len() == 1,
            Mark::LineAndPoints => places.len() <= MANY,
        };
        if is_dotted {
            for &place in &places {
                point(svg, place, number);
            }
        }
    }
}

/// One line of the legend.
fn key(svg: &mut String, series: &Series, number: usize, y: f64) {
    if series.mark != Mark::Points {
        line(svg, &[(LEFT, y), (LEFT + 34.0, y)], number);
    }
    if series.mark != Mark::Line {
        point(svg, (LEFT + 17.0, y), number);
    }
    label(svg, &series.name, y);
}

/// The words of a line of the legend.
fn label(svg: &mut String, words: &str, y: f64) {
    let (x, y) = (LEFT + 44.0, y + 4.0);
    let words = escape(&shorten(words, 84));
    put(svg, format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>"));
}

fn line(svg: &mut String, places: &[(f64, f64)], number: usize) {
    let points: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dash = DASHES[number % DASHES.len()];
    let colour = number % COLOURS.len();
    put(
        svg,
        format_args!(
            "<polyline class=\"line s{colour}\" stroke-dasharray=\"{dash}\" points=\"{}\"/>",
            points.join(" ")
        ),
    );
}

fn point(svg: &mut String, (x, y): (f64, f64), number: usize) {
    let colour = number % COLOURS.len();
    let shape = match number % 3 {
        0 => "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        1 => "m-4 -4l8 8m0 -8l-8 8",
        _ => "m0 -5l5 9h-10z",
    };
    put(svg, format_args!("<path class=\"point s{colour}\" d=\"M{x:.1} {y:.1}{shape}\"/>"));
}

fn style() -> String {
    let colours = |of: fn(&(&'static str, &'static str)) -> &'static str| {
        let rule = |(number, pair)| format!(".s{number}{{stroke:{}}}", of(pair));
        COLOURS.iter().enumerate().map(rule).collect::<String>()
    };
    format!(
        "<style>\nsvg{{color-scheme:light dark}}text{{font:13px system-ui,sans-serif;fill:#333}}.title{{font-size:16px;font-weight:600}}.long{{font-size:13px}}\
         .paper{{fill:#fff}}.grid{{stroke:#e4e4e4}}.axis{{stroke:#888;fill:none}}\
         .line{{fill:none;stroke-width:2}}.point{{fill:none;stroke-width:1.8}}{}\n\
         @media (prefers-color-scheme:dark){{text{{fill:#ddd}}.paper{{fill:#1c1e21}}\
         .grid{{stroke:#34373b}}.axis{{stroke:#888}}{}}}\n</style>\n",
        colours(|pair| pair.0),
        colours(|pair| pair.1)
    )
}

fn put(svg: &mut String, element: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(svg, "{element}");
}

/// A text that has room.
fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// A text inside of an element or an attribute. Control characters have no place in XML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::*;

    fn plot(series: usize, name: &str) -> Plot {
        let points = |n: usize| (1..6).map(|x| (x as f64, ((n + 1) * x) as f64)).collect();
        let one = |n| Series {
            name: format!("{name} {n}"),
            points: points(n),
            mark: Mark::LineAndPoints,
        };
        Plot {
            title: name.to_owned(),
            x: (name.to_owned(), Scale::Count),
            y: ("y".to_owned(), Scale::Log),
            series: (0..series).map(one).collect(),
            diagonal: None,
        }
    }

    /// Every element that begins ends, in order; attributes are quoted; no bare special characters.
    fn assert_well_formed(svg: &str) {
        let mut open = Vec::new();
        let mut rest = svg;
        while let Some(begin) = rest.find('<') {
            let text = &rest[..begin];
            assert!(!text.contains('>') || text.contains("{"), "a bare > in {text}");
            let mut after = text;
            while let Some(and) = after.find('&') {
                after = &after[and..];
                let names = ["&amp;", "&lt;", "&gt;", "&quot;"];
                assert!(names.iter().any(|name| after.starts_with(name)), "a bare & in {text}");
                after = &after[1..];
            }
            let end = begin + rest[begin..].find('>').expect("a tag ends");
            let tag = &rest[begin + 1..end];
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            assert!(!tag.contains('<'), "{tag}");
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None if tag.ends_with('/') => {}
                None => open.push(tag.split_whitespace().next().unwrap()),
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "{open:?}");
        assert_eq!(rest, "\n");
    }

    #[test]
    fn pictures_are_well_formed_whatever_things_are_called() {
        for name in ["plain", "a<b>&\"c\"", "--><script>", "\u{0}\n\u{fffe}é", ""] {
            for series in [1, 2, 9] {
                let svg = write(&plot(series, name));
                assert_well_formed(&svg);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                assert!(!svg.contains('\u{0}'));
            }
        }
    }

    #[test]
    fn each_series_has_a_line_of_the_legend() {
        let svg = write(&plot(3, "some"));
        assert!((0..3).all(|n| svg.contains(&format!(">some {n}<"))));
        // Each of the fifteen points, and one in each line of the legend.
        assert_eq!(svg.matches("class=\"point").count(), 18);
    }

    #[test]
    fn the_same_numbers_are_at_the_same_place_on_both_axes_of_a_diagonal() {
        let mut plot = plot(1, "a");
        plot.x.1 = Scale::Log;
        plot.diagonal = Some("a < b".to_owned());
        plot.series[0].points = vec![(1.0, 1.0), (100.0, 0.1)];
        plot.series[0].mark = Mark::Points;
        let svg = write(&plot);
        // From 0.1 to 100, one is a third of the way.
        let x = LEFT + (WIDTH - LEFT - RIGHT) / 3.0;
        let y = TOP + 2.0 * LINE + (HEIGHT - TOP - BOTTOM) * 2.0 / 3.0;
        assert!(svg.contains(&format!("d=\"M{x:.1} {y:.1}m")), "{svg}");
    }
}
