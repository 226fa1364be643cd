//! The sample document: a made-up contract of several A4 pages, written as PDF 1.7 by hand.

mod words;

use words::{CLAUSES, CLOSING, PARTIES, TITLE};

const PAGE: [f64; 2] = [595.0, 842.0];
const MARGIN: f64 = 72.0;
const TOP: f64 = 770.0;
/// Below this a page is full. The last page keeps its foot free for the seal.
const BOTTOM: f64 = 110.0;
const BODY: f64 = 12.0;
const HEADING: f64 = 13.0;
const LEADING: f64 = 19.0;

/// The document's bytes.
pub(crate) fn contract() -> Vec<u8> {
    let mut pages = Pages::default();
    pages.title(TITLE);
    pages.paragraph(PARTIES);
    for (heading, paragraphs) in CLAUSES {
        pages.heading(heading);
        for text in *paragraphs {
            pages.paragraph(text);
        }
    }
    pages.heading("Assinatura");
    pages.paragraph(CLOSING);
    pages.finish()
}

/// The content streams of the pages, filled from the top.
#[derive(Default)]
struct Pages {
    streams: Vec<String>,
    /// Where the last line's base is; nothing before the first page.
    y: f64,
}

impl Pages {
    fn title(&mut self, text: &str) {
        self.down(0.0);
        self.line("Bold", 16.0, text, 0.0);
        self.y -= 14.0;
        let [right, y] = [PAGE[0] - MARGIN, self.y];
        self.add(&format!("0.45 0.5 0.58 RG 0.8 w {MARGIN} {y:.2} m {right} {y:.2} l S\n"));
        self.y -= 8.0;
    }

    fn heading(&mut self, text: &str) {
        // A heading stays together with two lines of its text.
        if self.y < BOTTOM + 4.0 * LEADING {
            self.y = 0.0;
        }
        self.down(LEADING + 8.0);
        self.line("Bold", HEADING, text, 0.0);
    }

    fn paragraph(&mut self, text: &str) {
        let width = PAGE[0] - 2.0 * MARGIN;
        let lines = wrapped(text, width / BODY);
        let last = lines.len().saturating_sub(1);
        self.y -= 4.0;
        for (index, line) in lines.iter().enumerate() {
            self.down(LEADING);
            let gaps = f64::from(u16::try_from(line.matches(' ').count()).unwrap_or(u16::MAX));
            let slack = width - advance(line) * BODY;
            let stretch = if index < last && gaps > 0.0 { slack / gaps } else { 0.0 };
            self.line("Body", BODY, line, stretch);
        }
    }

    fn down(&mut self, by: f64) {
        if self.streams.is_empty() || self.y - by < BOTTOM {
            self.streams.push(String::new());
            self.y = TOP;
        } else {
            self.y -= by;
        }
    }

    fn line(&mut self, font: &str, size: f64, text: &str, word_space: f64) {
        let y = self.y;
        let text = literal(text);
        self.add(&format!("BT /{font} {size} Tf {word_space:.3} Tw {MARGIN} {y:.2} Td {text} Tj ET\n"));
    }

    fn add(&mut self, operators: &str) {
        if let Some(stream) = self.streams.last_mut() {
            stream.push_str(operators);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let count = self.streams.len();
        for (index, stream) in self.streams.iter_mut().enumerate() {
            let foot =
                literal(&format!("Documento de demonstração, sem valor · página {} de {count}", index + 1));
            stream.push_str(&format!("0.4 g BT /Body 8 Tf 0 Tw {MARGIN} 48 Td {foot} Tj ET\n"));
        }
        let first_page = 6;
        let kids: Vec<String> = (0..count).map(|page| format!("{} 0 R", first_page + 2 * page)).collect();
        let font = |name: &str| {
            format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
        };
        let mut objects = vec![
            "<< /Type /Catalog /Pages 2 0 R /Lang (pt-BR) /ViewerPreferences << /DisplayDocTitle true >> >>"
                .into(),
            format!(
                "<< /Type /Pages /Kids [{}] /Count {count} /MediaBox [0 0 {} {}] \
                 /Resources << /Font << /Body 3 0 R /Bold 4 0 R >> >> >>",
                kids.join(" "),
                PAGE[0],
                PAGE[1]
            ),
            font("Helvetica"),
            font("Helvetica-Bold"),
            format!("<< /Title {} >>", literal(TITLE)),
        ];
        for stream in &self.streams {
            let contents = objects.len() + 2;
            objects.push(format!("<< /Type /Page /Parent 2 0 R /Contents {contents} 0 R >>"));
            objects.push(format!("<< /Length {} >>\nstream\n{stream}endstream", win_ansi(stream).len()));
        }
        file(&objects)
    }
}

/// A file of these objects, numbered from 1, with a cross-reference table (ISO 32000-1, 7.5).
fn file(objects: &[String]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (index, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", bytes.len()));
        bytes.extend(win_ansi(&format!("{} 0 obj\n{object}\nendobj\n", index + 1)));
    }
    let start = bytes.len();
    bytes.extend(table.bytes());
    let id = "<43796265724365727469666963617465>";
    bytes.extend(
        format!(
            "trailer\n<< /Size {} /Root 1 0 R /Info 5 0 R /ID [{id} {id}] >>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1
        )
        .bytes(),
    );
    bytes
}

/// A literal string (7.3.4.2), still as characters.
fn literal(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    format!("({escaped})")
}

/// The bytes of Portuguese text in WinAnsiEncoding, which is Latin-1 but for punctuation.
fn win_ansi(text: &str) -> Vec<u8> {
    let byte = |c: char| match c {
        '–' => 0x96,
        '—' => 0x97,
        '“' => 0x93,
        '”' => 0x94,
        _ => u8::try_from(u32::from(c)).unwrap_or(b'?'),
    };
    text.chars().map(byte).collect()
}

/// Lines no wider than `width`, in units of the font size.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if advance(line) + advance(" ") + advance(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// How wide Helvetica sets a text at size 1.
fn advance(text: &str) -> f64 {
    text.chars().map(|c| f64::from(words::helvetica_width(c)) / 1000.0).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_has_several_pages_and_true_offsets() {
        let bytes = contract();
        let at = |offset: usize| String::from_utf8_lossy(&bytes[offset..]).into_owned();
        assert!(at(0).contains("/Count 3"), "the seal is shown on the last of three pages");
        let all = at(0);
        let start = all.rsplit("startxref\n").next().unwrap().lines().next().unwrap();
        let table = at(start.parse().unwrap());
        assert!(table.starts_with("xref\n"));
        let rows: Vec<&str> = table.lines().skip(3).take_while(|line| line.ends_with("n ")).collect();
        assert_eq!(rows.len(), 11, "catalog, pages, two fonts, information, three pages with contents");
        for (index, row) in rows.iter().enumerate() {
            let offset = row[..10].parse().unwrap();
            assert!(at(offset).starts_with(&format!("{} 0 obj\n", index + 1)), "object {}", index + 1);
        }
    }

    #[test]
    fn lines_are_no_wider_than_asked_and_lose_no_word() {
        let text = "uma frase com várias palavras para quebrar em linhas";
        let lines = wrapped(text, 8.0);
        assert!(lines.len() > 2);
        assert!(lines.iter().all(|line| advance(line) <= 8.0), "{lines:?}");
        assert_eq!(lines.join(" "), text);
    }
}
