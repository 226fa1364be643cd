//! What the sample contract says, and how wide Helvetica sets it.

pub(super) const TITLE: &str = "Contrato de prestação de serviços (exemplo)";

pub(super) const PARTIES: &str = "Pelo presente instrumento, de um lado Empresa Fictícia Ltda., com sede na Rua das Amostras, 100, São Paulo, doravante CONTRATANTE, e de outro Maria Fictícia da Silva, residente na Avenida do Exemplo, 2000, Porto Alegre, doravante CONTRATADA, ajustam o que segue. Todas as pessoas, empresas e endereços são inventados.";

/// Clauses: a heading and its paragraphs.
pub(super) const CLAUSES: &[(&str, &[&str])] = &[
    (
        "1. Objeto",
        &[
            "A CONTRATADA prestará à CONTRATANTE serviços de revisão técnica de documentos eletrônicos, conforme o plano de trabalho aprovado pelas partes, com início na data da última assinatura deste contrato.",
            "O plano de trabalho descreve as etapas, os documentos de cada etapa e as pessoas que respondem por elas. Uma etapa só começa depois de aceita a anterior.",
        ],
    ),
    (
        "2. Prazo",
        &[
            "O prazo é de doze meses e pode ser prorrogado por acordo escrito, assinado eletronicamente por ambas as partes antes do seu término.",
        ],
    ),
    (
        "3. Preço e pagamento",
        &[
            "Pelos serviços a CONTRATANTE pagará R$ 12.000,00 em doze parcelas mensais e iguais, até o quinto dia útil do mês seguinte ao da prestação, mediante documento fiscal.",
            "O atraso sujeita o valor a juros de 1% ao mês, calculados dia a dia, e a multa de 2%, salvo quando causado por falta do documento fiscal.",
        ],
    ),
    (
        "4. Obrigações da contratada",
        &[
            "Executar os serviços com zelo; corrigir sem custo o que for entregue com defeito; manter registro das versões de cada documento revisado; e informar, em até dois dias úteis, qualquer fato que impeça o cumprimento de um prazo.",
            "A CONTRATADA não poderá transferir a terceiros a execução dos serviços sem autorização escrita, e responde pelas pessoas que empregar.",
        ],
    ),
    (
        "5. Obrigações da contratante",
        &[
            "Fornecer em tempo os documentos e as informações necessárias; indicar quem decide sobre dúvidas de conteúdo; aceitar ou recusar cada entrega em até cinco dias úteis, com os motivos da recusa; e pagar nos prazos ajustados.",
        ],
    ),
    (
        "6. Sigilo",
        &[
            "As partes guardarão sigilo sobre o que souberem uma da outra por causa deste contrato, durante a sua vigência e por cinco anos depois dela. Não é sigiloso o que já era público, o que for recebido licitamente de terceiros e o que a lei mandar revelar.",
        ],
    ),
    (
        "7. Proteção de dados pessoais",
        &[
            "Os dados pessoais contidos nos documentos serão tratados apenas para a prestação dos serviços, segundo as instruções da CONTRATANTE e a Lei nº 13.709/2018. Encerrado o contrato, serão devolvidos ou eliminados, à escolha da CONTRATANTE, e a CONTRATADA confirmará por escrito que o fez.",
        ],
    ),
    (
        "8. Resultados",
        &[
            "Os documentos revisados pertencem à CONTRATANTE desde a sua entrega. A CONTRATADA conserva os métodos e as ferramentas que já usava antes, e pode continuar a usá-los.",
        ],
    ),
    (
        "9. Extinção",
        &[
            "Qualquer das partes pode encerrar este contrato com aviso de trinta dias. A falta de cumprimento de obrigação essencial, não corrigida em dez dias depois do aviso, autoriza a extinção imediata, sem prejuízo das perdas e danos.",
            "Em qualquer caso são devidos os serviços já prestados e aceitos até a data da extinção.",
        ],
    ),
    (
        "10. Comunicações",
        &[
            "Avisos entre as partes são feitos por correio eletrônico aos endereços indicados no plano de trabalho e consideram-se recebidos no primeiro dia útil seguinte ao do envio.",
        ],
    ),
    (
        "11. Assinatura eletrônica",
        &[
            "As partes assinam este documento eletronicamente, com certificados digitais. O documento eletrônico assinado é o original; a sua impressão é cópia. Alterações posteriores à assinatura são reveladas por qualquer validador que siga a norma ISO 32000.",
        ],
    ),
    (
        "12. Foro",
        &[
            "As dúvidas que as partes não resolverem entre si serão levadas ao foro da comarca de São Paulo, com renúncia a qualquer outro.",
        ],
    ),
];

pub(super) const CLOSING: &str = "E, por estarem de acordo, as partes assinam eletronicamente este documento. O selo desta página mostra quem assinou e quando; o que vale é a assinatura digital contida no arquivo, que pode ser conferida sem ele.";

/// The widths of Helvetica from the space to the tilde, in thousandths of the font size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// How wide Helvetica sets a character. Letters with accents are as wide as those without.
pub(super) fn helvetica_width(c: char) -> u16 {
    let plain = match c {
        'à' | 'á' | 'â' | 'ã' => 'a',
        'ç' => 'c',
        'é' | 'ê' => 'e',
        'í' => 'i',
        'ó' | 'ô' | 'õ' => 'o',
        'ú' => 'u',
        'Á' | 'Ã' => 'A',
        'Ç' => 'C',
        'É' => 'E',
        'Í' => 'I',
        'Õ' => 'O',
        'º' => '~',
        other => other,
    };
    let index = u32::from(plain).checked_sub(u32::from(' ')).and_then(|index| usize::try_from(index).ok());
    index.and_then(|index| WIDTHS.get(index)).copied().unwrap_or(556)
}
