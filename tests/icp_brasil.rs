//! The roots of ICP-Brasil as ITI publishes them are the trust anchors that core pins.
//!
//! The certificates lie outside the repository; without them the test says so and passes.

use std::fs;

use signer_core::{
    cms::{certificate::Certificate, error::CmsError},
    trust::Anchors,
};
use signer_tests::shared;

#[test]
fn the_published_roots_are_anchors_and_sign_themselves() {
    let Some(folder) = shared().map(|shared| shared.join("icp-brasil/roots")).filter(|roots| roots.is_dir())
    else {
        println!("left out: the roots of ICP-Brasil are not beside this repository");
        return;
    };
    let anchors = Anchors::new(Vec::new());
    for version in ["v5", "v6", "v10", "v11", "v12"] {
        let bytes = fs::read(folder.join(format!("raiz{version}.cer"))).unwrap();
        let root = signer_core::cms::certificate::from_pem_or_der(&bytes).unwrap().remove(0);
        assert!(anchors.contains(&root), "{version}");
        assert!(root.is_authority() && root.is_self_issued(), "{version}");
        match (version, root.verify_signed_by(&root)) {
            // Ed448 is not supported.
            ("v6", Err(CmsError::UnsupportedAlgorithm { .. })) | (_, Ok(())) => {}
            (_, result) => panic!("{version}: {result:?}"),
        }
        let mut changed = root.to_der().to_vec();
        *changed.last_mut().unwrap() ^= 1;
        assert!(!anchors.contains(&Certificate::from_der(&changed).unwrap()), "{version}");
    }
}
