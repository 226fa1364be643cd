//! Tests of the layout, the colours and the tree over every page, language and scale.

use std::time::Duration;

use accesskit::{Role, TreeUpdate};
use tiny_skia::Pixmap;

use signer_ipc::message::Entry;

use crate::{
    access,
    os::{Appearance, Contrast, Scheme},
    screen::{ARM_DELAY, Input, Screen, Target, sample},
    text::Language,
    view::{
        Frame, Layer, Means, Node, Rect, Shape, WIDTH,
        fonts::Fonts,
        page::{self, Setting},
        paint,
        palette::{Colour, Palette, Tint},
    },
};

const LANGUAGES: [Language; 3] = [Language::Pt, Language::En, Language::Es];
const SCALES: [f32; 3] = [1.0, 1.25, 3.0];
const HIGHEST: f32 = 690.0;
const LOOKS: [Appearance; 4] = [
    Appearance { scheme: Scheme::Light, contrast: Contrast::Normal },
    Appearance { scheme: Scheme::Dark, contrast: Contrast::Normal },
    Appearance { scheme: Scheme::Light, contrast: Contrast::High },
    Appearance { scheme: Scheme::Dark, contrast: Contrast::High },
];

fn frame(screen: &mut Screen, fonts: &mut Fonts, scale: f32, highest: f32) -> Frame {
    let now = sample::BEGAN + ARM_DELAY;
    let compose = |screen: &Screen, fonts: &mut Fonts| {
        let mut setting = Setting { fonts, language: screen.language(), scale, highest, edge: 1.0, now };
        page::compose(screen.shown().expect("a sample is shown"), &mut setting)
    };
    let first = compose(screen, fonts);
    let measured = Input::Measured { seen: first.viewport.height, whole: first.whole };
    screen.take(measured, sample::BEGAN);
    compose(screen, fonts)
}

/// Every page in every language and scale.
fn each(mut look: impl FnMut(&str, &Frame, &Screen)) {
    let mut fonts = Fonts::new();
    for language in LANGUAGES {
        for scale in SCALES {
            for (name, mut screen) in sample::pages(language) {
                let frame = frame(&mut screen, &mut fonts, scale, HIGHEST);
                look(&format!("{name} {language:?} {scale}"), &frame, &screen);
            }
        }
    }
}

fn within(inner: Rect, outer: Rect) -> bool {
    const SLACK: f32 = 0.51;
    inner.x >= outer.x - SLACK
        && inner.y >= outer.y - SLACK
        && inner.right() <= outer.right() + SLACK
        && inner.bottom() <= outer.bottom() + SLACK
}

fn apart(a: Rect, b: Rect) -> bool {
    a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y
}

fn extent(shape: &Shape) -> Rect {
    match shape {
        Shape::Edge { rect, .. } | Shape::Fill { rect, .. } | Shape::Tick { rect, .. } => *rect,
        Shape::Words { x, y, block, .. } => Rect::new(*x, *y, block.width(), block.height()),
    }
}

#[test]
fn everything_stays_in_its_place() {
    each(|name, frame, _| {
        let window = Rect::new(0.0, 0.0, WIDTH, frame.height);
        for node in &frame.nodes {
            for shape in &node.shapes {
                assert!(
                    within(extent(shape), node.rect),
                    "{name}: {shape:?} leaves {:?} {:?}",
                    node.means,
                    node.rect
                );
            }
            match node.layer {
                Layer::Fixed => {
                    assert!(within(node.rect, window), "{name}: {:?} leaves the window", node.means);
                    assert!(apart(node.rect, frame.viewport), "{name}: {:?} stands on the body", node.means);
                }
                Layer::Body => assert!(
                    node.rect.x >= 0.0 && node.rect.right() <= WIDTH,
                    "{name}: {:?} leaves the body",
                    node.means
                ),
            }
        }
    });
}

#[test]
fn nothing_stands_on_anything_else() {
    each(|name, frame, _| {
        let shown: Vec<&Node> = frame.nodes.iter().collect();
        for (place, node) in shown.iter().enumerate() {
            for other in shown.iter().skip(place + 1).filter(|other| other.layer == node.layer) {
                assert!(apart(node.rect, other.rect), "{name}: {:?} and {:?}", node.means, other.means);
            }
        }
        // Between the rings of two that can have the focus something is left.
        let focusable: Vec<&&Node> = shown.iter().filter(|node| node.target().is_some()).collect();
        for (place, node) in focusable.iter().enumerate() {
            for other in focusable.iter().skip(place + 1).filter(|other| other.layer == node.layer) {
                assert!(apart(node.rect.grown(3.0), other.rect), "{name}: {node:?} and {other:?}");
            }
        }
    });
}

#[test]
fn the_buttons_are_always_seen_and_the_window_fits_the_screen() {
    each(|name, frame, screen| {
        let button = |wanted: Target| frame.nodes.iter().find(|node| node.target() == Some(wanted));
        let no = button(Target::No).unwrap_or_else(|| panic!("{name} has no way out"));
        assert!(no.layer == Layer::Fixed && no.rect.bottom() <= frame.height, "{name}");
        if let Some(yes) = button(Target::Yes) {
            assert!(yes.rect.bottom() <= frame.height && yes.rect.x > no.rect.x, "{name}");
        }
        assert!(frame.height <= HIGHEST, "{name} is {} high", frame.height);
        // What the Tab key visits is there.
        for target in screen.shown().unwrap().order() {
            assert!(target == Target::Body || button(target).is_some(), "{name}: {target:?} is not there");
        }
        assert_ne!(frame.focus, Some(Target::Yes), "{name}: the focus begins on yes");
    });
}

#[test]
fn a_small_screen_leaves_the_buttons_and_a_part_of_the_body() {
    let mut fonts = Fonts::new();
    for (name, mut screen) in sample::pages(Language::Es) {
        let frame = frame(&mut screen, &mut fonts, 1.0, 300.0);
        assert!(frame.viewport.height >= frame.whole.min(80.0) - 1.0, "{name}: {}", frame.viewport.height);
        let no = frame.nodes.iter().find(|node| node.target() == Some(Target::No)).unwrap();
        assert!(no.rect.bottom() <= frame.height, "{name}");
    }
}

#[test]
fn a_long_list_scrolls_to_its_end_and_what_is_hidden_is_not_pressed() {
    let mut fonts = Fonts::new();
    let mut pages = sample::pages(Language::Pt);
    let (_, screen) = pages.iter_mut().find(|(name, _)| *name == "selection-many").unwrap();
    let first = frame(screen, &mut fonts, 1.0, HIGHEST);
    assert!(first.whole > first.viewport.height, "the list does not need to scroll");
    let last = Target::Certificate(11);
    let place = |frame: &Frame| frame.nodes.iter().find(|node| node.target() == Some(last)).unwrap().rect;
    let hidden = place(&first);
    assert!(hidden.y > first.viewport.bottom());
    assert_eq!(first.target_at(hidden.x + 5.0, first.height - 1.0), None);

    let (top, bottom) = first.place_in_body(last, 0.0).unwrap();
    screen.take(Input::Reveal { top, bottom }, sample::BEGAN);
    let scrolled = frame(screen, &mut fonts, 1.0, HIGHEST);
    let seen = place(&scrolled);
    assert!(within(seen, scrolled.viewport), "{seen:?} is not in {:?}", scrolled.viewport);
    assert_eq!(scrolled.target_at(seen.x + 5.0, seen.y + 5.0), Some(last));
}

#[test]
fn colours_can_be_told_apart() {
    fn light(Colour(red, green, blue): Colour) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
    let words = [Tint::Text, Tint::Secondary, Tint::Success, Tint::Warning, Tint::Error];
    for look in LOOKS {
        let palette = Palette::of(look);
        let contrast = |a: Tint, b: Tint| {
            let (a, b) = (light(palette.colour(a)), light(palette.colour(b)));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        let least_for_words = match look.contrast {
            Contrast::High => 7.0,
            Contrast::Normal => 4.5,
        };
        for ground in [Tint::Background, Tint::Card] {
            for tint in words {
                let found = contrast(tint, ground);
                assert!(found >= least_for_words, "{look:?}: {tint:?} on {ground:?} has {found:.2}");
            }
            for tint in [Tint::Control, Tint::Accent] {
                let found = contrast(tint, ground);
                assert!(found >= 3.0, "{look:?}: {tint:?} on {ground:?} has {found:.2}");
            }
        }
        assert!(contrast(Tint::OnAccent, Tint::Accent) >= least_for_words, "{look:?}: words on the accent");
    }
}

#[test]
fn every_page_says_the_same_to_those_who_do_not_see_it() {
    each(|name, frame, screen| {
        let tree = access::tree(frame, "title", screen.language());
        let by_id = |id| tree.nodes.iter().find(|(other, _)| *other == id).map(|(_, node)| node);
        let ids: std::collections::BTreeSet<_> = tree.nodes.iter().map(|(id, _)| id.0).collect();
        assert_eq!(ids.len(), tree.nodes.len(), "{name}: a number is used twice");
        assert!(by_id(tree.focus).is_some(), "{name}: the focus is nowhere");
        let dialog = tree.nodes.iter().find(|(_, node)| node.role() == Role::AlertDialog).unwrap();
        assert!(dialog.1.is_modal() && dialog.1.bounds().is_some(), "{name}");
        for (id, node) in &tree.nodes {
            for child in node.children() {
                assert!(by_id(*child).is_some(), "{name}: {id:?} has a child that is not there");
            }
            let named = node.label().or_else(|| node.value()).is_some_and(|words| !words.is_empty());
            let group = node.role() == Role::Group;
            assert!(named || group, "{name}: a {:?} without words", node.role());
            assert!(node.bounds().is_some(), "{name}: a {:?} without a place", node.role());
            if matches!(node.role(), Role::Button | Role::CheckBox | Role::RadioButton) {
                assert!(node.supports_action(accesskit::Action::Click), "{name}");
            }
        }
        let order = reading_order(&tree);
        let wanted: Vec<Target> =
            screen.shown().unwrap().order().into_iter().filter(|target| *target != Target::Body).collect();
        let found: Vec<Target> =
            frame.nodes.iter().filter_map(Node::target).filter(|t| wanted.contains(t)).collect();
        let dead_no = screen.shown().unwrap().no_button() == crate::screen::Button::Dead;
        assert!(dead_no || found == wanted, "{name}: tab order {wanted:?}, drawn {found:?}");
        // Everything that is drawn in words is in what is read.
        for node in &frame.nodes {
            let words = match &node.means {
                Means::Alert(words)
                | Means::Heading(words)
                | Means::Item(words)
                | Means::Text(words)
                | Means::Timer(words, _)
                | Means::Title(words) => words,
                Means::Button { label, .. }
                | Means::Check { label, .. }
                | Means::Choice { label, .. }
                | Means::Progress { label, .. }
                | Means::Secret { label, .. } => label,
                Means::Decoration => continue,
            };
            assert!(order.contains(words), "{name}: {words} is not read");
        }
    });
}

#[test]
fn the_field_never_tells_what_was_typed() {
    let mut fonts = Fonts::new();
    let presented = sample::presented(&sample::single(), Entry::Pin);
    let mut screen = sample::screen(Language::Pt, presented);
    for character in "73914".chars() {
        screen.take(Input::Typed(character), sample::BEGAN + ARM_DELAY);
    }
    let frame = frame(&mut screen, &mut fonts, 1.0, HIGHEST);
    let tree = access::tree(&frame, "title", Language::Pt);
    let (_, field) = tree.nodes.iter().find(|(_, node)| node.role() == Role::PasswordInput).unwrap();
    assert_eq!(field.value(), None);
    assert_eq!(field.description(), Some("5 caracteres"));
    assert_eq!(field.label(), Some("PIN do certificado"));
    assert!(!format!("{tree:?}").contains("73914"));
}

#[test]
fn facts_are_read_with_their_labels() {
    let mut fonts = Fonts::new();
    let presented = sample::presented(&sample::single(), Entry::Pin);
    let mut screen = sample::screen(Language::Pt, presented);
    let frame = frame(&mut screen, &mut fonts, 1.0, HIGHEST);
    let order = reading_order(&access::tree(&frame, "title", Language::Pt));
    for fact in [
        "Confirmar assinatura",
        "portal.prefeitura.exemplo.gov.br\nquer assinar um documento com o seu certificado",
        "Documento: Contrato de prestação de serviços.pdf",
        "Páginas: 12 páginas · 84,3 kB · selo na página 12",
        "SHA-256: 3f7a 91c2 3f7a 91c2 3f7a 91c2 3f7a 91c2 3f7a 91c2 3f7a 91c2 3f7a 91c2 3f7a 91c2",
        "Titular: MARIA APARECIDA DA CONCEIÇÃO",
        "CPF: ***.456.789-**",
        "Emissor: AC EXEMPLO RFB v5",
        "Validade: até 12/03/2027",
        "Local: A3 (token) · SafeNet 5110",
        "Motivo: Aprovo o contrato",
        "Será negado em 60 s",
    ] {
        assert!(order.iter().any(|words| words == fact), "{fact} is not in {order:#?}");
    }
}

/// What cannot be taken back is read first, before the yes and while the secret is typed.
#[test]
fn a_certification_is_said_in_plain_words() {
    let mut fonts = Fonts::new();
    for (language, name, expected) in [
        (Language::Pt, "no-changes", "depois desta assinatura nada mais pode ser alterado"),
        (Language::En, "form-filling", "only filling in forms and signing are permitted"),
        (Language::Es, "annotations", "rellenar formularios, firmar y hacer anotaciones"),
        (Language::Pt, "iti-reference", "forma recomendada pelo ITI"),
    ] {
        let presented = sample::presented(&sample::certified(name), Entry::Pin);
        let mut screen = sample::screen(language, presented);
        let frame = frame(&mut screen, &mut fonts, 1.0, HIGHEST);
        let mut texts = frame.nodes.iter().filter(|node| node.layer != Layer::Fixed).map(|node| &node.means);
        let Some(Means::Text(first)) = texts.next() else { panic!("nothing is said first") };
        assert!(first.contains(expected), "{first}");
    }
}

/// So is what the field adds without being asked.
#[test]
fn the_lock_of_a_field_is_said_in_plain_words() {
    let mut fonts = Fonts::new();
    for (language, name, expected) in [
        (Language::Pt, "no-changes", "depois desta assinatura nada mais pode ser alterado"),
        (Language::En, "form-filling", "The field has a lock"),
        (Language::Es, "annotations", "rellenar formularios, firmar y hacer anotaciones"),
    ] {
        let presented = sample::presented(&sample::locked(name), Entry::Pin);
        let mut screen = sample::screen(language, presented);
        let frame = frame(&mut screen, &mut fonts, 1.0, HIGHEST);
        let mut texts = frame.nodes.iter().filter(|node| node.layer != Layer::Fixed).map(|node| &node.means);
        let Some(Means::Text(first)) = texts.next() else { panic!("nothing is said first") };
        assert!(first.contains(expected), "{first}");
    }
}

/// What a screen reader says, in its order.
fn reading_order(tree: &TreeUpdate) -> Vec<String> {
    fn walk(tree: &TreeUpdate, id: accesskit::NodeId, said: &mut Vec<String>) {
        let Some((_, node)) = tree.nodes.iter().find(|(other, _)| *other == id) else { return };
        said.extend(node.label().or_else(|| node.value()).map(str::to_owned));
        for child in node.children() {
            walk(tree, *child, said);
        }
    }
    let mut said = Vec::new();
    walk(tree, tree.tree.as_ref().unwrap().root, &mut said);
    said
}

/// Draws every page, and keeps the pictures where `SIGNER_PICTURES` names a folder.
#[test]
fn every_page_is_drawn() {
    let keep = std::env::var_os("SIGNER_PICTURES").map(std::path::PathBuf::from);
    let mut fonts = Fonts::new();
    for language in LANGUAGES {
        for (name, mut screen) in sample::pages(language) {
            let looks = match language {
                Language::Pt => 4,
                Language::En | Language::Es => 1,
            };
            for (look, scale) in LOOKS.into_iter().zip([1.0, 2.0, 1.25, 1.0]).take(looks) {
                let frame = frame(&mut screen, &mut fonts, scale, HIGHEST);
                let mut pixmap = Pixmap::new(size(WIDTH * scale), size(frame.height * scale)).unwrap();
                let palette = Palette::of(look);
                paint::paint(&frame, palette, &mut pixmap.as_mut());
                for (tint, least) in [(Tint::Text, 300), (Tint::Background, 5000)] {
                    let Colour(red, green, blue) = palette.colour(tint);
                    let found = pixmap
                        .pixels()
                        .iter()
                        .filter(|pixel| (pixel.red(), pixel.green(), pixel.blue()) == (red, green, blue))
                        .count();
                    assert!(found > least, "{name} {language:?} {look:?}: {found} pixels of {tint:?}");
                }
                if let Some(folder) = &keep {
                    let file =
                        format!("{name}-{language:?}-{:?}-{:?}-{scale}.png", look.scheme, look.contrast);
                    pixmap.save_png(folder.join(file.to_lowercase())).unwrap();
                }
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size of a picture")]
fn size(length: f32) -> u32 {
    length.ceil() as u32
}

#[test]
fn the_countdown_reaches_screen_readers_twice() {
    let mut fonts = Fonts::new();
    let presented = sample::presented(&sample::single(), Entry::Pin);
    let screen = sample::screen(Language::Pt, presented);
    let live = |left: u64, fonts: &mut Fonts| {
        let now = sample::BEGAN + Duration::from_secs(60 - left);
        let mut setting =
            Setting { fonts, language: Language::Pt, scale: 1.0, highest: HIGHEST, edge: 1.0, now };
        let frame = page::compose(screen.shown().unwrap(), &mut setting);
        let tree = access::tree(&frame, "title", Language::Pt);
        let (_, timer) = tree.nodes.iter().find(|(_, node)| node.role() == Role::Timer).unwrap();
        timer.live()
    };
    for (left, expected) in [
        (60, accesskit::Live::Off),
        (30, accesskit::Live::Polite),
        (29, accesskit::Live::Off),
        (10, accesskit::Live::Polite),
    ] {
        assert_eq!(live(left, &mut fonts), Some(expected), "{left} seconds");
    }
}
