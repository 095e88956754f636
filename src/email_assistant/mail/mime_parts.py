"""The raw side of a MIME message (RFC 2045 to 2049, RFC 2231): headers, parameters, parts as bytes; and bytes as text when the label on
them cannot be trusted.
"""

import binascii
import codecs
import re
from email.message import Message as Part
from email.parser import BytesFeedParser, HeaderParser
from email.policy import Compat32
from urllib.parse import unquote_to_bytes

from email_assistant.mail.text import one_line

_MAX_HEADER = 100_000
_MAX_STRUCTURED_HEADER = 4_000
_MAX_FILE_NAME = 120
_MAX_BLOCKS = 50
_NAMING = ("message-id", "subject")
_PARAMETER = re.compile(r';\s*([^\s=;*]{1,60})(\*(?:\d{1,2}\*?)?)?\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))')
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,99}/[a-z0-9][a-z0-9!#$&^_.+-]{0,99}")
_UUENCODE = ("x-uuencode", "uuencode", "uue", "x-uue")
_BIDI_IN_NAME = re.compile("[\u202a-\u202e\u2066-\u2069]")

DAMAGED = "Part of the message is damaged and could not be decoded in full."
SPOOFED_NAME = "An attachment's file name held characters that disguise it."
_GUESSED = (
    "Some letters may look wrong: the mail does not say rightly how they are written. That is not dangerous."
)
TOO_DEEP = "The message's parts are nested too deeply to read; its source is shown instead."
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
        if known in _NOT_FOR_MAIL:
            raise LookupError(known)
        return data.decode(_SUPERSETS.get(known, known)), ""
    except (LookupError, UnicodeError):
        return _guess(data), _GUESSED


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
        is_made_up = re.search("[\ud800-\udc7f\udd00-\udfff]", raw) is not None
        return (
            raw.encode("utf-8", "replace").decode()
            if is_made_up
            else _guess(raw.encode("utf-8", "surrogateescape"))
        )
    return raw


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


class _BoundedHeaders(Compat32):
    """Cuts absurdly long headers, which the standard library takes quadratic time to read.

    The older policy is used on purpose: the newer one parses addresses and types while reading and fails on
    hostile ones with errors of its own.
    """

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        limit = _MAX_STRUCTURED_HEADER if name.lower().startswith("content-") else _MAX_HEADER
        return name, value[:limit]


_POLICY = _BoundedHeaders()


def parse(raw: bytes) -> tuple[Part, tuple[str, ...]]:
    """The message as a tree of parts, and notes. Leading blank lines and a byte order mark are skipped."""
    raw = raw.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    try:
        parser = BytesFeedParser(policy=_POLICY)
        parser.feed(raw)
        return parser.close(), ()
    except RecursionError:
        text = raw.decode("ascii", "surrogateescape")
        return HeaderParser(policy=_POLICY).parsestr(text), (TOO_DEEP,)


def raw_header(part: Part, name: str) -> str:
    """The first header of this name as it came, unfolded; "" when there is none."""
    wanted = name.lower()
    for key, value in part.raw_items():
        if key.lower() == wanted:
            return _unfold(str(value))
    return ""


def header(part: Part, name: str) -> str:
    """The first header of this name decoded, on one line and without invisible characters."""
    return one_line(decode_header(raw_header(part, name)))


def headers(part: Part, name: str) -> list[str]:
    """Every header of this name like `header`, from the top down."""
    wanted = name.lower()
    values = [_unfold(str(value)) for key, value in part.raw_items() if key.lower() == wanted]
    return [one_line(decode_header(value)) for value in values]


def content_type(part: Part) -> str:
    """The media type in lower case; text/plain when it is missing or malformed (RFC 2045 §5.2)."""
    value = raw_header(part, "content-type").partition(";")[0].strip().lower()
    if part.is_multipart():
        return part.get_content_type()
    return value if _TYPE.fullmatch(value) else "text/plain"


def parameter(part: Part, header_name: str, name: str) -> str:
    """A parameter of a structured header, its continuations joined and its charset decoded (RFC 2231)."""
    pieces: list[tuple[int, str, bool]] = []
    for match in _PARAMETER.finditer(raw_header(part, header_name)):
        if match[1].lower() != name:
            continue
        mark = match[2] or ""
        value = re.sub(r"\\(.)", r"\1", match[3]) if match[3] is not None else match[4].strip()
        order = int(mark.strip("*") or 0)
        pieces.append((order, value, mark.endswith("*")))
    if not pieces:
        return ""
    if not any(encoded for _, _, encoded in pieces):
        plain = [value for _, value, _ in sorted(pieces, key=lambda piece: piece[0])]
        return decode_header("".join(plain))
    return _decode_extended(sorted((piece for piece in pieces), key=lambda piece: piece[0]))


def file_name(part: Part) -> tuple[str, bool]:
    """The file name ("" when none) without folders and invisible characters; if it was disguised."""
    name = parameter(part, "content-disposition", "filename") or parameter(part, "content-type", "name")
    cleaned = re.split(r"[/\\]", one_line(name))[-1].strip(" .")
    cleaned = "".join("_" if c in '<>:"|?*' else c for c in cleaned)
    if len(cleaned) > _MAX_FILE_NAME:
        stem, dot, extension = cleaned.rpartition(".")
        extension = dot + extension if dot and len(extension) <= 10 else ""
        cleaned = one_line((stem or cleaned)[: _MAX_FILE_NAME - len(extension)] + extension)
    return cleaned, bool(_BIDI_IN_NAME.search(name))


def content(part: Part) -> tuple[bytes, bool]:
    """A leaf part's bytes with the transfer encoding undone, and whether it was damaged."""
    if part.is_multipart():
        return b"", False
    encoding = raw_header(part, "content-transfer-encoding").split(";")[0].strip().lower()
    if encoding == "base64" or encoding in _UUENCODE:
        # Undone here, not by the standard library, which raises on damaged uuencoded parts.
        data = str(part.get_payload() or "").encode("utf-8", "replace")
        return decode_base64(data) if encoding == "base64" else (data, False)
    payload = part.get_payload(decode=True)
    return (payload if isinstance(payload, bytes) else b""), False


def text_of(part: Part) -> tuple[str, tuple[str, ...]]:
    """A text part as text with "\\n" newlines, otherwise as it is; and notes."""
    data, damaged = content(part)
    text, note = decode_bytes(data, parameter(part, "content-type", "charset"))
    notes = [DAMAGED] if damaged else []
    return text.replace("\r\n", "\n").replace("\r", "\n"), tuple(notes + ([note] if note else []))


def report_of(part: Part) -> str:
    """What a report on a delivery tells (RFC 3464): a block of fields for each of whom it tells, and what names the mail it is about."""
    blocks: list[list[str]] = []
    for each in children(part)[:_MAX_BLOCKS] if content_type(part) == "multipart/report" else []:
        kind = content_type(each)
        if kind == "message/delivery-status":
            blocks += [_fields_of(block, None) for block in children(each)[:_MAX_BLOCKS]]
        elif kind == "text/rfc822-headers":
            blocks.append(_fields_of(HeaderParser(policy=_POLICY).parsestr(text_of(each)[0]), _NAMING))
        elif kind == "message/rfc822":
            blocks += [_fields_of(mail, _NAMING) for mail in children(each)[:1]]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def children(part: Part) -> list[Part]:
    """The parts of a part."""
    payload = part.get_payload()
    return [each for each in payload if isinstance(each, Part)] if isinstance(payload, list) else []


def _fields_of(block: Part, names: tuple[str, ...] | None) -> list[str]:
    found = [name for name, _ in block.raw_items() if names is None or name.lower() in names][:_MAX_BLOCKS]
    return [f"{name}: {header(block, name)}" for name in dict.fromkeys(found)]


def source_size(part: Part) -> int:
    """About how many bytes a message takes that is a part of another one."""
    size, waiting = 0, [part]
    while waiting:
        current = waiting.pop()
        size += sum(len(name) + len(str(value)) + 3 for name, value in current.raw_items()) + 1
        payload = current.get_payload()
        if isinstance(payload, list):
            waiting.extend(child for child in payload if isinstance(child, Part))
        else:
            size += len(str(payload or ""))
    return size


def _unfold(value: str) -> str:
    if "\r" not in value and "\n" not in value:
        return value.strip()
    return re.sub(r"[\r\n]+(?=[ \t])", "", value).replace("\r", " ").replace("\n", " ").strip()


def _decode_extended(pieces: list[tuple[int, str, bool]]) -> str:
    charset, data = "", b""
    for index, (_, value, encoded) in enumerate(pieces):
        text = decode_surrogates(value)
        if encoded and index == 0 and text.count("'") >= 2:
            charset, _, text = text.split("'", 2)
        data += unquote_to_bytes(text) if encoded else text.encode("utf-8")
    return decode_bytes(data, charset or "utf-8")[0]
