//! Text broken into lines of a given width. Lengths are in em of the paragraph's size.

use crate::seal::{
    font::{Fonts, Glyph, Weight},
    layout::Ink,
};

/// What becomes of text beyond a paragraph's last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::seal) enum Overlong {
    /// It is cut, an ellipsis in its place.
    Cut,
    /// The paragraph does not fit.
    Refuse,
}

/// Glyphs of one weight, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::seal) struct Run {
    /// Their weight.
    pub(in crate::seal) weight: Weight,
    /// The glyphs.
    pub(in crate::seal) glyphs: Vec<Glyph>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::seal) struct Line {
    /// What stands on it, left to right.
    pub(in crate::seal) runs: Vec<Run>,
    /// How wide it is.
    pub(in crate::seal) width: f64,
}

/// Words to be set as lines of one size and colour.
#[derive(Debug, Clone)]
pub(in crate::seal) struct Paragraph {
    /// Size in points at scale 1.
    pub(in crate::seal) size: f64,
    /// Colour.
    pub(in crate::seal) ink: Ink,
    /// Space above, at scale 1.
    pub(in crate::seal) gap: f64,
    most_lines: usize,
    overlong: Overlong,
    words: Vec<Word>,
}

#[derive(Debug, Clone)]
struct Word {
    weight: Weight,
    glyphs: Vec<Glyph>,
    width: f64,
    /// The space and the ellipsis that go with its weight.
    space: Glyph,
    ellipsis: Glyph,
}

impl Paragraph {
    /// A paragraph without words; `most_lines` is how many lines it may have.
    pub(in crate::seal) fn new(size: f64, ink: Ink, gap: f64, most_lines: usize, overlong: Overlong) -> Self {
        Self { size, ink, gap, most_lines, overlong, words: Vec::new() }
    }

    /// The same with the words of `text` at its end.
    pub(in crate::seal) fn with(mut self, text: &str, weight: Weight, fonts: &Fonts) -> Self {
        let (space, ellipsis) = (fonts.glyph(weight, ' '), fonts.glyph(weight, '…'));
        self.words.extend(text.split(' ').filter(|word| !word.is_empty()).map(|word| {
            let glyphs: Vec<_> = word.chars().map(|character| fonts.glyph(weight, character)).collect();
            let width = glyphs.iter().map(|glyph| glyph.advance).sum();
            Word { weight, glyphs, width, space, ellipsis }
        }));
        self
    }

    /// The paragraph in as many lines as [`Paragraph::lines`] makes, but about equally long: a
    /// name does not leave its last word alone.
    pub(in crate::seal) fn even_lines(&self, limit: f64) -> Option<Vec<Line>> {
        let mut best = self.lines(limit)?;
        if !(2..=3).contains(&best.len()) || self.overlong == Overlong::Cut {
            return Some(best);
        }
        let (mut narrow, mut wide) = (limit / 2.0, limit);
        for _ in 0..6 {
            let tried = (narrow + wide) / 2.0;
            match self.lines(tried) {
                Some(lines) if lines.len() == best.len() => {
                    best = lines;
                    wide = tried;
                }
                Some(_) | None => narrow = tried,
            }
        }
        Some(best)
    }

    /// The paragraph in lines no wider than `limit`; `None` where it needs more lines than it
    /// may have, or where not even one letter fits.
    pub(in crate::seal) fn lines(&self, limit: f64) -> Option<Vec<Line>> {
        let mut done = Vec::new();
        let mut line = Line::default();
        for word in &self.words {
            let space = if line.runs.is_empty() { 0.0 } else { word.space.advance };
            if line.width + space + word.width <= limit {
                if space > 0.0 {
                    line.push(word.weight, &[word.space]);
                }
                line.push(word.weight, &word.glyphs);
                continue;
            }
            let cuts = self.overlong == Overlong::Cut && done.len() + 1 == self.most_lines;
            if !line.runs.is_empty() {
                if cuts {
                    // The last line takes what it can of the word, to be cut there.
                    line.push(word.weight, &[word.space]);
                    line.push(word.weight, &word.glyphs);
                    return word.cut(done, line, limit);
                }
                done.push(std::mem::take(&mut line));
            }
            // A word wider than a line is broken anywhere.
            for &glyph in &word.glyphs {
                if line.width + glyph.advance > limit {
                    if line.runs.is_empty() {
                        return None;
                    }
                    if self.overlong == Overlong::Cut && done.len() + 1 == self.most_lines {
                        line.push(word.weight, &[glyph]);
                        return word.cut(done, line, limit);
                    }
                    done.push(std::mem::take(&mut line));
                    if glyph.advance > limit {
                        return None;
                    }
                }
                line.push(word.weight, &[glyph]);
            }
            if done.len() >= self.most_lines {
                return None;
            }
        }
        if !line.runs.is_empty() {
            done.push(line);
        }
        (done.len() <= self.most_lines).then_some(done)
    }
}

impl Word {
    /// `done` and a last line that is cut within this word or before it.
    fn cut(&self, mut done: Vec<Line>, mut line: Line, limit: f64) -> Option<Vec<Line>> {
        let room = limit - self.ellipsis.advance;
        while line.width > room {
            line.pop()?;
        }
        while line.ends_with_space() {
            line.pop()?;
        }
        if line.runs.is_empty() {
            return None;
        }
        line.push(self.weight, &[self.ellipsis]);
        done.push(line);
        Some(done)
    }
}

impl Line {
    fn push(&mut self, weight: Weight, glyphs: &[Glyph]) {
        self.width += glyphs.iter().map(|glyph| glyph.advance).sum::<f64>();
        match self.runs.last_mut() {
            Some(run) if run.weight == weight => run.glyphs.extend_from_slice(glyphs),
            Some(_) | None => self.runs.push(Run { weight, glyphs: glyphs.to_vec() }),
        }
    }

    /// Takes the last glyph away; `None` where there is none.
    fn pop(&mut self) -> Option<()> {
        let run = self.runs.last_mut()?;
        let glyph = run.glyphs.pop()?;
        self.width -= glyph.advance;
        if run.glyphs.is_empty() {
            self.runs.pop();
        }
        Some(())
    }

    fn ends_with_space(&self) -> bool {
        self.runs.last().and_then(|run| run.glyphs.last()).is_some_and(|glyph| glyph.character == ' ')
    }

    /// What was to be said here.
    pub(in crate::seal) fn text(&self) -> String {
        self.runs.iter().flat_map(|run| &run.glyphs).map(|glyph| glyph.character).collect()
    }

    /// Whether a letter is missing from the font.
    pub(in crate::seal) fn has_missing(&self) -> bool {
        self.runs.iter().flat_map(|run| &run.glyphs).any(|glyph| glyph.character != glyph.shown)
    }
}
