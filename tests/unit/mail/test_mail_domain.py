"""Whose a domain name is."""

import pytest

from email_assistant.mail.domains import organisation, registered


@pytest.mark.parametrize(
    ("domain", "registered"),
    [
        ("mail.shop.example", "shop.example"),
        ("shop.example", "shop.example"),
        ("Shop.Example.", "shop.example"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("evil.me.uk", "evil.me.uk"),
        ("mail.vale.me.uk", "vale.me.uk"),
        ("a.vale.com.au", "vale.com.au"),
        ("a.vale.kawasaki.jp", "a.vale.kawasaki.jp"),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"),
        ("mail.evil.github.io", "evil.github.io"),
        ("a.team.atlassian.net", "atlassian.net"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("[192.0.2.7]", "[192.0.2.7]"),
        ("192.0.2.7", "192.0.2.7"),
        ("a..b", "a..b"),
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
