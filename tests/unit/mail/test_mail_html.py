"""The text a reader sees of an HTML mail."""

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.mail.html import visible_text

HIDING_STYLES = [
    "display:none",
    "d\\69splay:none",
    "visibility:hidden",
    "font-size:0",
    "font-size:1px",
    "position:absolute;left:-9999px",
    "text-indent:-9999px",
    "transform:scale(0)",
    "color:#fff",
    "background:navy;color:#000080",
    "color:transparent",
]


@pytest.mark.parametrize("style", HIDING_STYLES)
def test_hiding_styles_hide(style: str) -> None:
    """Text that a style hides is removed with everything inside it, and a note says so."""
    text, notes = visible_text(f"<p>seen</p><div style='{style}'><b>secret</b></div>")
    assert text == "seen"
    assert len(notes) == 1
    assert notes[0].startswith("Hidden text was removed: ")


@pytest.mark.parametrize(
    "html",
    [
        "<style>.x{display:none}</style><i class='a x'>secret</i>",
        "<style>@media (min-width:600px){.x{display:none}}</style><i class=x>secret</i>",
        "<style>.x{display:none!important}</style><p class=x style='display:block'>secret</p>",
        "<div hidden>secret</div>",
        "<table bgcolor=#112233><tr><td><font color=#112233>secret</font></table>",
    ],
)
def test_rules_and_attributes_hide(html: str) -> None:
    """Style elements, attributes and inheritance hide as they do in a browser, and a note says so."""
    text, notes = visible_text(f"<p>seen</p>{html}")
    assert text == "seen"
    assert notes


@pytest.mark.parametrize(
    "html",
    [
        "<!-- secret -->seen",
        "<script>secret</script><template>secret</template><noscript>secret</noscript>seen",
        "seen<style>secret",
        "<div style='display:none'>&zwnj;&nbsp;&#847; </div>seen",
    ],
)
def test_what_is_never_shown_needs_no_note(html: str) -> None:
    """Comments, scripts, heads and empty padding go silently: every newsletter has them."""
    assert visible_text(html) == ("seen", ())


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>secret<p>seen",
        "<td style='font-size:0'><span style='font-size:14px'>seen</span></td>",
        "<style>@media only screen and (max-width:600px){.x{display:none}}</style><i class=x>seen",
        "<style>.x{display:none}</style><p class=x style='display:block'>seen</p>",
        "<table background='a.png'><tr><td style='color:#fff'>seen</table>",
        "<div style='max-height:0'>seen</div>",
    ],
)
def test_what_a_reader_sees_stays(html: str) -> None:
    """Common mark-up that only resembles hiding does not swallow visible text."""
    text, _ = visible_text(html)
    assert "seen" in text
    assert "secret" not in text


def test_a_page_reads_like_a_page() -> None:
    """Blocks begin lines, lists have bullets or numbers, cells stand apart, quotes are marked."""
    text, notes = visible_text(
        "<h1>Offer</h1><p>Hello <b>Ana</b>,<br>see  below.<ul><li>one<li>two</ul><ol><li>x<li>y</ol>"
        "<table><tr><td>Ring<td>2<td>40.00</tr><tr><td>Pin<td>1<td>4.00</table><pre>a\n  b</pre>"
        "Bo wrote:<blockquote>old</blockquote>end"
    )
    assert text == (
        "Offer\n\nHello Ana,\nsee below.\n\n  - one\n  - two\n\n  1. x\n  2. y\n\n"
        "Ring  2  40.00\nPin  1  4.00\n\na\n  b\n\nBo wrote:\n\n> old\n\nend"
    )
    assert notes == ()


@pytest.mark.parametrize(
    "line",
    [
        "1. a",
        "> f",
        "* *g* __h__ `i` [j](k) ![l](m)",
        "AT&T <b>n</b> <blockquote> &amp; &nbsp; &nbsp_place_holder; &#65;",
    ],
)
def test_text_stays_as_it_is(line: str) -> None:
    """What looks like Markdown, HTML or a character reference is neither escaped nor obeyed nor made plainer."""
    assert visible_text(f"<p>x</p><p>{escape(line)}</p><p>y</p>")[0] == f"x\n\n{line}\n\ny"


def test_characters_reserved_for_the_layout_are_not_taken_from_outside() -> None:
    """Noncharacters in a mail cannot pose as the white space that the layout marks with them."""
    assert visible_text("a\ufdd0b\ufdd2c\ufdd3d&#xfdd2;e")[0] == "a\ufffdb\ufffdc\ufffdde"


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ('<a href="https://shop.example/x">our shop</a>', "our shop (https://shop.example/x)"),
        ('<a href="https://shop.example/">shop.example</a>', "shop.example"),
        (
            '<a href="https://evil.example/">https://bank.example</a>',
            "https://bank.example (https://evil.example/)",
        ),
        ('<a href="mailto:ana@example.com">Ana</a>', "Ana (mailto:ana@example.com)"),
        ('<a href="java\tscript:alert(1)">go</a>', "go"),
        ('<a href="#top">go</a>', "go"),
    ],
)
def test_links_show_where_they_lead(link: str, shown: str) -> None:
    """A link's address follows its text unless it is shown already or leads neither to the web nor to mail."""
    assert visible_text(f"see {link}")[0] == f"see {shown}"


def test_deep_nesting_is_followed() -> None:
    """Text a hundred thousand elements deep is found, and hidden when an ancestor hides it."""
    assert visible_text("<div>" * 100_000 + "seen")[0] == "seen"
    assert visible_text("<div hidden>" + "<div>" * 100_000 + "secret")[0] == ""


@pytest.mark.parametrize(
    ("begin", "end"),
    [("<blockquote>", "</blockquote>"), ("<ul><li>", "</ul>"), ("<table><tr><td>", "</table>")],
)
def test_deep_quotes_lists_and_tables_are_flattened(begin: str, end: str) -> None:
    """Ten thousand quotes, lists or tables in one another lose no text and stay near the margin."""
    text, _ = visible_text("first" + f"{begin}in " * 10_000 + f"{end}out " * 10_000 + "last")
    assert text.startswith("first")
    assert text.endswith("last")
    assert text.count("in") == text.count("out") == 10_000
    assert max(len(line) for line in text.splitlines()) < 40


def test_a_monstrous_style_sheet_is_given_up_with_a_note() -> None:
    """When matching the rules would take too long the reader is told that hidden text may be shown."""
    rules = "".join(f"i i i i .x{n} .y{{display:none}}" for n in range(4_000))
    text, notes = visible_text(f"<style>{rules}</style>" + "<i class=y>t " * 2_000)
    assert "t t" in text
    assert any("too complicated" in note for note in notes)


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    "<",
                    ">",
                    "<div",
                    "<p",
                    "</div>",
                    "<style>",
                    "<!--",
                    "-->",
                    "style='",
                    "=",
                    "display:none;",
                    "&#",
                    "{",
                    "}",
                    "<li>",
                    "<br>",
                    "<blockquote>",
                ]
            ),
            st.text(max_size=3),
            st.characters(categories=["Cs"]),
        ),
        max_size=40,
    ).map(" ".join)
)
def test_no_html_raises(html: str) -> None:
    """Whatever the mark-up, there is a text, and it can be encoded."""
    text, notes = visible_text(html)
    text.encode("utf-8")
    assert all(note.endswith(".") for note in notes)
