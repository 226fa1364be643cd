//! References of the signed revision that led nowhere: whoever defines their objects later puts
//! something into what was signed.

use std::collections::{BTreeSet, HashSet};

use crate::pdf::document::Document;
use crate::pdf::later::{Effort, Stop};
use crate::pdf::object::Object;
use crate::pdf::source::Source;

/// Refuses a reference, anywhere in `old`, to one of the objects that were `added` later.
pub(super) fn none_to_added<S: Source>(
    old: &Document<S>,
    added: &BTreeSet<u32>,
    effort: &mut Effort,
) -> Result<(), Stop> {
    let mut seen = HashSet::new();
    let mut rest = vec![Object::Dictionary(old.trailer().clone())];
    while let Some(object) = rest.pop() {
        match object {
            Object::Reference(reference) => {
                if added.contains(&reference.number) {
                    return Err(Stop::Other("an object was added that the signed revision refers to"));
                }
                if seen.insert(reference) {
                    effort.spend(1)?;
                    rest.push(old.object(reference)?);
                }
            }
            Object::Array(items) => rest.extend(items.into_iter().filter(may_refer)),
            Object::Dictionary(entries) => {
                rest.extend(entries.iter().map(|(_, value)| value).filter(|value| may_refer(value)).cloned());
            }
            Object::Null
            | Object::Boolean(_)
            | Object::Integer(_)
            | Object::Real(_)
            | Object::String(_)
            | Object::Name(_) => {}
        }
    }
    Ok(())
}

const fn may_refer(object: &Object) -> bool {
    matches!(object, Object::Reference(_) | Object::Array(_) | Object::Dictionary(_))
}
