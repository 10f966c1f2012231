"""Names as git quotes them: in quotes with C escapes where they need it."""

from __future__ import annotations

ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
ESCAPED = {code: b"\\" + letter for letter, code in ESCAPES.items()}


def both(names: bytes) -> tuple[bytes, bytes]:
    """The two names of a `diff --git` line. Unquoted they can only be told apart where they are one name."""
    if names.startswith(b'"'):
        end = _quote_end(names)
        return unquoted(names[:end])[2:], unquoted(names[end + 1 :])[2:]
    if names.endswith(b'"'):
        first, _, second = names.partition(b' "')
        return first[2:], unquoted(b'"' + second)[2:]
    half = len(names) // 2
    if names[half : half + 1] == b" " and names[2:half] == names[half + 3 :]:
        return names[2:half], names[half + 3 :]
    first, _, second = names.partition(b" b/")
    return first[2:], second


def _quote_end(text: bytes) -> int:
    at = 1
    while at < len(text) and text[at : at + 1] != b'"':
        at += 2 if text[at : at + 1] == b"\\" else 1
    return at + 1


def unquoted(name: bytes) -> bytes:
    """A name as it is, of one as git writes it: in quotes with C escapes, or with a tab after it."""
    if not name.startswith(b'"'):
        return name.removesuffix(b"\t")
    out = bytearray()
    at, end = 1, _quote_end(name) - 1
    while at < end:
        letter = name[at + 1 : at + 2]
        if name[at : at + 1] != b"\\":
            out += name[at : at + 1]
            at += 1
        elif letter.isdigit():
            out.append(int(name[at + 1 : at + 4], 8))
            at += 4
        else:
            out.append(ESCAPES[letter])
            at += 2
    return bytes(out)


def quoted(name: bytes) -> bytes:
    """A name as git writes it in a patch with `core.quotepath=off`."""
    if not any(byte < 32 or byte in (34, 92, 127) for byte in name):
        return name
    inside = (
        ESCAPED.get(byte) or (b"\\%03o" % byte if byte < 32 or byte == 127 else bytes([byte]))
        for byte in name
    )
    return b'"' + b"".join(inside) + b'"'
