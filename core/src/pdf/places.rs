//! Where many objects are, in sixteen bytes for each: a damaged file may have half a million.

use crate::pdf::xref::Location;

/// The place of each object, in the order of the numbers; each number once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places(Vec<Place>);

/// The place of one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) number: u32,
    pub(crate) generation: u16,
    kind: Kind,
    /// An offset, or the number of an object stream above a place in it.
    value: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    At,
    Free,
    Within,
}

impl Place {
    pub(crate) fn new(number: u32, generation: u16, location: Location) -> Self {
        let (kind, value) = match location {
            Location::At(offset) => (Kind::At, offset),
            Location::Free => (Kind::Free, 0),
            Location::Within { stream, index } => (Kind::Within, u64::from(stream) << 32 | u64::from(index)),
        };
        Self { number, generation, kind, value }
    }

    pub(crate) fn location(&self) -> Location {
        match self.kind {
            Kind::At => Location::At(self.value),
            Kind::Free => Location::Free,
            Kind::Within => {
                let half = |value: u64| u32::try_from(value & u64::from(u32::MAX)).unwrap_or(u32::MAX);
                Location::Within { stream: half(self.value >> 32), index: half(self.value) }
            }
        }
    }
}

impl Places {
    /// Of places in any order; of those with one number the last counts.
    pub(crate) fn last_of(mut places: Vec<Place>) -> Self {
        // Stable: of one number the order stays.
        places.sort_by_key(|place| place.number);
        places.dedup_by(|later, kept| {
            let same = later.number == kept.number;
            if same {
                *kept = *later;
            }
            same
        });
        places.shrink_to_fit();
        Self(places)
    }

    pub(crate) fn set(&mut self, place: Place) {
        match self.0.binary_search_by_key(&place.number, |known| known.number) {
            Ok(index) => {
                if let Some(known) = self.0.get_mut(index) {
                    *known = place;
                }
            }
            Err(index) => self.0.insert(index, place),
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<Location> {
        let index = self.0.binary_search_by_key(&number, |place| place.number).ok()?;
        self.0.get(index).map(Place::location)
    }

    /// The highest number, or 0.
    pub(crate) fn highest(&self) -> u32 {
        self.0.last().map_or(0, |place| place.number)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Place> {
        self.0.iter()
    }

    /// Runs of consecutive numbers.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &[Place]> {
        self.0.chunk_by(|one, next| one.number.checked_add(1) == Some(next.number))
    }

    /// Adds free places, where these are not many more than the others, so that one run is left.
    pub(crate) fn fill_gaps(&mut self) {
        let highest = usize::try_from(self.highest()).unwrap_or(usize::MAX);
        if highest >= self.0.len().saturating_mul(2).saturating_add(4096) {
            return;
        }
        let mut filled = Vec::with_capacity(highest.saturating_add(1));
        let mut next = self.0.first().map_or(0, |place| place.number);
        for place in &self.0 {
            filled.extend((next..place.number).map(|number| Place::new(number, 0, Location::Free)));
            filled.push(*place);
            next = place.number.saturating_add(1);
        }
        self.0 = filled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_number_the_last_place_counts() {
        let at = |number, offset| Place::new(number, 0, Location::At(offset));
        let within = Location::Within { stream: 7, index: u32::MAX };
        let places = Places::last_of(vec![at(5, 1), at(2, 9), at(5, 3), Place::new(9, 1, within), at(2, 4)]);
        assert_eq!(
            [2, 5, 9, 1].map(|number| places.get(number)),
            [Some(Location::At(4)), Some(Location::At(3)), Some(within), None]
        );
        assert_eq!(places.highest(), 9);
    }

    #[test]
    fn gaps_are_filled_where_they_are_few() {
        let place = |number| Place::new(number, 0, Location::At(1));
        let mut places = Places::last_of(vec![place(0), place(3), place(4)]);
        assert_eq!(places.runs().map(<[Place]>::len).collect::<Vec<_>>(), [1, 2]);
        places.fill_gaps();
        assert_eq!(places.runs().map(<[Place]>::len).collect::<Vec<_>>(), [5]);
        assert_eq!((places.get(2), places.get(3)), (Some(Location::Free), Some(Location::At(1))));
        places.set(place(1_000_000));
        places.fill_gaps();
        assert_eq!(places.runs().count(), 2);
    }

    #[test]
    fn a_place_is_small() {
        assert_eq!(size_of::<Place>(), 16);
    }
}
