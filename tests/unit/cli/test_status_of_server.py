"""How `status` asks whether the server is there."""

import pytest
from pytest_httpserver import HTTPServer

from email_assistant.cli.status import answer_code


@pytest.mark.parametrize("code", [200, 401])
def test_the_answer_is_told_by_its_code(httpserver: HTTPServer, code: int) -> None:
    """The key goes along, and a refusal is an answer."""
    httpserver.expect_request(
        "/assistants/search", method="POST", headers={"x-api-key": "right"}
    ).respond_with_data("[]", status=code)
    assert answer_code(httpserver.url_for("").rstrip("/"), "right") == code


def test_a_redirect_is_not_followed(httpserver: HTTPServer) -> None:
    """The key is for the server that was named."""
    elsewhere = {"Location": httpserver.url_for("/elsewhere")}
    httpserver.expect_request("/assistants/search").respond_with_data("", status=302, headers=elsewhere)
    assert answer_code(httpserver.url_for("").rstrip("/"), "right") == 302
    assert [request.path for request, _ in httpserver.log] == ["/assistants/search"]
