"""pyHanko as a judge: reads lines of JSON, answers one line of JSON for each.

Question: {"pdf": path, "trust": [paths of PEM certificates], "password": text or null}
Answer:   {"signatures": [{field, valid, intact, trusted, coverage, modification, permission, author, seed_value, ok,
          attributes, certificates}]} or {"error": text}
"""
import json
import logging
import sys

from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.diff_analysis import ModificationLevel
from pyhanko.sign.validation import read_certification_data, validate_pdf_signature, validate_pdf_timestamp
from pyhanko_certvalidator import ValidationContext

logging.disable(logging.CRITICAL)


def judge(question):
    roots = list(load_certs_from_pemder(question["trust"]))
    with open(question["pdf"], "rb") as handle:
        reader = PdfFileReader(handle, strict=False)
        if reader.encrypted:
            reader.decrypt(question.get("password") or "")
        certification = read_certification_data(reader)
        answers = []
        for signature in reader.embedded_signatures:
            context = ValidationContext(trust_roots=roots, allow_fetching=False, revocation_mode="soft-fail")
            stamp = signature.sig_object.get("/Type") == "/DocTimeStamp"
            status = (validate_pdf_timestamp if stamp else validate_pdf_signature)(signature, context)
            level = None if stamp else status.modification_level
            permission = signature.docmdp_level
            answers.append({
                "field": signature.field_name,
                "valid": status.valid,
                "intact": status.intact,
                "trusted": status.trusted,
                "coverage": status.coverage.name,
                "modification": level.name if isinstance(level, ModificationLevel) else str(level),
                "permission": None if permission is None else permission.value,
                "author": certification is not None and certification.author_sig == signature.sig_object,
                "seed_value": None if stamp or status.seed_value_ok else str(status.seed_value_constraint_error),
                "ok": status.valid and status.intact and status.trusted if stamp else status.bottom_line,
                "attributes": [attribute["type"].native for attribute in signature.signer_info["signed_attrs"]],
                "certificates": len(signature.signed_data["certificates"]),
            })
        return {"signatures": answers}


for line in sys.stdin:
    try:
        answer = judge(json.loads(line))
    except Exception as error:  # the judge's own words are the answer
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
