"""What is known of one kind of failure, as a page to read; its episodes are links that open the pair."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtWidgets import QTextBrowser, QWidget

from tracescope.campaign.report_page import (
    SIGNALS_DESCRIBE,
    ClusterPage,
    DifferenceRow,
    EpisodeRow,
    ReportPage,
    page_of,
)
from tracescope.campaign.result_schema import UNTOLD, CampaignFile
from tracescope.ui.campaign_map import NOT_JUDGED
from tracescope.ui.look import Look

EPISODE = "episode:"


class Details(QTextBrowser):
    """Shows the campaign's summary, or one kind.

    Signals:
        opened: An episode whose link was followed.
    """

    opened = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._page: ReportPage | None = None
        self._result: CampaignFile | None = None
        self._kind = ""
        self.setOpenLinks(False)
        self.setAccessibleName("about this kind")
        self.setToolTip("What is known of the kind chosen above; its episodes are links")
        self.anchorClicked.connect(self._follow)
        look.changed.connect(self._show)

    def show_result(self, result: CampaignFile | None) -> None:
        """Show another campaign, its summary first; ``None`` before it was judged."""
        self._result, self._kind = result, ""
        self._page = None if result is None else page_of(result)
        self._show()

    def keep_kind(self, kind: str) -> None:
        """Show what is known of a kind; of none, the summary."""
        self._kind = kind
        self._show()

    @Slot()
    def _show(self) -> None:
        if self._page is None or self._result is None:
            self.setPlainText(NOT_JUDGED)
            return
        theme = self._look.theme
        self.document().setDefaultStyleSheet(
            f"a {{ color: {theme.link}; }} th {{ color: {theme.muted}; text-align: left; }} "
            f".muted {{ color: {theme.muted}; }} td, th {{ padding-right: 12px; }}"
        )
        of_kind = {cluster.id: cluster for cluster in self._page.clusters}
        if self._kind in of_kind:
            exemplars = next(c.exemplars for c in self._result.clusters if c.id == self._kind)
            self.setHtml(_cluster_html(of_kind[self._kind], exemplars))
        else:
            self.setHtml(_summary_html(self._page, self._kind))

    @Slot(QUrl)
    def _follow(self, url: QUrl) -> None:
        text = url.toString(QUrl.ComponentFormattingOption.FullyDecoded)
        if text.startswith(EPISODE):
            self.opened.emit(text.removeprefix(EPISODE))


def _link(episode: str) -> str:
    quoted = bytes(QUrl.toPercentEncoding(episode).data()).decode()
    return f'<a href="{EPISODE}{quoted}">{escape(episode)}</a>'


def _list(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _cluster_html(page: ClusterPage, exemplars: Sequence[str]) -> str:
    links = ", ".join(_link(episode) for episode in exemplars)
    parts = [
        f"<h3>{escape(page.id)} · {escape(page.name)}</h3>",
        f"<p><b>Do.</b> {escape(page.do)}<br><b>Would be wrong if</b> {escape(page.would_be_wrong_if)}.</p>",
        f"<p>Most typical: {links}</p>",
        _list(page.lines),
        "<p><b>For the lead</b></p>",
        _list(page.evidence_for),
        "<p><b>Against it</b></p>",
        _list(page.evidence_against),
        (
            f'<p class="muted">Shares of the squared signature: {escape(page.shares)}. They say where the '
            "difference lies, not how bad it is.</p>"
        ),
        _table("Simulation parameter", page.parameters),
        _table("Signal", page.signals),
        f'<p class="muted">{escape(SIGNALS_DESCRIBE)}</p>' if page.signals else "",
    ]
    return "".join(parts)


def _table(title: str, rows: Sequence[DifferenceRow]) -> str:
    if not rows:
        return ""
    tested = any(d.told for d in rows)
    head = [title, "effect", "interval", "here", "elsewhere"]
    head += ["p (Holm)", "told apart"] if tested else []
    cells = "".join(
        "<tr>"
        + "".join(
            f"<td>{escape(text)}</td>"
            for text in (d.what, d.effect, d.interval, d.here, d.elsewhere, d.p, d.told)[
                : len(head)
            ]
        )
        + "</tr>"
        for d in rows
    )
    return f"<table><tr>{''.join(f'<th>{escape(h)}</th>' for h in head)}</tr>{cells}</table><p></p>"


def _summary_html(page: ReportPage, kind: str) -> str:
    title = {"": "This campaign"}.get(kind, kind.capitalize())
    parts = [f"<h3>{escape(title)}</h3>"]
    if kind == "unclustered":
        parts.append(
            "<p>These differ in ways that did not come back often enough to be a kind.</p>"
        )
        parts.append(_list(page.unclustered))
    elif kind == "not usable":
        parts.append(_list([f"{name}: {problem}" for name, problem in page.failed]))
    elif kind == UNTOLD:
        parts.append(
            "<p>Something lies outside its tolerance, and more than one explanation is open or a precondition "
            "is not met. Open the pair: its checks say what would settle it.</p>"
        )
        parts.append(_episodes([e for e in page.episodes if e.cluster == kind]))
        parts.append(_list(page.untold))
    elif kind:
        quiet = [e for e in page.episodes if e.cluster == kind]
        parts.append(
            "<p>Nothing measured lies beyond noise; what was not measured cannot speak.</p>"
        )
        parts.append(_episodes(quiet))
    else:
        parts.append(_list(page.summary))
        parts.append(_list([*page.earlier, *page.earlier_notes]) if page.earlier else "")
        parts.append("<p><b>How it was done</b></p>")
        parts.append(_list([f"{what}: {how}." for what, how in page.method]))
    return "".join(parts)


def _episodes(rows: Sequence[EpisodeRow]) -> str:
    return f"<p>{', '.join(_link(row.id) for row in rows)}</p>"
