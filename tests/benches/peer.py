"""pyHanko beside us: signs one document for each line it is given and answers with milliseconds.

Line:   {"input": path, "output": path}
Answer: {"ms": number, "peak_mib": number}

The key, chain, seal and kind of signature are those of the bench: RSA-2048 with SHA-256,
ETSI.CAdES.detached, a visible text on the first page, written as an incremental update.
"""
import json
import sys
import time

from pyhanko import stamp
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import fields, signers
from pyhanko.sign.fields import SigSeedSubFilter

signer = signers.SimpleSigner.load_pkcs12(sys.argv[1], passphrase=sys.argv[2].encode())
style = stamp.TextStampStyle(stamp_text="Assinado digitalmente por\n%(signer)s\n%(ts)s")
metadata = signers.PdfSignatureMetadata(
    field_name="Signature1", md_algorithm="sha256", reason="Aprovação", subfilter=SigSeedSubFilter.PADES
)


def peak_mib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


for line in sys.stdin:
    question = json.loads(line)
    begin = time.perf_counter()
    with open(question["input"], "rb") as source, open(question["output"], "wb+") as target:
        writer = IncrementalPdfFileWriter(source, strict=False)
        fields.append_signature_field(
            writer, fields.SigFieldSpec("Signature1", on_page=0, box=(400, 20, 570, 90))
        )
        signers.PdfSigner(metadata, signer=signer, stamp_style=style).sign_pdf(writer, output=target)
    milliseconds = (time.perf_counter() - begin) * 1000
    print(json.dumps({"ms": milliseconds, "peak_mib": peak_mib()}), flush=True)
