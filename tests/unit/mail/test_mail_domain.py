"""Whose a domain name is."""

import pytest

from email_assistant.mail.domains import organisation, registered


@pytest.mark.parametrize(
    ("domain", "registered"),
    [
        ("mail.shop.example", "shop.example"),
        ("Shop.Example.", "shop.example"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("mail.vale.me.uk", "vale.me.uk"),
        ("mail.evil.github.io", "evil.github.io"),
        ("co.uk", "co.uk"),
        ("[192.0.2.7]", "[192.0.2.7]"),
        ("", ""),
    ],
)
def test_the_registered_domain_is_found(domain: str, registered: str) -> None:
    """Subdomains belong to the same organisation, names below a public suffix to different ones."""
    assert organisation(domain) == registered


@pytest.mark.parametrize("domain", ["mail.食狮.公司.cn", "mail.xn--85x722f.xn--55qx5d.cn"])
def test_a_suffix_in_any_script_is_known(domain: str) -> None:
    """A suffix counts in both of its spellings."""
    assert registered(domain) == "食狮.公司.cn"
