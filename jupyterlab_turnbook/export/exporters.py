"""What ``jupyter nbconvert --to turnbook_html`` and ``--to turnbook_markdown`` use.

Their names have no hyphen: Jupyter Server takes only letters, digits and ``_`` in its addresses.
"""

from __future__ import annotations

from typing import Any

from nbconvert.exporters.base import Exporter
from nbformat import NotebookNode
from traitlets import default

from .markdown import markdown
from .page import page
from .said import all_said, title_of


class ChatMarkdownExporter(Exporter):
    """A chat as Markdown: who said what."""

    output_mimetype = "text/markdown"

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".md"

    def from_notebook_node(
        self, nb: NotebookNode, resources: Any = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The Markdown of a notebook."""
        copy, resources = super().from_notebook_node(nb, resources, **kw)
        return f"# {title_of(resources)}\n\n{markdown(all_said(copy))}\n", resources


class ChatHTMLExporter(Exporter):
    """A chat as one HTML page: who said what."""

    output_mimetype = "text/html"

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(
        self, nb: NotebookNode, resources: Any = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The page of a notebook."""
        copy, resources = super().from_notebook_node(nb, resources, **kw)
        return page(all_said(copy), title_of(resources)), resources
