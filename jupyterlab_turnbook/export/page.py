"""A chat as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import bleach
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.formatters import HtmlFormatter

from .said import Said
from .shown import Shown

# Besides what is cleaned below: no script, no frame, nothing from elsewhere.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
TAGS = frozenset(
    re.findall(
        r"\w+",
        "a abbr b blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i img kbd li mark ol p "
        "pre s span strong sub sup table tbody td th thead tr u ul",
    )
)
_PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*")
_BASE64 = re.compile(r"[A-Za-z0-9+/=]+")

STYLE = """
:root { color-scheme: light dark; }
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.55 system-ui, sans-serif; }
section { margin: 1.5rem 0; }
h2.by { margin: 0 0 0.25rem; font-size: 0.8rem; font-weight: 600; opacity: 0.75; }
.user { border-inline-start: 3px solid #1976d2; padding-inline-start: 0.75rem; }
.system, .tools { border-inline-start: 3px solid #9e9e9e; padding-inline-start: 0.75rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
pre, .tools .text { overflow-x: auto; font: 0.85rem/1.45 ui-monospace, monospace; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
td, th { border: 1px solid #9e9e9e; padding: 0.2rem 0.6rem; }
img { max-width: 100%; }
"""


def page(said: list[Said], title: str) -> str:
    """The page."""
    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    sections = "\n".join(map(_section, said))
    return f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<style>{STYLE}
{light}
@media (prefers-color-scheme: dark) {{
{dark}
}}
</style>
</head>
<body>
<h1>{escape(title)}</h1>
{sections}
</body>
</html>
"""


def _section(said: Said) -> str:
    ending = [f"<p>{escape(said.ending)}</p>"] if said.ending else []
    body = "\n".join([*map(_part, said.parts), *ending])
    return (
        f'<section class="{said.by}">\n<h2 class="by" dir="auto">{escape(said.name)}</h2>\n'
        f"{body}\n</section>"
    )


def _part(part: Shown) -> str:
    if part.kind == "markdown":
        return f'<div dir="auto">{safe_html(part.text)}</div>'
    if part.kind == "image":
        data = "".join(part.text.split())
        if _BASE64.fullmatch(data):
            return f'<img alt="" src="data:{part.mime};base64,{data}">'
        return ""
    return f'<div class="text" dir="auto">{escape(part.text)}</div>'


def safe_html(text: str) -> str:
    """Markdown as HTML that loads nothing and runs nothing."""
    try:
        made = MarkdownWithMath(renderer=_Renderer(escape=False)).render(text)
        return bleach.clean(made, tags=TAGS, attributes=_allowed, protocols=_PROTOCOLS)
    except RecursionError:
        return f'<div class="text">{escape(text)}</div>'


_PROTOCOLS = frozenset({"http", "https", "mailto", "data"})


def _allowed(tag: str, name: str, value: str) -> bool:
    if name == "class":
        # Of highlighted code alone; other names are the page's.
        return tag in ("span", "div", "code") and bool(re.fullmatch(r"[a-z]\w?|highlight", value))
    if tag == "a":
        return name == "href" and not value.strip().lower().startswith("data:")
    if tag == "img":
        return name == "alt" or (name == "src" and bool(_PICTURE.fullmatch(value)))
    return name == "start" and tag == "ol"


class _Renderer(IPythonRenderer):
    """Markdown in which a picture from elsewhere is a link."""

    def __init__(self, **options: Any) -> None:
        super().__init__(exclude_anchor_links=True, **options)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if _PICTURE.fullmatch(url):
            return f'<img alt="{escape(text)}" src="{escape(url)}">'
        return f'<a href="{escape(url)}">{escape(text) or escape(url)}</a>'
