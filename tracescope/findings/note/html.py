"""The note as one HTML file: figures inline, nothing loaded, nothing run."""

from __future__ import annotations

from tracescope.findings.note.document import Item, NoteDocument
from tracescope.findings.note.templating import printable, rendered

TAGS = {
    "p", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "br", "a", "hr",
    "h1", "h2", "h3", "h4", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


def typed_html(text: str) -> str:
    """Render what a person typed: Markdown with raw HTML off, then cleaned to a short list of tags."""
    import nh3
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    return nh3.clean(
        markdown.render(printable(text)),
        tags=TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


def item_html(item: Item) -> object:
    """Return a finding as a list item; generated text is escaped, typed text rendered safely."""
    from markupsafe import Markup, escape

    if item.by_hand:
        head = Markup('<li class="hand" dir="auto">') + Markup(typed_html(item.text))  # noqa: S704
    else:
        head = Markup("<li>") + escape(item.text)
    details = Markup().join(
        Markup("<li><strong>{}:</strong> {}</li>").format(label, text)
        for label, text in item.details
    )
    inner = Markup("<ul>{}</ul>").format(details) if item.details else Markup()
    return head + inner + Markup("</li>\n")


def html_note(document: NoteDocument) -> bytes:
    """Return the note as self-contained HTML, UTF-8."""
    return rendered("note.html.j2", document, {"item": item_html}, escape=True).encode("utf-8")
