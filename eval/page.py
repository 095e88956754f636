"""The scorecard as one page: no script, no remote content, light and dark, readable on a phone."""

from xml.etree.ElementTree import Element, SubElement, fromstring

from markdown_it import MarkdownIt

from email_assistant.charts import Bar, bar_chart
from email_assistant.cli.html_page import add, add_table, new_page, written
from eval.figures import Bars, Chart
from eval.line_chart import line_chart
from eval.scorecard import GLANCE, Measured, Scorecard, glance
from eval.summary import HEADS, figure_row

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink"])


def page(card: Scorecard) -> bytes:
    """The whole page; what suites print is text in it, whatever it holds."""
    html, main = new_page("Scorecard", "report.css")
    add(main, "h1", "Scorecard")
    add(main, "p", card.told, "soft")
    failed = sum(bool(one.failures) for one in card.suites)
    add(main, "p", card.verdict, "failed" if failed else "")
    _contents(main, card)
    for number, one in enumerate(card.suites):
        _suite(main, one, f"suite-{number}")
    return written(html)


def _contents(main: Element, card: Scorecard) -> None:
    table = SubElement(SubElement(main, "div", {"class": "wide"}), "table")
    heads = SubElement(SubElement(table, "thead"), "tr")
    for name in GLANCE:
        add(heads, "th", name).set("scope", "col")
    body = SubElement(table, "tbody")
    for number, (row, one) in enumerate(zip(glance(card), card.suites, strict=True)):
        line = SubElement(body, "tr")
        add(SubElement(line, "td"), "a", row[0]).set("href", f"#suite-{number}")
        for text in row[1:-1]:
            add(line, "td", text)
        add(line, "td", row[-1], "failed" if one.failures else "")


def _suite(main: Element, one: Measured, identifier: str) -> None:
    add(main, "h2", one.title).set("id", identifier)
    add(main, "p", f"Answers: {one.answers}. {one.command}, {one.seconds:.0f} s. {one.state}.", "soft")
    for failure in one.failures[:20]:
        add(main, "p", f"Failed: {failure}", "failed")
    if one.report is None:
        return
    for place, chart in enumerate(one.report.charts):
        add(main, "h3", chart.title)
        main.append(_drawn(chart, f"{identifier}-{place}"))
    if one.report.figures:
        rows = [figure_row(figure) for figure in one.report.figures]
        add_table(SubElement(main, "div", {"class": "wide figures"}), HEADS, rows)
    if one.report.text:
        folded = SubElement(main, "details")
        add(folded, "summary", "Tables and notes")
        folded.append(_rendered(one.report.text))


def _drawn(chart: Chart, identifier: str) -> Element:
    if isinstance(chart, Bars):
        bars = [Bar(label, share, told) for label, share, told in chart.bars]
        return bar_chart(bars, identifier=identifier, title=chart.title)
    return line_chart(chart.series, x=chart.x, y=chart.y, identifier=identifier, title=chart.title)


def _rendered(markdown: str) -> Element:
    """A suite's tables and notes; links and images in them stay text."""
    body = (
        _MARKDOWN.render(markdown)
        .replace("<table>", '<div class="wide"><table>')
        .replace("</table>", "</table></div>")
    )
    return fromstring(f"<div>{body}</div>")
