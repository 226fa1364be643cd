"""What listing costs pyHanko's way to a token: python-pkcs11, the module in its own process.

Arguments: the module and how often. Prints for each listing the microseconds it took and the
certificates it found; the first line is of loading and initialising the module."""

import sys
import time

import pkcs11
from pkcs11 import Attribute, ObjectClass

begin = time.perf_counter()
library = pkcs11.lib(sys.argv[1])
print(int((time.perf_counter() - begin) * 1e6), 0)
sessions = {}
for _ in range(int(sys.argv[2])):
    begin = time.perf_counter()
    found = 0
    for slot in library.get_slots(token_present=True):
        token = slot.get_token()
        if pkcs11.TokenFlag.TOKEN_INITIALIZED not in token.flags:
            continue
        if slot.slot_id not in sessions:
            sessions[slot.slot_id] = token.open()
        session = sessions[slot.slot_id]
        for certificate in session.get_objects({Attribute.CLASS: ObjectClass.CERTIFICATE}):
            found += bool(certificate[Attribute.VALUE])
    print(int((time.perf_counter() - begin) * 1e6), found)
