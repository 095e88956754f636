"""XML of other people's servers."""

from xml.etree import ElementTree


def parsed_xml(raw: bytes) -> ElementTree.Element:
    """The document; raises `ValueError` for what is none, is not UTF-8, or declares a type: with one a few bytes could become gigabytes."""
    text = raw.decode("utf-8-sig")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("a document type")
    try:
        return ElementTree.fromstring(text)  # noqa: S314 - without a document type there are no entities but XML's own five
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from error
