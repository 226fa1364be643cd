//! Whose turn it is: one approval at a time for each login, the others wait in the order they
//! came, and no client can fill the line.
//!
//! An [`Approval`](crate::approval::Approval) is opened when its turn comes. Nothing is written
//! down and nobody is asked for one that is withdrawn before.

use std::collections::VecDeque;

use crate::error::ErrorCode;

/// The line. `C` is what a client is counted by.
#[derive(Debug, Clone)]
pub struct Queue<C> {
    limits: Limits,
    presented: Option<Entry<C>>,
    waiting: VecDeque<Entry<C>>,
}

/// How many may wait, the one whose turn it is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Of one client.
    pub per_client: usize,
    /// Of all.
    pub total: usize,
}

/// Where somebody stands who came into the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Behind this many, the one whose turn it is included.
    Behind(usize),
    /// Its turn is now.
    Now,
}

/// The line is full for this client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many approvals wait already")]
pub struct Busy;

#[derive(Debug, Clone)]
struct Entry<C> {
    number: u64,
    client: C,
}

impl<C: PartialEq> Queue<C> {
    /// An empty line.
    pub const fn new(limits: Limits) -> Self {
        Self { limits, presented: None, waiting: VecDeque::new() }
    }

    /// Puts approval `number` of `client` at the end.
    ///
    /// # Errors
    /// Where this client or all together have as many waiting as they may.
    pub fn enter(&mut self, number: u64, client: C) -> Result<Place, Busy> {
        let entry = Entry { number, client };
        if self.presented.is_none() {
            self.presented = Some(entry);
            return Ok(Place::Now);
        }
        let own = self.waiting.iter().filter(|other| other.client == entry.client).count();
        if own >= self.limits.per_client || self.waiting.len() >= self.limits.total {
            return Err(Busy);
        }
        self.waiting.push_back(entry);
        Ok(Place::Behind(self.waiting.len()))
    }

    /// Takes approval `number` out, wherever it is, and says whose turn it is now if that is
    /// another's than before. A number that is not there changes nothing.
    pub fn leave(&mut self, number: u64) -> Option<u64> {
        if self.presented() == Some(number) {
            self.presented = self.waiting.pop_front();
            return self.presented();
        }
        self.waiting.retain(|entry| entry.number != number);
        None
    }

    /// Whose turn it is.
    pub fn presented(&self) -> Option<u64> {
        self.presented.as_ref().map(|entry| entry.number)
    }

    /// How many wait behind it.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { per_client: 4, total: 64 }
    }
}

impl Busy {
    /// The stable code.
    pub const fn code(self) -> ErrorCode {
        ErrorCode::ApprovalBusy
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_has_its_turn_and_the_others_theirs_in_order() {
        let mut queue = Queue::new(Limits { per_client: 2, total: 3 });
        assert_eq!(queue.enter(1, "a"), Ok(Place::Now));
        assert_eq!(queue.enter(2, "a"), Ok(Place::Behind(1)));
        assert_eq!(queue.enter(3, "b"), Ok(Place::Behind(2)));
        assert_eq!((queue.presented(), queue.waiting()), (Some(1), 2));
        assert_eq!(queue.leave(1), Some(2));
        assert_eq!(queue.leave(2), Some(3));
        assert_eq!(queue.leave(3), None);
        assert_eq!((queue.presented(), queue.waiting()), (None, 0));
        assert_eq!(queue.enter(4, "a"), Ok(Place::Now));
    }

    #[test]
    fn one_client_cannot_fill_the_line_and_all_cannot_pass_its_end() {
        let mut queue = Queue::new(Limits { per_client: 2, total: 3 });
        for number in 1..=3 {
            queue.enter(number, "a").unwrap();
        }
        assert_eq!(queue.enter(4, "a").map_err(Busy::code), Err(ErrorCode::ApprovalBusy));
        assert_eq!(queue.enter(5, "b"), Ok(Place::Behind(3)));
        assert_eq!(queue.enter(6, "c"), Err(Busy));
        assert_eq!(queue.leave(2), None);
        assert_eq!(queue.enter(7, "c"), Ok(Place::Behind(3)));
    }

    #[test]
    fn one_that_is_withdrawn_while_it_waits_never_has_a_turn() {
        let mut queue = Queue::new(Limits::default());
        for number in 1..=3 {
            queue.enter(number, "a").unwrap();
        }
        assert_eq!(queue.leave(2), None);
        assert_eq!(queue.leave(9), None);
        assert_eq!(queue.leave(1), Some(3));
    }

    proptest! {
        /// Law 6: at most one has its turn, nobody waits while it is nobody's turn, limits hold,
        /// and those that stay have their turns in the order in which they came.
        #[test]
        fn law_6_one_at_a_time_and_bounded(steps in prop::collection::vec((any::<bool>(), 0_u64..12), 0..200)) {
            let limits = Limits { per_client: 3, total: 6 };
            let mut queue = Queue::new(limits);
            let mut expected: Vec<(u64, u64)> = Vec::new();
            let mut next = 0;
            for (enters, value) in steps {
                if enters {
                    let client = value % 4;
                    let own = expected.iter().skip(1).filter(|(_, other)| *other == client).count();
                    let full = own >= limits.per_client || expected.len() > limits.total;
                    prop_assert_eq!(queue.enter(next, client).is_err(), full);
                    if !full {
                        expected.push((next, client));
                    }
                    next += 1;
                } else {
                    let number = next.saturating_sub(value);
                    let turn = expected.first().copied();
                    expected.retain(|(other, _)| *other != number);
                    let changed = turn != expected.first().copied();
                    let now = expected.first().map(|(number, _)| *number).filter(|_| changed);
                    prop_assert_eq!(queue.leave(number), now);
                }
                prop_assert_eq!(queue.presented(), expected.first().map(|(number, _)| *number));
                prop_assert_eq!(queue.waiting(), expected.len().saturating_sub(1));
            }
        }
    }
}
