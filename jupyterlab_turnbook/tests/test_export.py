"""Chats as Markdown and as HTML: who said what, only what is shown, and nothing that runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert.exporters import get_exporter

from jupyterlab_turnbook.export.markdown import markdown
from jupyterlab_turnbook.export.page import safe_html
from jupyterlab_turnbook.export.said import all_said

GOLDEN = json.loads((Path(__file__).parent / "golden-said.json").read_text("utf-8"))
EXAMPLE = Path(__file__).resolve().parents[2] / "ui-tests" / "screenshot" / "welcome.chat.ipynb"
PNG = "iVBORw0KGgo="


def pair(source: str = "Hi", *outputs: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """A pair with outputs and metadata."""
    return {
        "cell_type": "code",
        "id": f"c{abs(hash((source, str(outputs))))}"[:20],
        "execution_count": None,
        "source": source,
        "metadata": metadata,
        "outputs": list(outputs),
    }


def output(**data: Any) -> dict[str, Any]:
    """An output with data, by names like `text_markdown`."""
    named = {key.replace("_", "/", 1): value for key, value in data.items()}
    return {"output_type": "display_data", "data": named, "metadata": {}}


def export(name: str, *cells: dict[str, Any]) -> str:
    """A notebook with these cells in a format."""
    notebook = nbformat.from_dict(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    )
    text: str = get_exporter(name)().from_notebook_node(
        notebook, {"metadata": {"name": "my.chat"}}
    )[0]
    return text


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
def test_the_form_is_that_of_copy_as_markdown(case: dict[str, Any]) -> None:
    assert markdown(all_said({"cells": [case["cell"]]})) == case["markdown"]


def test_everybody_who_speaks_has_a_name() -> None:
    text = export(
        "turnbook_markdown",
        {"cell_type": "raw", "id": "s", "source": "Be brief.", "metadata": {}},
        {"cell_type": "markdown", "id": "n", "source": "To *do*", "metadata": {}},
        pair("Hi", output(text_markdown="Hello"), turnbook_run={"model": "a/b"}),
    )
    assert text == (
        "# my\n\n**System:**\n\nBe brief.\n\n**Note:**\n\nTo *do*\n\n**You:**\n\nHi\n\n"
        "**a/b:**\n\nHello\n"
    )


def test_only_what_is_shown_is_exported() -> None:
    cells = (
        pair(
            "Now",
            output(text_markdown="new", text_html="<b>other</b>"),
            turnbook_versions=[{"source": "Before", "reply": "old"}],
            turnbook_messages={"json": '[{"role":"user","content":"kept"}]', "textHash": "0"},
            turnbook_run={"state": "canceled", "model": "a/b", "requestHash": "f00"},
            turnbook={"in": False},
        ),
        pair("Oh", turnbook_run={"state": "error", "error": {"code": "500", "message": "no\nway"}}),
        pair(""),
    )
    for name in ("turnbook_markdown", "turnbook_html"):
        text = export(name, *cells)
        for hidden in ("Before", "old", "kept", "f00", "other"):
            assert hidden not in re.sub(r"<style>.*</style>", "", text, flags=re.DOTALL)
        assert "You (marked out)" in text
        assert "[INTERRUPTED]" in text
        assert "[error: 500] no way" in text
        assert text.count("You") == 2


def test_what_was_attached_comes_before_the_message() -> None:
    def attached(**data: Any) -> dict[str, Any]:
        entry = {"part": "attachment", "name": "a", "sha256": "0" * 64}
        return {**output(**data), "metadata": {"turnbook": entry}}

    cell = pair(
        "Look",
        attached(image_webp=PNG),
        attached(text_markdown="File: a.py\n\n```\nx\n```"),
        attached(application_pdf=PNG, text_plain="PDF: a.pdf"),
        output(text_markdown="Seen"),
    )
    assert export("turnbook_markdown", cell) == (
        f"# my\n\n**You:**\n\n![](data:image/webp;base64,{PNG})\n\nFile: a.py\n\n```\nx\n```"
        "\n\nPDF: a.pdf\n\nLook\n\n**Reply:**\n\nSeen\n"
    )
    page = export("turnbook_html", cell)
    assert f'src="data:image/webp;base64,{PNG}"' in page
    assert page.index(PNG) < page.index("Look") < page.index("Seen")


def test_what_a_kernel_wrote_is_shown_as_text() -> None:
    stream = {"output_type": "stream", "name": "stdout"}
    error = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mE\x1b[0m"]}
    text = export(
        "turnbook_markdown",
        pair("x", {**stream, "text": "10%\r20"}, {**stream, "text": ["%\n", "<b>"]}, error),
        pair("y", output(image_png=PNG)),
    )
    assert "```\n20%\n<b>\n```" in text
    assert "```\nE\n```" in text
    assert f"![](data:image/png;base64,{PNG})" in text


class _Loads(HTMLParser):
    """What a page would run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "iframe", "object", "embed", "link", "base", "form", "svg", "style"):
            self.found.append(tag)
        for name, value in attrs:
            said = (value or "").strip().lower()
            if name.startswith("on") or name in ("style", "srcset", "srcdoc", "id", "name"):
                self.found.append(f"{tag} {name}")
            fine = {"src": r"data:image/(png|jpeg|gif|webp);", "href": r"https?:|mailto:|#"}.get(
                name
            )
            if fine and not re.match(fine, said):
                self.found.append(f"{tag} {name}={value}")


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img src='https://example.org/x.png' srcset='https://example.org/y.png 2x'>",
    "![x](https://example.org/x.png)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[x](javascript:alert(1)) [y](JaVa\tScript:alert(1)) [z](data:text/html,<script>1</script>)",
    "[r]: javascript:alert(1)\n[r]",
    "<a href='vbscript:x' onclick='x()'>a</a><svg onload=alert(1)><style>*{}</style>",
    "<iframe srcdoc='<script>1</script>'></iframe><base href='https://example.org'>",
    "<form action='https://example.org'><input autofocus onfocus=alert(1)>",
    '```"><script>alert(1)</script>\ncode\n```',
    "</div></section></body><script>alert(1)</script>",
    "<!--<script>--><math><mtext></p><style><img src=x onerror=alert(1)></style></mtext></math>",
    "$\\href{javascript:alert(1)}{x}$ <details open ontoggle=alert(1)>",
    "<b>" * 3000,
    "> " * 3000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_in_a_page_runs_or_loads(text: str) -> None:
    loads = _Loads()
    loads.feed(safe_html(text))
    assert loads.found == []
    whole = export(
        "turnbook_html",
        {"cell_type": "raw", "id": "s", "source": text, "metadata": {}},
        {"cell_type": "markdown", "id": "n", "source": text, "metadata": {}},
        pair(text, output(text_markdown=text), turnbook_run={"model": text}),
        pair("i", output(image_png=f'{PNG}" onload="alert(1)')),
    )
    body = _Loads()
    body.feed(whole.partition("<body>")[2])
    assert body.found == []
    assert "Content-Security-Policy" in whole.partition("<style>")[0]


def test_a_page_shows_markdown_and_the_message_as_written() -> None:
    text = export(
        "turnbook_html",
        pair(
            "a <b>\n  c", output(text_markdown="# T\n\n| a |\n|-|\n| 1 |\n\n```python\nx = 1\n```")
        ),
    )
    assert "a &lt;b&gt;\n  c" in text
    assert "<table>" in text and '<div class="highlight">' in text
    assert "<title>my</title>" in text


@pytest.mark.parametrize(
    "cells",
    [
        [{"cell_type": "code", "id": "a", "metadata": {"turnbook_run": 1}, "outputs": [7, {}]}],
        [3, None, {"cell_type": "code", "outputs": [{"output_type": "display_data", "data": 1}]}],
        [{"cell_type": "raw", "source": ["a", 1]}, {"cell_type": "x"}],
    ],
)
def test_odd_cells_are_tolerated(cells: list[Any]) -> None:
    assert isinstance(markdown(all_said({"cells": cells})), str)


@pytest.mark.parametrize("name", ["turnbook_html", "turnbook_markdown"])
def test_nbconvert_knows_the_exporters(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", f"--to={name}", f"--output-dir={tmp_path}", EXAMPLE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (made,) = tmp_path.iterdir()
    assert made.name == f"welcome.chat.{'html' if 'html' in name else 'md'}"
    assert "System" in made.read_text("utf-8")


async def test_the_server_converts_what_a_page_sends(jp_fetch: Any) -> None:
    cells = [pair("Hi", output(text_markdown="Hello"))]
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    response = await jp_fetch(
        "nbconvert",
        "turnbook_markdown",
        method="POST",
        body=json.dumps({"name": "x.chat.ipynb", "content": content}),
    )
    assert response.body.decode() == "# x\n\n**You:**\n\nHi\n\n**Reply:**\n\nHello\n"
