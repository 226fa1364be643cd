//! What happened, for every error code, in the three languages.

use signer_core::error::ErrorCode;

use crate::text::Sentence;

/// The sentence of a code.
pub(super) const fn sentence(code: ErrorCode) -> Sentence {
    match code {
        ErrorCode::ApprovalBusy => [
            "Já há pedidos demais à espera de confirmação.",
            "Too many requests are waiting for confirmation.",
            "Ya hay demasiadas solicitudes en espera de confirmación.",
        ],
        ErrorCode::ApprovalCancelled => {
            ["O pedido foi cancelado.", "The request was cancelled.", "La solicitud fue cancelada."]
        }
        ErrorCode::ApprovalDenied => {
            ["O pedido foi negado.", "The request was denied.", "La solicitud fue denegada."]
        }
        ErrorCode::ApprovalExpired => [
            "O tempo para confirmar acabou.",
            "The time to confirm ran out.",
            "Se acabó el tiempo para confirmar.",
        ],
        ErrorCode::AuditBroken => [
            "A trilha de auditoria foi alterada: a cadeia está quebrada.",
            "The audit trail was changed: its chain is broken.",
            "El registro de auditoría fue alterado: la cadena está rota.",
        ],
        ErrorCode::AuditUnavailable => [
            "A trilha de auditoria não pôde ser gravada; nada foi assinado.",
            "The audit trail cannot be written; nothing was signed.",
            "No se pudo escribir el registro de auditoría; no se firmó nada.",
        ],
        ErrorCode::CertificationNotFirst => [
            "Só a primeira assinatura pode certificar um documento, e este já está assinado; assine sem certificar.",
            "Only the first signature can certify a document, and this one is signed already; sign without certifying.",
            "Solo la primera firma puede certificar un documento, y este ya está firmado; firme sin certificar.",
        ],
        ErrorCode::ChainUntrusted => [
            "A cadeia do certificado não leva a uma raiz confiável.",
            "The certificate's chain does not lead to a trusted root.",
            "La cadena del certificado no lleva a una raíz de confianza.",
        ],
        ErrorCode::ConfigInvalid => [
            "A configuração tem um erro.",
            "The configuration has an error.",
            "La configuración tiene un error.",
        ],
        ErrorCode::CredentialAmbiguous => [
            "Há mais de um certificado; diga qual com --certificate.",
            "There is more than one certificate; say which with --certificate.",
            "Hay más de un certificado; indique cuál con --certificate.",
        ],
        ErrorCode::CredentialExpired => {
            ["O certificado está vencido.", "The certificate has expired.", "El certificado está vencido."]
        }
        ErrorCode::CredentialKeyMismatch => [
            "A chave privada não é a do certificado.",
            "The private key is not the certificate's.",
            "La clave privada no es la del certificado.",
        ],
        ErrorCode::CredentialNotForSigning => [
            "Este certificado não permite assinar (uso da chave).",
            "This certificate may not sign (key usage).",
            "Este certificado no permite firmar (uso de la clave).",
        ],
        ErrorCode::CredentialNotFound => [
            "Nenhum certificado corresponde ao pedido.",
            "No certificate fits the request.",
            "Ningún certificado corresponde a la solicitud.",
        ],
        ErrorCode::CredentialNotYetValid => [
            "O certificado ainda não é válido.",
            "The certificate is not valid yet.",
            "El certificado aún no es válido.",
        ],
        ErrorCode::CredentialUnreadable => [
            "O arquivo do certificado não pôde ser lido.",
            "The certificate file cannot be read.",
            "No se pudo leer el archivo del certificado.",
        ],
        ErrorCode::CredentialWeak => [
            "A chave ou o resumo criptográfico é fraco demais para novas assinaturas.",
            "The key or digest is too weak for new signatures.",
            "La clave o el resumen criptográfico es demasiado débil para nuevas firmas.",
        ],
        ErrorCode::DocumentAmbiguous => [
            "O arquivo pode ser lido de duas maneiras diferentes e por isso não é assinado.",
            "The file can be read in two different ways and is therefore not signed.",
            "El archivo puede leerse de dos maneras diferentes y por eso no se firma.",
        ],
        ErrorCode::DocumentChangesForbidden => [
            "Uma assinatura do documento proíbe qualquer alteração, até novas assinaturas; peça ao autor outra cópia.",
            "A signature of the document forbids every change, further signatures too; ask its author for another copy.",
            "Una firma del documento prohíbe cualquier cambio, incluso nuevas firmas; pida al autor otra copia.",
        ],
        ErrorCode::DocumentEncrypted => [
            "O documento está cifrado para certos destinatários ou de um modo que este programa não abre.",
            "The document is encrypted for certain recipients, or in a way that this program does not open.",
            "El documento está cifrado para ciertos destinatarios o de un modo que este programa no abre.",
        ],
        ErrorCode::DocumentLimitExceeded => [
            "O documento passa dos limites de tamanho ou de profundidade aceitos.",
            "The document passes the accepted limits of size or depth.",
            "El documento supera los límites aceptados de tamaño o profundidad.",
        ],
        ErrorCode::DocumentPasswordRequired => [
            "O documento precisa de uma senha para ser aberto.",
            "The document needs a password to be opened.",
            "El documento necesita una contraseña para abrirse.",
        ],
        ErrorCode::DocumentPasswordWrong => [
            "A senha do documento está incorreta.",
            "The password of the document is wrong.",
            "La contraseña del documento es incorrecta.",
        ],
        ErrorCode::DocumentPermissionDenied => [
            "As permissões do documento não incluem esta assinatura; a senha do proprietário a libera.",
            "The document's permissions do not include this signature; the owner password lifts that.",
            "Los permisos del documento no incluyen esta firma; la contraseña del propietario lo permite.",
        ],
        ErrorCode::DocumentUnreadable => [
            "O arquivo não é um PDF, está danificado ou usa um recurso que não é suportado.",
            "The file is not a PDF, is damaged, or uses a feature that is not supported.",
            "El archivo no es un PDF, está dañado o usa una función que no se admite.",
        ],
        ErrorCode::FieldAlreadySigned => [
            "O campo de assinatura já está assinado; escolha um campo vazio ou um novo.",
            "The signature field is already signed; choose an empty field or a new one.",
            "El campo de firma ya está firmado; elija un campo vacío o uno nuevo.",
        ],
        ErrorCode::FieldLocked => [
            "Uma assinatura anterior bloqueia este campo; assine em um que ela deixa livre ou peça ao autor outra cópia.",
            "An earlier signature locks this field; sign in one that it leaves free, or ask the author for another copy.",
            "Una firma anterior bloquea este campo; firme en uno que deje libre o pida al autor otra copia.",
        ],
        ErrorCode::FieldNameUnusable => [
            "O novo campo não pode ter esse nome: já existe, está vazio ou tem um ponto; dê outro ou nenhum.",
            "The new field cannot have that name: it is taken, empty or has a period; give another one or none.",
            "El nuevo campo no puede tener ese nombre: ya existe, está vacío o tiene un punto; dé otro o ninguno.",
        ],
        ErrorCode::FieldNotFound => [
            "O documento não tem um campo de assinatura com esse nome; escreva-o por inteiro, com os pontos.",
            "The document has no signature field of that name; write it in full, with its periods.",
            "El documento no tiene un campo de firma con ese nombre; escríbalo completo, con los puntos.",
        ],
        ErrorCode::HostRefused => [
            "O endereço usado não é o deste serviço.",
            "The address used is not this service's.",
            "La dirección usada no es la de este servicio.",
        ],
        ErrorCode::IdempotencyConflict => [
            "A mesma chave de idempotência veio com outro pedido.",
            "The same idempotency key came with another request.",
            "La misma clave de idempotencia llegó con otra solicitud.",
        ],
        ErrorCode::InputChanged => [
            "O arquivo de entrada mudou enquanto era assinado; nada foi gravado.",
            "The input changed while it was signed; nothing was written.",
            "El archivo de entrada cambió mientras se firmaba; no se guardó nada.",
        ],
        ErrorCode::InputUnreadable => [
            "O arquivo de entrada não pôde ser aberto ou lido; confira o caminho e a permissão.",
            "The input file cannot be opened or read; check its path and permissions.",
            "No se pudo abrir o leer el archivo de entrada; compruebe la ruta y los permisos.",
        ],
        ErrorCode::Internal => [
            "Erro interno do CyberCore Signer.",
            "Internal error of CyberCore Signer.",
            "Error interno de CyberCore Signer.",
        ],
        ErrorCode::KeystoreUnavailable => [
            "O chaveiro do sistema não está disponível, está bloqueado ou recusou.",
            "The keystore of the system is not available, is locked, or refused.",
            "El llavero del sistema no está disponible, está bloqueado o se negó.",
        ],
        ErrorCode::MediaTypeUnsupported => [
            "O tipo de conteúdo não é aceito aqui.",
            "The media type is not accepted here.",
            "El tipo de contenido no se acepta aquí.",
        ],
        ErrorCode::MethodNotAllowed => [
            "O recurso não aceita esse método.",
            "The resource has no such method.",
            "El recurso no acepta ese método.",
        ],
        ErrorCode::ModuleArchitecture => [
            "O módulo PKCS#11 é de outra arquitetura (por exemplo, 32 bits).",
            "The PKCS#11 module is for another architecture (for example 32-bit).",
            "El módulo PKCS#11 es de otra arquitectura (por ejemplo, 32 bits).",
        ],
        ErrorCode::ModuleCrashed => [
            "O módulo PKCS#11 falhou e foi encerrado.",
            "The PKCS#11 module crashed and was ended.",
            "El módulo PKCS#11 falló y fue terminado.",
        ],
        ErrorCode::ModuleNotFound => [
            "O módulo PKCS#11 não existe nesse caminho.",
            "There is no PKCS#11 module at that path.",
            "El módulo PKCS#11 no existe en esa ruta.",
        ],
        ErrorCode::ModuleQuarantined => [
            "O módulo PKCS#11 falhou repetidas vezes e não é mais carregado.",
            "The PKCS#11 module failed again and again and is not loaded any more.",
            "El módulo PKCS#11 falló repetidas veces y ya no se carga.",
        ],
        ErrorCode::ModuleUnusable => [
            "O módulo PKCS#11 não pôde ser carregado.",
            "The PKCS#11 module cannot be loaded.",
            "No se pudo cargar el módulo PKCS#11.",
        ],
        ErrorCode::OriginRefused => [
            "A origem do pedido não é aceita.",
            "The origin of the request is not accepted.",
            "El origen de la solicitud no se acepta.",
        ],
        ErrorCode::OtherLogin => [
            "O pedido veio de outro usuário deste computador.",
            "The request comes from another user of this computer.",
            "La solicitud viene de otro usuario de este equipo.",
        ],
        ErrorCode::OutputExists => [
            "O arquivo de saída já existe; use --force para substituí-lo.",
            "The output exists already; use --force to replace it.",
            "El archivo de salida ya existe; use --force para reemplazarlo.",
        ],
        ErrorCode::OutputUnwritable => [
            "O arquivo de saída não pôde ser gravado.",
            "The output cannot be written.",
            "No se pudo guardar el archivo de salida.",
        ],
        ErrorCode::PageNotFound => [
            "O documento não tem essa página; elas contam a partir de 1.",
            "The document has no such page; they count from 1.",
            "El documento no tiene esa página; se cuentan desde 1.",
        ],
        ErrorCode::PairingRequired => [
            "O site ou programa ainda não tem permissão.",
            "The site or program is not permitted yet.",
            "El sitio o programa aún no tiene permiso.",
        ],
        ErrorCode::PasswordIncorrect => [
            "A senha do arquivo de certificado está incorreta.",
            "The password of the certificate file is wrong.",
            "La contraseña del archivo de certificado es incorrecta.",
        ],
        ErrorCode::PinIncorrect => ["PIN incorreto.", "Wrong PIN.", "PIN incorrecto."],
        ErrorCode::PinLastTry => [
            "Resta uma única tentativa do PIN, e ela não foi confirmada; o PIN não foi tentado.",
            "Only one try of the PIN is left, and it was not confirmed; the PIN was not tried.",
            "Queda un solo intento del PIN, y no fue confirmado; el PIN no se intentó.",
        ],
        ErrorCode::PinLocked => ["O PIN está bloqueado.", "The PIN is locked.", "El PIN está bloqueado."],
        ErrorCode::PinUnusable => [
            "O PIN expirou ou nunca foi definido; defina-o com o programa do token.",
            "The PIN has expired or was never set; set it with the token's own program.",
            "El PIN expiró o nunca fue definido; defínalo con el programa del token.",
        ],
        ErrorCode::PortUnavailable => [
            "Nenhuma das portas do serviço está livre.",
            "None of the service's ports is free.",
            "Ninguno de los puertos del servicio está libre.",
        ],
        ErrorCode::ProtocolMismatch => [
            "Partes do programa são de versões diferentes; reinstale-o.",
            "Parts of the program are of different versions; reinstall it.",
            "Partes del programa son de versiones diferentes; reinstálelo.",
        ],
        ErrorCode::RequestMalformed => [
            "O pedido não pôde ser entendido.",
            "The request cannot be understood.",
            "La solicitud no se pudo entender.",
        ],
        ErrorCode::RequestTimeout => [
            "O pedido demorou demais a chegar.",
            "The request arrived too slowly.",
            "La solicitud tardó demasiado en llegar.",
        ],
        ErrorCode::RequestTooLarge => [
            "O pedido passa do tamanho aceito.",
            "The request is larger than accepted.",
            "La solicitud supera el tamaño aceptado.",
        ],
        ErrorCode::ResourceNotFound => [
            "O recurso não existe ou já foi descartado.",
            "The resource does not exist or is gone.",
            "El recurso no existe o ya fue descartado.",
        ],
        ErrorCode::SealOutsidePage => [
            "O selo não cabe na página no lugar pedido.",
            "The seal does not fit on the page at the place that was asked for.",
            "El sello no cabe en la página en el lugar pedido.",
        ],
        ErrorCode::SecretMissing => [
            "É preciso uma senha ou um PIN, e nenhum foi dado: digite-o num terminal ou use um arquivo.",
            "A password or PIN is needed, and none was given: type it on a terminal or use a file.",
            "Se necesita una contraseña o un PIN, y no se dio ninguno: escríbalo en un terminal o use un archivo.",
        ],
        ErrorCode::SeedValueUnmet => [
            "O campo de assinatura exige algo que esta assinatura não tem.",
            "The signature field asks for something that this signature has not.",
            "El campo de firma exige algo que esta firma no tiene.",
        ],
        ErrorCode::ServiceRunning => [
            "O serviço já está em execução.",
            "The service is running already.",
            "El servicio ya está en ejecución.",
        ],
        ErrorCode::ServiceUnavailable => [
            "O serviço não está em execução.",
            "The service is not running.",
            "El servicio no está en ejecución.",
        ],
        ErrorCode::SignatureInvalid => [
            "A assinatura feita não confere; nada foi gravado.",
            "The signature that was made does not verify; nothing was written.",
            "La firma realizada no es correcta; no se guardó nada.",
        ],
        ErrorCode::SignaturePending => [
            "A assinatura ainda não está pronta.",
            "The signature is not ready yet.",
            "La firma aún no está lista.",
        ],
        ErrorCode::StorageFull => [
            "Não há espaço no destino; nada foi gravado.",
            "No space is left at the destination; nothing was written.",
            "No hay espacio en el destino; no se guardó nada.",
        ],
        ErrorCode::TokenAbsent => [
            "O token ou cartão não está presente.",
            "The token or card is not present.",
            "El token o la tarjeta no está presente.",
        ],
        ErrorCode::TokenFailed => [
            "O token ou o seu módulo falhou.",
            "The token or its module failed.",
            "El token o su módulo falló.",
        ],
        ErrorCode::TokenInUse => [
            "Outro programa reservou o token ou cartão só para si.",
            "Another program keeps the token or card for itself.",
            "Otro programa reservó el token o la tarjeta solo para sí.",
        ],
        ErrorCode::TokenLoginEnded => [
            "O acesso ao token foi encerrado porque o computador foi suspenso ou a sessão foi bloqueada.",
            "The login at the token was ended because the computer slept or the session was locked.",
            "El acceso al token terminó porque el equipo se suspendió o la sesión se bloqueó.",
        ],
        ErrorCode::TokenRemoved => [
            "O token foi removido durante o uso.",
            "The token was removed while it was used.",
            "El token se retiró durante el uso.",
        ],
        ErrorCode::TooManyRequests => [
            "Pedidos demais ao mesmo tempo.",
            "Too many requests at once.",
            "Demasiadas solicitudes a la vez.",
        ],
        ErrorCode::TrayUnavailable => [
            "Não há como mostrar a confirmação: sem tela e sem agente de terminal.",
            "The confirmation cannot be shown: no display and no terminal agent.",
            "No se puede mostrar la confirmación: sin pantalla y sin agente de terminal.",
        ],
        ErrorCode::UnsupportedAlgorithm => [
            "O tipo de chave ou algoritmo não é suportado.",
            "The kind of key or algorithm is not supported.",
            "El tipo de clave o algoritmo no se admite.",
        ],
        ErrorCode::Usage => [
            "Os argumentos não combinam.",
            "The arguments do not fit together.",
            "Los argumentos no encajan.",
        ],
        ErrorCode::VisibleFieldForbidden => [
            "Uma assinatura anterior não permite um novo campo visível; assine sem selo, ou em um campo que o documento já tem.",
            "An earlier signature does not permit a new visible field; sign without a seal, or in a field that the document has.",
            "Una firma anterior no permite un nuevo campo visible; firme sin sello, o en un campo que el documento ya tiene.",
        ],
    }
}
