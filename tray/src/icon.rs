//! The icon beside the clock, as long as the program lives. The window does not depend on it.

use tray_icon::{
    Icon, TrayIcon, TrayIconBuilder, TrayIconEvent,
    menu::{Menu, MenuEvent, MenuId, MenuItem},
};

use crate::{
    os::Appearance,
    text::{Language, MenuEntry, Sentence},
    view::{paint, palette::Palette},
};

/// The tooltip carries the picture a second time: it stays small.
const SIZE: u32 = 24;
const TITLE: &str = "CyberCore Signer";

/// What is shown while this lives.
pub(crate) struct TrayPicture(#[expect(dead_code, reason = "the icon goes when it is dropped")] TrayIcon);

/// Why there is no icon.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IconError {
    /// The system shows none.
    #[error(transparent)]
    Icon(#[from] tray_icon::Error),
    /// The menu cannot be made.
    #[error(transparent)]
    Menu(#[from] tray_icon::menu::Error),
    /// The picture cannot be made.
    #[error("the icon cannot be drawn")]
    Picture,
}

impl TrayPicture {
    /// Shows the icon; on the main thread. `tell` is called from any thread.
    ///
    /// # Errors
    /// Where the system has no place for icons.
    pub(crate) fn show(
        language: Language,
        tell: impl Fn(MenuEntry) + Send + Sync + 'static,
    ) -> Result<Self, IconError> {
        let menu = Menu::new();
        for (entry, id) in ENTRIES {
            let words = Sentence::Menu(entry).say(language);
            menu.append(&MenuItem::with_id(MenuId::new(id), words, true, None))?;
        }
        let tell = std::sync::Arc::new(tell);
        let of_menu = tell.clone();
        MenuEvent::set_event_handler(Some(move |event: MenuEvent| {
            let chosen = ENTRIES.iter().find(|(_, id)| event.id().as_ref() == *id);
            if let Some((entry, _)) = chosen {
                of_menu(*entry);
            }
        }));
        TrayIconEvent::set_event_handler(Some(move |event: TrayIconEvent| {
            if matches!(event, TrayIconEvent::Click { .. }) {
                tell(MenuEntry::View);
            }
        }));
        let palette = Palette::of(Appearance::default());
        let pixels = paint::icon(SIZE, palette).ok_or(IconError::Picture)?;
        let picture = Icon::from_rgba(pixels, SIZE, SIZE).map_err(|_| IconError::Picture)?;
        let icon = TrayIconBuilder::new()
            .with_menu(Box::new(menu))
            .with_tooltip(TITLE)
            .with_title(TITLE)
            .with_icon(picture)
            .with_menu_on_left_click(false)
            .build()?;
        Ok(Self(icon))
    }
}

const ENTRIES: [(MenuEntry, &str); 3] =
    [(MenuEntry::View, "view"), (MenuEntry::Deny, "deny"), (MenuEntry::Quit, "quit")];
