"""Reading what the receiving host found out."""

import pytest

from email_assistant.mail.address import Address
from email_assistant.mail.headers import Result, failed_methods, read_results, vouched_by
from email_assistant.mail.message import Message


def message(*results: str, spf: str = "", **headers: str) -> Message:
    """A message from ana@shop.example with these Authentication-Results, from the top down."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    received = {"received-spf": spf} if spf else {}
    stacked = {"authentication-results": "\n".join(results)} if results else {}
    return Message("1", "1", Address("ana@shop.example"), "", "", headers=stacked | received | named)


@pytest.mark.parametrize(
    ("value", "identity", "results"),
    [
        ("mx.example; none", "mx.example", []),
        ('"mx.example"; dkim = fail header.d = shop.example', "mx.example", [("dkim", "fail", "shop.example")]),
        ("(first) mx.example (v(1)) 1; dmarc/1=fail", "mx.example", [("dmarc", "fail", "")]),
        ('mx.example; dkim=fail reason="a; dmarc=pass header.d=x.test"', "mx.example", [("dkim", "fail", "")]),
    ],
)  # fmt: skip
def test_headers_are_read(value: str, identity: str, results: list[tuple[str, str, str]]) -> None:
    """The name of the host, methods, results and domains, without comments and quotes (RFC 8601 §2.2)."""
    assert read_results(value) == (identity, tuple(Result(*one) for one in results))


@pytest.mark.parametrize(
    "envelope",
    ['"a("@evil.test', '"a)"@evil.test', '"a) ; dmarc=pass ; x="@evil.test', '"@evil.test', "\\(@evil.test", '"a;"@b.test'],
)  # fmt: skip
def test_a_sender_cannot_hide_a_failure_in_a_comment(envelope: str) -> None:
    """Hosts quote the sender's address in comments; brackets and quotes in it do not hide what follows."""
    value = f"mx.example; spf=pass (mx.example: domain of {envelope} designates 192.0.2.1) smtp.mailfrom={envelope}; dmarc=fail"
    assert "DMARC" in failed_methods(message(value), host="mx.example")


@pytest.mark.parametrize(
    ("results", "host", "failed"),
    [
        (["mx.example; dmarc=fail", "mx.example; dmarc=pass"], "mx.example", ("DMARC",)),
        (["evil.test; dmarc=pass", "mx.example; dmarc=fail"], "mx.example", ("DMARC",)),
        (["mx.example.evil.test; dmarc=fail"], "mx.example", ()),
        (["any.example; dmarc=fail", "other.example; dmarc=pass"], "", ("DMARC",)),
    ],
)
def test_only_the_hosts_own_header_counts(results: list[str], host: str, failed: tuple[str, ...]) -> None:
    """The topmost header of the receiving host decides; others pass and fail what they like (RFC 8601 §5)."""
    assert failed_methods(message(*results), host=host) == failed


@pytest.mark.parametrize(
    ("result", "spf", "host", "failed"),
    [
        ("", "Fail (mx.example: no)", "", ("SPF",)),
        ("mx.example; dkim=none", "fail (google.com: no) receiver=x", "mx.example", ()),
        ("mx.example; spf=pass", "fail (mx.example: no)", "mx.example", ()),
        ("forged.test; spf=pass; dkim=pass; dmarc=pass", "fail (mx.example: no)", "", ("SPF",)),
    ],
)
def test_received_spf(result: str, spf: str, host: str, failed: tuple[str, ...]) -> None:
    """Received-SPF counts when the host wrote it or has no header of its own; no unproved pass outweighs its failure."""
    results = [result] if result else []
    assert failed_methods(message(*results, spf=spf), host=host) == failed


@pytest.mark.parametrize(
    ("results", "failed"),
    [
        ("spf=fail; dkim=pass header.d=shop.example; dmarc=pass", ()),
        ("dkim=fail header.d=shop.example; dkim=pass header.d=shop.example", ()),
        ("dkim=fail header.d=shop.example; dkim=pass header.d=evil.test", ("DKIM",)),
        ("dmarc=pass; dmarc=fail", ("DMARC",)),
    ],
)
def test_what_failures_mean_together(results: str, failed: tuple[str, ...]) -> None:
    """A DMARC pass settles it, forwarding is not held against anybody, a stranger's signature proves nothing."""
    assert failed_methods(message(f"mx.example; {results}"), host="mx.example") == failed


@pytest.mark.parametrize(
    ("passed", "failed"),
    [
        ("spf=pass smtp.mailfrom=bounce@lists.example.org", ()),
        ("spf=pass smtp.mailfrom=a@evil.test", ("DMARC",)),
        ("spf=none", ("DMARC",)),
    ],
)
def test_a_mailing_list_vouches_for_its_posts(passed: str, failed: tuple[str, ...]) -> None:
    """Lists break what senders signed; that is fine when the list's own domain passed, not any other."""
    post = message(f"mx.example; {passed}; dmarc=fail", list_id="Club <club.lists.example.org>")
    assert failed_methods(post, host="mx.example") == failed


@pytest.mark.parametrize(
    ("found", "by"),
    [
        ("mx.example; dmarc=pass header.from=vale.me.uk", "DMARC"),
        ("mx.example; dkim=pass header.d=vale.me.uk; dmarc=none header.from=vale.me.uk", "DKIM"),
        ("MX.Example 1; spf=pass smtp.mailfrom=bounce@mail.vale.me.uk", "SPF"),
        ("mx.example; spf=softfail smtp.mailfrom=a@vale.me.uk; dkim=none", ""),
        ("mx.example; dkim=pass header.d=evil.me.uk; spf=pass smtp.mailfrom=x@evil.me.uk", ""),
        ("mx.example; dmarc=pass header.from=evil.me.uk", ""),
        ("mx.example; spf=pass smtp.helo=vale.me.uk smtp.mailfrom=x@evil.me.uk", ""),
        ("mx.example; dmarc=fail header.from=vale.me.uk; dkim=pass header.d=vale.me.uk", ""),
        ("mx.example; spf=fail (dmarc=pass header.from=vale.me.uk)", ""),
        ("mx.example; none\nmx.example; dmarc=pass header.from=vale.me.uk", ""),
    ],
)
def test_only_an_aligned_pass_of_the_receiving_host_vouches(found: str, by: str) -> None:
    """The authenticated domain's organisation is that of From; nothing else counts, and nothing at all where the host is unknown."""
    headers = {"authentication-results": found} if found else {}
    message = Message("1", "t", Address("ana@vale.me.uk", "Ana"), "", "", headers=headers)
    assert vouched_by(message, host="mx.example") == by
    assert vouched_by(message, host="") == ""
