//! What is said before a PIN is spent on the last try, in the command line and the terminal agent.

use crate::text::Sentence;

/// What is at stake.
pub(crate) const CAUTION: Sentence = [
    "ATENÇÃO: resta UMA tentativa. Se o PIN estiver errado, o token será bloqueado e só o programa do fabricante o desbloqueia.",
    "CAUTION: ONE try is left. If the PIN is wrong, the token locks, and only its vendor's program unlocks it.",
    "ATENCIÓN: queda UN intento. Si el PIN es incorrecto, el token se bloqueará y solo el programa del fabricante lo desbloquea.",
];
/// Asks for [`WORD`].
pub(crate) const QUESTION: Sentence = [
    "Digite «arriscar» para usar a última tentativa: ",
    "Type 'risk' to use the last try: ",
    "Escriba «arriesgar» para usar el último intento: ",
];
/// The whole word that uses the last try.
pub(crate) const WORD: Sentence = ["arriscar", "risk", "arriesgar"];
