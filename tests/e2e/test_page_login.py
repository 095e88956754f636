"""Logging in to the review page in a real browser, and what other programs of this machine make of what the browser tells them."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.support.dev_server import DevServer, forked_server
from tests.support.page_browser import CHROMIUM

pytestmark = [
    pytest.mark.xdist_group("login"),
    pytest.mark.skipif(CHROMIUM is None, reason="NOT TESTED in a browser: chromium is not installed"),
]
TOKEN = "a secret"
READ = ("", "/list", "/overview", "/changes", "/answers/t/a", "/digest", "/failures")
TRIES = """async (url) => {
    const told = {key: localStorage.getItem("review-key")};
    const ask = (name, path, options) => fetch(url + path, {credentials: "include", ...options})
        .then((answer) => { told[name] = answer.type; }, () => { told[name] = "refused"; });
    await ask("read", "/review/list", {});
    await ask("blind", "/review/list", {mode: "no-cors"});
    await ask("answer", "/review/answers", {method: "POST", headers: {"content-type": "application/json"}, body: "[]"});
    await ask("text", "/review/answers", {method: "POST", mode: "no-cors", body: "[]"});
    const frame = document.body.appendChild(document.createElement("iframe"));
    await new Promise((done) => { frame.onload = done; frame.src = url + "/review"; });
    try { told.frame = frame.contentDocument?.title ?? "hidden"; } catch { told.frame = "hidden"; }
    return told;
}"""
AS_API = """async () => {
    const asked = (path, method) => fetch(path, method === "POST"
        ? {method, headers: {"content-type": "application/json"}, body: "{}"} : {}).then((answer) => answer.status);
    const socket = new WebSocket(`ws://${location.host}/threads/00000000-0000-0000-0000-000000000000/stream/events`);
    const opened = await new Promise((done) => { socket.onopen = () => done("open"); socket.onerror = () => done("refused"); });
    return [opened, await asked("/threads/search", "POST"), await asked("/review/list"), await asked("/ok")];
}"""


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    """A server with a token."""
    with forked_server(tmp_path_factory.mktemp("guarded"), {"EMAIL_ASSISTANT_API_TOKEN": TOKEN}) as server:
        yield server


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for which the name `api` leads to this machine."""
    rules = "--host-resolver-rules=MAP api 127.0.0.1"
    with sync_playwright() as play:
        started = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", rules]
        )
        yield started
        started.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A tab of a browser that knows nothing yet."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def link_of(server: DevServer) -> str:
    """A link that logs in, made with the token."""
    shown = {"x-api-key": TOKEN, "origin": server.url}
    path = httpx.post(f"{server.url}/review/link", json={}, headers=shown).raise_for_status().json()["path"]
    return f"{server.url}{path}"


def follow(page: Page, link: str) -> None:
    """Open the link, up to the page."""
    page.goto(link)
    page.wait_for_url("**/review")
    expect(page.locator("#list")).to_be_attached()


def test_a_link_opens_the_page_and_what_follows_is_shown_the_key(guarded: DevServer, page: Page) -> None:
    """Once; then the page lives on by itself: loaded anew, in another tab, and told what happens."""
    link = link_of(guarded)
    follow(page, link)
    with page.expect_response("**/review/changes") as heard:
        page.reload()
    assert heard.value.status == 200
    expect(page.locator("h1.brand")).to_have_text("Review")
    other = page.context.new_page()
    asked = f"{guarded.url}/review?open=failed"
    with other.expect_response(lambda told: (told.url, told.status) == (asked, 200)):
        other.goto(asked)
    expect(other.locator("h1.brand")).to_have_text("Review")
    page.evaluate("localStorage.clear()")
    page.goto(link)
    expect(page.locator("#problem")).to_contain_text("used or is too old")
    page.goto(f"{guarded.url}/review")
    page.wait_for_url("**/review/login")


def test_the_token_opens_the_page_and_a_wrong_one_does_not(guarded: DevServer, page: Page) -> None:
    """However often another program was wrong just before."""
    page.goto(f"{guarded.url}/review")
    page.wait_for_url("**/review/login")
    page.fill("#token", "wrong")
    page.click("button")
    expect(page.locator("#problem")).to_have_text("That is not the token.")
    page.fill("#token", TOKEN)
    page.click("button")
    page.wait_for_url("**/review")
    expect(page.locator("h1.brand")).to_have_text("Review")


def test_what_listens_on_another_port_gets_the_cookie_and_can_do_nothing(
    guarded: DevServer, page: Page, httpserver: HTTPServer
) -> None:
    """A browser sends it there too; replayed by a program it opens nothing, and a page of that port neither reads nor acts."""
    sent: list[str] = []

    def take(request: Request) -> Response:
        sent.append(request.headers.get("Cookie", ""))
        return Response("<title>Hello</title><p>Hello", content_type="text/html")

    httpserver.expect_request("/review/hello").respond_with_handler(take)
    follow(page, link_of(guarded))
    url = httpserver.url_for("/review/hello").replace("localhost", "127.0.0.1")
    page.goto(url)
    assert "review_session=" in sent[0]
    told = page.evaluate(TRIES, guarded.url)
    assert told == {
        "key": None, "read": "refused", "blind": "refused", "answer": "refused", "text": "opaque", "frame": "hidden",
    }  # fmt: skip
    stolen = {"cookie": sent[0], "origin": guarded.url, "sec-fetch-site": "same-origin"}
    with httpx.Client(headers=stolen, base_url=f"{guarded.url}/review") as thief:
        for path in READ:
            told = thief.get(path, headers={"accept": "*/*"})
            assert told.status_code == 401, path
            assert "data-etag" not in thief.get(path, headers={"accept": "text/html"}).text
        for path in ("/answers", "/link", "/logout", "/failures/retry"):
            assert thief.post(path, json=[]).status_code == 401
    page.goto(f"{guarded.url}/review")
    expect(page.locator("h1.brand")).to_have_text("Review")


def test_a_page_under_the_servers_own_name_in_the_process_is_refused(guarded: DevServer, page: Page) -> None:
    """DNS rebinding: `api` is what the server calls itself, and whoever owns that name may point it here."""
    port = guarded.url.rpartition(":")[2]
    told = page.goto(f"http://api:{port}/review")
    assert told is not None
    assert told.status == 403
    assert page.evaluate(AS_API) == ["refused", 403, 403, 403]
