//! The protocols between the processes of CyberCore Signer, in one page.
