//! What a screen reader finds in a window.

use serde_json::Value;

/// One thing that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What it is, in AT-SPI's words.
    pub role: String,
    /// What it is called.
    pub name: String,
    /// What is more to be said of it.
    pub description: String,
    /// What stands in it, where that can be read.
    pub text: Option<String>,
    states: Vec<String>,
}

/// All that is read, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading(Vec<Node>);

impl Node {
    /// Whether it is in a state, in AT-SPI's words.
    pub fn is(&self, state: &str) -> bool {
        self.states.iter().any(|known| known == state)
    }
}

impl Reading {
    /// Reads the lines of `at_spi.py dump`.
    ///
    /// # Panics
    /// Where a line is none.
    pub(crate) fn parse(lines: &str) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let node = |line: &str| {
            let value: Value = serde_json::from_str(line).expect("the script writes JSON");
            Node {
                role: text(&value["role"]),
                name: text(&value["name"]),
                description: text(&value["description"]),
                text: value["text"].as_str().map(str::to_owned),
                states: value["states"].as_array().into_iter().flatten().map(text).collect(),
            }
        };
        Self(lines.lines().map(node).collect())
    }

    /// Everything, one after the other.
    pub fn nodes(&self) -> &[Node] {
        &self.0
    }

    /// Whether these words stand anywhere.
    pub fn says(&self, words: &str) -> bool {
        self.0.iter().any(|node| {
            let places = [&node.name, &node.description];
            places.into_iter().chain(node.text.as_ref()).any(|place| place.contains(words))
        })
    }

    /// The button with this name.
    pub fn button(&self, name: &str) -> Option<&Node> {
        self.0.iter().find(|node| node.role.contains("button") && node.name == name)
    }

    /// Whether the button with this name does something.
    pub fn works(&self, name: &str) -> bool {
        self.button(name).is_some_and(|button| button.is("enabled"))
    }

    /// Whether the button with this name has the keyboard.
    pub fn has_focus(&self, name: &str) -> bool {
        self.button(name).is_some_and(|button| button.is("focused"))
    }

    /// How much is typed in the field, in the window's words.
    pub fn typed(&self) -> Option<&str> {
        let field = self.0.iter().find(|node| node.role == "password text")?;
        Some(&field.description)
    }
}
