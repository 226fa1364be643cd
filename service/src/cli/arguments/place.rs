//! The words about where a seal stands.

use clap::Args;
use signer_core::{
    pades::prepare::PageChoice,
    seal::{Placement, PlacementError, Size},
};

use crate::cli::arguments::tr;

/// The page of a seal, its place there, and its size.
#[derive(Debug, Args)]
pub struct SealPlaceArguments {
    /// Its page.
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = parse_page,
        allow_hyphen_values = true,
        help = tr([
            "Página do selo: a partir de 1; «last» ou -1 é a última, -2 a penúltima",
            "Page of the seal: from 1; 'last' or -1 is the last one, -2 the one before it",
            "Página del sello: desde 1; «last» o -1 es la última, -2 la penúltima",
        ]),
    )]
    pub seal_page: PageChoice,
    /// Its place.
    #[arg(long, value_name = "PLACE", default_value = "bottom-right", value_parser = parse_place, help = tr([
        "Lugar do selo, na página como o leitor a vê: top-left, top, top-right, left, center, right, bottom-left, \
         bottom ou bottom-right, com a distância das bordas («bottom-right 10mm»), ou X,Y a partir do canto \
         superior esquerdo, ou X,Y,LARGURA,ALTURA («20mm,30mm,67mm,25mm»; mm, cm, in, pt)",
        "Place of the seal on the page as the reader sees it: top-left, top, top-right, left, center, right, \
         bottom-left, bottom or bottom-right, with its distance from the edges ('bottom-right 10mm'), or X,Y from \
         the top left corner, or X,Y,WIDTH,HEIGHT ('20mm,30mm,67mm,25mm'; mm, cm, in, pt)",
        "Lugar del sello en la página tal como la ve el lector: top-left, top, top-right, left, center, right, \
         bottom-left, bottom o bottom-right, con la distancia de los bordes («bottom-right 10mm»), o X,Y desde la \
         esquina superior izquierda, o X,Y,ANCHO,ALTO («20mm,30mm,67mm,25mm»; mm, cm, in, pt)",
    ]))]
    seal_at: Placement,
    /// Its size.
    #[arg(long, value_name = "WIDTH,HEIGHT", value_parser = parse_size, help = tr([
        "Tamanho do selo («67mm,25mm»)",
        "Size of the seal ('67mm,25mm')",
        "Tamaño del sello («67mm,25mm»)",
    ]))]
    seal_size: Option<Size>,
}

impl SealPlaceArguments {
    /// The place with its size.
    ///
    /// # Errors
    /// In words, where the size is told twice.
    pub fn placement(&self) -> Result<Placement, &'static str> {
        match self.seal_size {
            Some(size) => self.seal_at.sized(size).map_err(words),
            None => Ok(self.seal_at),
        }
    }
}

fn parse_page(text: &str) -> Result<PageChoice, &'static str> {
    match text {
        "last" => Ok(PageChoice::LAST),
        number => number
            .parse()
            .ok()
            .filter(|&number| number != 0)
            .map(PageChoice::of_number)
            .ok_or_else(|| tr(["não é uma página", "not a page", "no es una página"])),
    }
}

fn parse_place(text: &str) -> Result<Placement, &'static str> {
    text.parse().map_err(words)
}

fn parse_size(text: &str) -> Result<Size, &'static str> {
    text.parse().map_err(words)
}

fn words(error: PlacementError) -> &'static str {
    tr(match error {
        PlacementError::Unknown => [
            "não é um lugar: use uma palavra como bottom-right, com a distância como em «bottom-right 10mm», ou \
             X,Y ou X,Y,LARGURA,ALTURA como em «20mm,30mm»",
            "not a place: use a word such as bottom-right, with a distance as in 'bottom-right 10mm', or X,Y or \
             X,Y,WIDTH,HEIGHT as in '20mm,30mm'",
            "no es un lugar: use una palabra como bottom-right, con la distancia como en «bottom-right 10mm», o X,Y \
             o X,Y,ANCHO,ALTO como en «20mm,30mm»",
        ],
        PlacementError::Length => [
            "uma medida é um número com a unidade, mm, cm, in ou pt, de 0 a 14400pt, como em 12.5mm",
            "a length is a number with its unit, mm, cm, in or pt, from 0 to 14400pt, as in 12.5mm",
            "una medida es un número con su unidad, mm, cm, in o pt, de 0 a 14400pt, como en 12.5mm",
        ],
        PlacementError::Size => [
            "um tamanho é uma largura e uma altura de 1pt no mínimo, como em 67mm,25mm",
            "a size is a width and a height of 1pt at least, as in 67mm,25mm",
            "un tamaño es un ancho y un alto de 1pt como mínimo, como en 67mm,25mm",
        ],
        PlacementError::SizeTwice => [
            "O tamanho do selo foi dito duas vezes: em --seal-at e em --seal-size.",
            "The size of the seal is told twice: in --seal-at and in --seal-size.",
            "El tamaño del sello se dice dos veces: en --seal-at y en --seal-size.",
        ],
    })
}
