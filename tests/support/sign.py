"""pyHanko as another signer, which does not ask what earlier signatures permit.

Arguments: input, output, field, PKCS#12 file, its password.
"""
import sys

from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import signers

source, target, field, key, password = sys.argv[1:]
signer = signers.SimpleSigner.load_pkcs12(key, passphrase=password.encode())
with open(source, "rb") as original, open(target, "wb") as signed:
    signers.sign_pdf(
        IncrementalPdfFileWriter(original, strict=False),
        signers.PdfSignatureMetadata(field_name=field, md_algorithm="sha256"),
        signer=signer,
        existing_fields_only=True,
        output=signed,
    )
