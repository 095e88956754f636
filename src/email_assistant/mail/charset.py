"""Bytes to text when the label on the bytes cannot be trusted; encoded words of headers (RFC 2047)."""

import binascii
import codecs
import re

_ENCODED_WORD = re.compile(r"=\?([^?\s*]{1,60})(?:\*[^?\s]{0,30})?\?([bBqQ])\?([^?]*)\?=")
_BETWEEN_WORDS = re.compile(r"(\?=)\s+(?==\?[^?\s]{1,90}\?[bBqQ]\?)")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")

# Python can "decode" these, but no mail is written in them, and some take quadratic time.
_NOT_FOR_MAIL = frozenset(
    {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem", "charmap"}
)
# Senders label the larger Windows or Chinese sets with the names of the smaller ones (WHATWG Encoding §4.2).
_SUPERSETS = {
    "iso8859-1": "cp1252",
    "ascii": "utf-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-9": "cp1254",
}


def decode_bytes(data: bytes, charset: str) -> tuple[str, str]:
    """The bytes as text, and "" or one sentence on why the declared character set was not used."""
    name = charset.strip("\"' \t").lower()
    try:
        known = codecs.lookup(name).name if name and name.isascii() and "\0" not in name else "ascii"
    except LookupError:
        return _guess(data), "The message names an unknown character set; its text was guessed."
    if known in _NOT_FOR_MAIL:
        return _guess(data), "The message names an unknown character set; its text was guessed."
    try:
        return data.decode(_SUPERSETS.get(known, known)), ""
    except LookupError:
        return _guess(data), "The message names an unknown character set; its text was guessed."
    except UnicodeError:
        return _guess(data), "The text does not fit its declared character set; it was guessed."


def _guess(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def decode_base64(data: bytes) -> tuple[bytes, bool]:
    """The decoded bytes (RFC 2045 §6.8) and whether anything was wrong; what can be read is read."""
    compact = b"".join(data.split())
    letters = _NOT_BASE64.sub(b"", compact)
    damaged = len(letters) % 4 == 1 or letters != compact.rstrip(b"=")
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4)), damaged


def decode_header(raw: str) -> str:
    """A header's raw value as text: 8-bit bytes read as UTF-8 or Windows-1252, encoded words decoded.

    `raw` may carry bytes as lone surrogates, the way the standard library's parser keeps them.
    Never raises; encoded words that make no sense stay as they are.
    """
    text = decode_surrogates(raw)
    if "=?" not in text:
        return text
    return _decode_words(_BETWEEN_WORDS.sub(r"\1", text))


def decode_surrogates(raw: str) -> str:
    """The value with bytes that came as lone surrogates read as text."""
    try:
        raw.encode("utf-8")
    except UnicodeEncodeError:
        return (
            _guess(raw.encode("utf-8", "surrogateescape"))
            if _escaped(raw)
            else raw.encode("utf-8", "replace").decode()
        )
    return raw


def _escaped(raw: str) -> bool:
    return not re.search("[\ud800-\udc7f\udd00-\udfff]", raw)


def _decode_words(text: str) -> str:
    """Decode adjoining words of one charset as a whole, so that split characters come together."""
    out: list[str] = []
    pending: list[bytes] = []
    charset = ""
    position = 0
    for match in _ENCODED_WORD.finditer(text):
        adjoining = match.start() == position and match.group(1).lower() == charset
        if pending and not adjoining:
            out.append(decode_bytes(b"".join(pending), charset)[0])
            pending = []
        out.append(text[position : match.start()])
        pending.append(_word_bytes(match.group(2), match.group(3)))
        charset = match.group(1).lower()
        position = match.end()
    if pending:
        out.append(decode_bytes(b"".join(pending), charset)[0])
    out.append(text[position:])
    return "".join(out)


def _word_bytes(encoding: str, payload: str) -> bytes:
    data = payload.encode("utf-8")
    if encoding in "bB":
        return decode_base64(data)[0]
    return binascii.a2b_qp(data, header=True)
