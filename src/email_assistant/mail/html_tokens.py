"""HTML cut into tags and text in linear time, following the tokenizer of the HTML standard (§13.2.5).

The standard library's parser, on which others build, takes quadratic time on unclosed tags: 24 kB of hostile
mail keep it busy for seconds. Here whatever is unclosed ends with the input, as it does in a browser.
"""

import html
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_NAME = re.compile(r"[A-Za-z][^\s/>]{0,100}")
_BARE_TAG = re.compile(rf"<(/?)({_NAME.pattern})>")
_ATTRIBUTE = re.compile(
    r"""[\s/]*(?P<name>[^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s>"'][^\s>]*)))?"""
)
_TAG_STOP = re.compile(r""">|=\s*["']""")
_COMMENT_END = re.compile(r"--!?>")
_RAW_END = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
_DECODED_RAW = ("title", "textarea")
_HUGE_REFERENCE = re.compile(r"&#(?:0*[1-9][0-9]{7,}|[xX]0*[1-9a-fA-F][0-9a-fA-F]{6,});?")
_MAX_ATTRIBUTES = 50
_MAX_VALUE = 20_000


class Start(NamedTuple):
    """A start tag; names in lower case, the first of repeated attributes counts."""

    tag: str
    attributes: Mapping[str, str]


class End(NamedTuple):
    """An end tag."""

    tag: str


class Text(NamedTuple):
    """Characters between tags, references decoded; `raw` is the element whose raw content they are, or ""."""

    data: str
    raw: str = ""


Token = Start | End | Text


def tokens(source: str) -> Iterator[Token]:
    """The tags and text of the source in order; comments, doctypes and instructions are left out."""
    position, size = 0, len(source)
    while position < size:
        less = source.find("<", position)
        if less < 0:
            yield Text(unescape(source[position:]))
            return
        if less > position:
            yield Text(unescape(source[position:less]))
        if bare := _BARE_TAG.match(source, less):
            tag = bare[2].lower()
            token: Token | None = End(tag) if bare[1] else Start(tag, {})
            position = bare.end()
        else:
            token, position = _markup(source, less)
        if token is None:
            continue
        yield token
        if isinstance(token, Start) and token.tag in _RAW_END:
            end = _RAW_END[token.tag].search(source, position)
            stop = end.start() if end else size
            data = source[position:stop]
            yield Text(unescape(data) if token.tag in _DECODED_RAW else data, raw=token.tag)
            position = stop
            if not end:
                return


def unescape(text: str) -> str:
    """Character references decoded; a number too large for any character becomes U+FFFD."""
    if "&" not in text:
        return text
    return html.unescape(_HUGE_REFERENCE.sub("\ufffd", text))


def _markup(source: str, less: int) -> tuple[Token | None, int]:
    """The token that begins with the "<" at `less` (None for a comment) and the position behind it."""
    following = source[less + 1 : less + 2]
    if following in ("!", "?"):
        return None, _after_comment(source, less)
    closing = following == "/"
    name = _NAME.match(source, less + 1 + closing)
    if name is None:
        if closing and less + 2 < len(source):
            return None, _after(source.find(">", less), 1, len(source))
        return Text("<"), less + 1
    end = _tag_end(source, name.end())
    if end < 0:
        return None, len(source)
    tag = name.group().lower()
    if closing:
        return End(tag), end
    return Start(tag, _attributes(source[name.end() : end - 1])), end


def _tag_end(source: str, position: int) -> int:
    """The position behind the ">" that closes a tag, quoted values skipped; -1 when there is none."""
    while (match := _TAG_STOP.search(source, position)) is not None:
        if match.group() == ">":
            return match.end()
        close = source.find(match.group()[-1], match.end())
        if close < 0:
            return -1
        position = close + 1
    return -1


def _attributes(text: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    if not text:
        return found
    for match in _ATTRIBUTE.finditer(text):
        if len(found) >= _MAX_ATTRIBUTES:
            break
        value = match["double"] or match["single"] or match["bare"] or ""
        found.setdefault(match["name"].lower(), unescape(value[:_MAX_VALUE]))
    return found


def _after_comment(source: str, less: int) -> int:
    if not source.startswith("<!--", less):
        return _after(source.find(">", less), 1, len(source))
    if source.startswith("<!-->", less):
        return less + 5
    if source.startswith("<!--->", less):
        return less + 6
    end = _COMMENT_END.search(source, less + 4)
    return end.end() if end else len(source)


def _after(found: int, length: int, size: int) -> int:
    return found + length if found >= 0 else size
