//! The service, the token host and the command line of CyberCore Signer.
