//! Hostile streams: bombs, lengths and filters that lie, object streams that need each other.

use crate::{
    Hostile,
    writing::{Writing, deflate},
};

/// As much as one stream may be decoded to, and a little less.
const MUCH: usize = 31 << 20;

pub(crate) fn all() -> Vec<Hostile> {
    vec![
        Hostile::new("bomb-in-the-cross-reference", bomb_in_the_cross_reference("")),
        Hostile::new(
            "bomb-with-a-predictor",
            bomb_in_the_cross_reference("/DecodeParms << /Predictor 12 /Columns 4 >>"),
        ),
        Hostile::new("bombs-in-a-chain-of-sections", bombs_in_a_chain_of_sections(40)),
        Hostile::new("bomb-in-layers", bomb_in_layers(6)),
        Hostile::new("bomb-in-an-object-stream", bomb_in_object_streams(1)),
        Hostile::new("bombs-in-object-streams", bomb_in_object_streams(64)),
        Hostile::new("object-streams-without-filter", object_streams_without_filter(48, 1 << 20)),
        Hostile::new("object-streams-that-share-data", object_streams_that_share_data(20_000, 8 << 20)),
        Hostile::new("object-streams-that-never-end", object_streams_that_never_end(30_000, 8 << 20)),
        Hostile::new("object-stream-of-a-million", object_stream_of_a_million()),
        Hostile::new("object-streams-extending-each-other", object_streams_extending_each_other()),
        Hostile::new("lengths-in-themselves", lengths_in_themselves()),
        Hostile::new("predictors-out-of-range", predictors_out_of_range()),
        Hostile::new("filters-of-all-kinds", filters_of_all_kinds()),
        Hostile::new("widths-and-indexes-that-lie", widths_and_indexes_that_lie()),
    ]
}

fn bomb_in_the_cross_reference(entries: &str) -> Vec<u8> {
    let mut writing = Writing::with_page();
    let start = writing.bytes.len();
    let data = deflate(&vec![2; MUCH]);
    writing.stream(
        4,
        &format!("/Type /XRef /Size 8388607 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode {entries}"),
        &data,
    );
    writing.end(start);
    writing.bytes
}

fn bombs_in_a_chain_of_sections(count: u32) -> Vec<u8> {
    let mut writing = Writing::with_page();
    let mut start = writing.table("");
    let data = deflate(&vec![0; 4 << 20]);
    for number in 4..4 + count {
        let entries =
            format!("/Type /XRef /Size 900000 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode /Prev {start}");
        start = writing.bytes.len();
        writing.stream(number, &entries, &data);
    }
    writing.end(start);
    writing.bytes
}

fn bomb_in_layers(layers: usize) -> Vec<u8> {
    let mut data = vec![b' '; MUCH];
    for _ in 0..layers {
        data = deflate(&data);
    }
    let mut writing = Writing::with_page();
    let filters = "/FlateDecode ".repeat(layers);
    writing.stream(5, &format!("/Type /ObjStm /N 1 /First 4 /Filter [{filters}]"), &data);
    writing.section(6, "", &[(4, 5, 0)]);
    writing.bytes
}

fn bomb_in_object_streams(count: u32) -> Vec<u8> {
    let mut text = b"9 0 ".to_vec();
    text.resize(MUCH / 2, b' ');
    let data = deflate(&text);
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields 3 0 R >> >>");
    writing.object(2, "<< /Type /Pages /Kids 3 0 R /Count 1 >>");
    let items: String = (0..count).map(|index| format!("{} 0 R ", 1000 + index)).collect();
    writing.object(3, &format!("[{}]", items.repeat(10)));
    let mut within = Vec::new();
    for index in 0..count {
        writing.stream(10 + index, "/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", &data);
        within.push((1000 + index, 10 + index, 0));
    }
    writing.section(2000, "", &within);
    writing.bytes
}

/// More data than is kept, and objects from all of them in turn.
fn object_streams_without_filter(count: u32, len: usize) -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    let kids: String = (0..count).map(|index| format!("{} 0 R ", 1000 + index)).collect();
    writing.object(2, &format!("<< /Type /Pages /Kids [{}] /Count 1 >>", kids.repeat(100)));
    let mut within = Vec::new();
    for index in 0..count {
        let number = 1000 + index;
        let mut data = format!("{number:04} 0 << /Type /Page >>").into_bytes();
        data.resize(len, b' ');
        writing.stream(10 + index, "/Type /ObjStm /N 1 /First 7", &data);
        within.push((number, 10 + index, 0));
    }
    writing.section(5000, "", &within);
    writing.bytes
}

/// One stretch of bytes that many streams claim: each is read anew.
fn object_streams_that_share_data(count: u32, len: usize) -> Vec<u8> {
    let mut writing = Writing::with_page();
    for number in 4..4 + count {
        writing.object(number, "<< /Type /ObjStm /N 1 /First 4 >>\nstream\n5 0 <<>>");
    }
    let end = writing.bytes.len() + len;
    writing.bytes.resize(end, b' ');
    writing.text("\nendstream\n");
    writing.bytes
}

fn object_streams_that_never_end(count: u32, len: usize) -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    let kids: String = (0..count).map(|index| format!("{} 0 R ", 100_000 + index)).collect();
    writing.object(2, &format!("<< /Type /Pages /Kids [{kids}] /Count 1 >>"));
    let mut within = Vec::new();
    for index in 0..count {
        writing.object(10 + index, "<< /Type /ObjStm /N 1 /First 4 /Length 4 >>\nstream\n5 0 <<>>");
        within.push((100_000 + index, 10 + index, 0));
    }
    let end = writing.bytes.len() + len;
    writing.bytes.resize(end, b' ');
    writing.section(200_000, "", &within);
    writing.bytes
}

fn object_stream_of_a_million() -> Vec<u8> {
    let head: String = (0..1_200_000).map(|_| "9 0 ").collect();
    let mut writing = Writing::with_page();
    let entries = format!("/Type /ObjStm /N 99999999 /First {} /Filter /FlateDecode", head.len());
    writing.stream(5, &entries, &deflate(head.as_bytes()));
    writing.section(6, "", &[(4, 5, 0), (7, 5, 7)]);
    writing.bytes
}

fn object_streams_extending_each_other() -> Vec<u8> {
    let mut writing = Writing::with_page();
    writing.stream(5, "/Type /ObjStm /N 6 0 R /First 7 0 R /Extends 8 0 R", b"6 0 5 0 R");
    writing.stream(8, "/Type /ObjStm /N 7 0 R /First 6 0 R /Extends 5 0 R", b"7 0 8 0 R");
    writing.section(9, "", &[(6, 8, 0), (7, 5, 0), (4, 5, 1)]);
    writing.bytes
}

fn lengths_in_themselves() -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R /AcroForm 5 0 R >>");
    writing.object(2, "<< /Type /Pages /Kids [6 0 R 7 0 R] /Count 2 >>");
    writing.object(5, "<< /Length 5 0 R /Fields [5 0 R 6 0 R] >>\nstream\n5 0 R\nendstream");
    writing.object(
        8,
        "<< /Type /ObjStm /N 8 0 R /First 9 0 R /Length 8 0 R >>\nstream\n6 0 7 1 <<>>\nendstream",
    );
    writing.object(9, "<< /Length 8 0 R /Filter 9 0 R /DecodeParms 9 0 R >>\nstream\n4\nendstream");
    writing.section(10, "", &[(6, 8, 0), (7, 9, 0)]);
    writing.bytes
}

fn predictors_out_of_range() -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    let mut within = Vec::new();
    let mut kids = String::new();
    let cases = [
        "/Predictor 15 /Colors 64 /BitsPerComponent 16 /Columns 16777216",
        "/Predictor 12 /Columns 9223372036854775807",
        "/Predictor 2 /Colors -1 /Columns 0",
        "/Predictor 2 /BitsPerComponent 8 /Columns 16777216",
        "/Predictor 9223372036854775807 /Colors 1",
        "/Predictor 10 /Columns 1",
        "/Predictor 14 /Colors 64 /Columns 1",
    ];
    for (index, case) in (0..).zip(cases) {
        let data = deflate(&vec![4; 8 << 20]);
        let entries = format!("/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /DecodeParms << {case} >>");
        writing.stream(10 + index, &entries, &data);
        within.push((100 + index, 10 + index, 0));
        kids.push_str(&format!("{} 0 R ", 100 + index));
    }
    writing.object(2, &format!("<< /Type /Pages /Kids [{kids}] /Count 1 >>"));
    writing.section(200, "", &within);
    writing.bytes
}

fn filters_of_all_kinds() -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    let runs = [129u8, b' '].repeat(1 << 17);
    // Codes that lengthen the same string: each is one byte longer than the one before it.
    let codes: Vec<u16> = std::iter::once(256).chain([32]).chain(258..4096).collect();
    let lzw = lzw_codes(&codes);
    let cases: [(&str, Vec<u8>); 6] = [
        ("/RunLengthDecode", runs.clone()),
        ("/LZWDecode", lzw.clone()),
        ("[/LZWDecode /LZWDecode]", lzw),
        ("/ASCIIHexDecode", vec![b'2'; 12 << 20]),
        ("/ASCII85Decode", vec![b'z'; 8 << 20]),
        ("[/RunLengthDecode /RunLengthDecode]", runs),
    ];
    let mut within = Vec::new();
    let mut kids = String::new();
    for (index, (filter, data)) in (0..).zip(cases) {
        writing.stream(10 + index, &format!("/Type /ObjStm /N 1 /First 4 /Filter {filter}"), &data);
        within.push((100 + index, 10 + index, 0));
        kids.push_str(&format!("{} 0 R ", 100 + index));
    }
    writing.object(2, &format!("<< /Type /Pages /Kids [{kids}] /Count 1 >>"));
    writing.section(200, "", &within);
    writing.bytes
}

/// Codes of LZW in 9 to 12 bits, as EarlyChange 1 wants them.
fn lzw_codes(codes: &[u16]) -> Vec<u8> {
    let (mut out, mut bits, mut have) = (Vec::new(), 0u32, 0);
    for (index, code) in codes.iter().enumerate() {
        let width = match index + 257 {
            0..=511 => 9,
            512..=1023 => 10,
            1024..=2047 => 11,
            _ => 12,
        };
        bits = bits << width | u32::from(*code);
        have += width;
        while have >= 8 {
            have -= 8;
            out.push(u8::try_from(bits >> have & 255).unwrap());
        }
        bits &= (1 << have) - 1;
    }
    out
}

fn widths_and_indexes_that_lie() -> Vec<u8> {
    let mut writing = Writing::with_page();
    let mut start = writing.table("");
    for (index, entries) in (0..).zip([
        "/W [8 8 8] /Index [0 8388607]",
        "/W [1 2 1] /Index [8388606 1 0 1 8388606 1 0 1]",
        "/W [0 1 0] /Index [0 4294967295]",
        "/W [1 1 1 9999] /Index [0 -1]",
        "/W [1 0 0] /Index [0 8388607]",
    ]) {
        let data = deflate(&vec![1; 1 << 20]);
        let entries = format!("/Type /XRef /Size 9 /Root 1 0 R /Filter /FlateDecode /Prev {start} {entries}");
        start = writing.bytes.len();
        writing.stream(9 + index, &entries, &data);
    }
    writing.end(start);
    writing.bytes
}
