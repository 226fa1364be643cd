//! The window for those who do not see it: the nodes of a frame as an accessibility tree.
//!
//! One label for each fact, a field that tells how much was typed and never what, buttons that
//! say whether they work. What a screen reader presses goes the way of a click, delay included.

use accesskit::{
    Action, ActionRequest, Live, Node, NodeId, Rect as Bounds, Role, Toggled, TreeId, TreeInfo, TreeUpdate,
};

use crate::{
    screen::{Input, Target},
    text::Language,
    view::{Frame, Layer, Liveness, Mark, Means, Rect, WIDTH},
};

const ROOT: NodeId = NodeId(1);
const DIALOG: NodeId = NodeId(2);
const BODY: NodeId = NodeId(3);
const NO: NodeId = NodeId(4);
const YES: NodeId = NodeId(5);
const SECRET: NodeId = NodeId(6);
const REMEMBER: NodeId = NodeId(7);
/// Certificates have the numbers from here on.
const CERTIFICATES: u64 = 1_000_000;
/// Everything else has the numbers from here on, by its place.
const OTHERS: u64 = 2_000_000;

/// The seconds at which the time that is left is said aloud.
const TOLD: [u64; 2] = [30, 10];

/// The tree of a frame. It is always whole.
pub(crate) fn tree(frame: &Frame, title: &str, language: Language) -> TreeUpdate {
    let mut nodes = Vec::new();
    let (mut top, mut inside, mut bottom) = (Vec::new(), Vec::new(), Vec::new());
    let mut heading = None;
    let mut description = None;
    for (place, part) in frame.nodes.iter().enumerate() {
        let id = part.target().map_or_else(|| other(place), id_of);
        let Some(mut node) = node(&part.means) else { continue };
        node.set_bounds(bounds(part.rect, frame.scale));
        if matches!(part.means, Means::Title(_)) {
            heading = Some(id);
        } else if heading.is_some() && description.is_none() {
            description = Some(id);
        }
        nodes.push((id, node));
        match part.layer {
            Layer::Body => inside.push(id),
            Layer::Fixed if part.rect.y < frame.viewport.y => top.push(id),
            Layer::Fixed => bottom.push(id),
        }
    }
    let mut body = Node::new(Role::Group);
    body.set_bounds(bounds(frame.viewport, frame.scale));
    body.set_clips_children();
    if frame.whole > frame.viewport.height {
        body.add_action(Action::Focus);
        body.add_action(Action::ScrollDown);
        body.add_action(Action::ScrollUp);
    }
    body.set_children(inside);
    nodes.push((BODY, body));

    let whole = bounds(Rect::new(0.0, 0.0, WIDTH, frame.height), frame.scale);
    let mut dialog = Node::new(Role::AlertDialog);
    dialog.set_label(title);
    dialog.set_modal();
    dialog.set_bounds(whole);
    dialog.set_labelled_by(heading.into_iter().collect::<Vec<_>>());
    dialog.set_described_by(description.into_iter().collect::<Vec<_>>());
    top.push(BODY);
    top.append(&mut bottom);
    dialog.set_children(top);
    nodes.push((DIALOG, dialog));

    let mut root = Node::new(Role::Window);
    root.set_label(title);
    root.set_language(language.tag());
    root.set_bounds(whole);
    root.set_children([DIALOG]);
    nodes.push((ROOT, root));

    let focus = frame.focus.map_or(DIALOG, id_of);
    let focus = if nodes.iter().any(|(id, _)| *id == focus) { focus } else { DIALOG };
    TreeUpdate { nodes, tree: Some(TreeInfo::new(ROOT)), tree_id: TreeId::ROOT, focus }
}

/// What a screen reader asks for, as if it were done by hand.
#[expect(clippy::wildcard_enum_match_arm, reason = "accesskit's actions, of which few mean something here")]
pub(crate) fn input(request: &ActionRequest) -> Option<Input> {
    /// A line of the wheel.
    const LINE: f32 = 40.0;
    let target = target_of(request.target_node);
    match request.action {
        Action::Click => target.map(Input::Pressed),
        Action::Focus => target.map(Input::Focused),
        Action::ScrollDown => Some(Input::Scrolled(LINE)),
        Action::ScrollUp => Some(Input::Scrolled(-LINE)),
        _ => None,
    }
}

/// A node without its place; nothing for what is for the eye alone.
fn node(means: &Means) -> Option<Node> {
    Some(match means {
        Means::Decoration => return None,
        Means::Title(words) | Means::Heading(words) => labelled(Role::Heading, words),
        Means::Text(words) => said(Role::Label, words),
        Means::Item(words) => labelled(Role::ListItem, words),
        Means::Alert(words) => {
            let mut node = said(Role::Label, words);
            node.set_live(Live::Assertive);
            node
        }
        Means::Timer(words, seconds) => {
            let mut node = labelled(Role::Timer, words);
            let live = if TOLD.contains(seconds) { Live::Polite } else { Live::Off };
            node.set_live(live);
            node
        }
        Means::Progress { label, done, of } => {
            let mut node = labelled(Role::ProgressIndicator, label);
            node.set_numeric_value(f64::from(*done));
            node.set_min_numeric_value(0.0);
            node.set_max_numeric_value(f64::from(*of));
            node
        }
        Means::Button { label, state, .. } => {
            let mut node = pressed(labelled(Role::Button, label));
            match state {
                Liveness::Dead => node.set_disabled(),
                Liveness::Live => {}
            }
            node
        }
        Means::Choice { label, mark, .. } => {
            let mut node = pressed(labelled(Role::RadioButton, label));
            node.set_toggled(toggled(*mark));
            node
        }
        Means::Check { label, mark } => {
            let mut node = pressed(labelled(Role::CheckBox, label));
            node.set_toggled(toggled(*mark));
            node
        }
        Means::Secret { label, hint, length } => {
            let mut node = labelled(Role::PasswordInput, label);
            node.add_action(Action::Focus);
            node.set_placeholder(hint.as_str());
            if let Some(length) = length {
                node.set_description(length.as_str());
            }
            node
        }
    })
}

fn labelled(role: Role, words: &str) -> Node {
    let mut node = Node::new(role);
    node.set_label(words);
    node
}

fn said(role: Role, words: &str) -> Node {
    let mut node = Node::new(role);
    node.set_value(words);
    node
}

fn pressed(mut node: Node) -> Node {
    node.add_action(Action::Focus);
    node.add_action(Action::Click);
    node
}

const fn toggled(mark: Mark) -> Toggled {
    match mark {
        Mark::On => Toggled::True,
        Mark::Off => Toggled::False,
    }
}

fn id_of(target: Target) -> NodeId {
    match target {
        Target::Body => BODY,
        Target::Certificate(place) => NodeId(CERTIFICATES + u64::try_from(place).unwrap_or_default()),
        Target::No => NO,
        Target::Remember => REMEMBER,
        Target::Secret => SECRET,
        Target::Yes => YES,
    }
}

fn target_of(id: NodeId) -> Option<Target> {
    match id {
        BODY => Some(Target::Body),
        NO => Some(Target::No),
        REMEMBER => Some(Target::Remember),
        SECRET => Some(Target::Secret),
        YES => Some(Target::Yes),
        NodeId(id) if (CERTIFICATES..OTHERS).contains(&id) => {
            usize::try_from(id - CERTIFICATES).ok().map(Target::Certificate)
        }
        NodeId(_) => None,
    }
}

fn other(place: usize) -> NodeId {
    NodeId(OTHERS + u64::try_from(place).unwrap_or_default())
}

fn bounds(rect: Rect, scale: f32) -> Bounds {
    let at = |length: f32| f64::from(length * scale);
    Bounds::new(at(rect.x), at(rect.y), at(rect.right()), at(rect.bottom()))
}
