"""Sphinx's configuration for the site that `make docs` builds; scripts/docs_site.py calls it."""

import json
from pathlib import Path

_PACKAGE = json.loads((Path(__file__).parent.parent / "package.json").read_text("utf-8"))

project = "Turnbook"
author = "Turnbook contributors"
copyright = author  # noqa: A001
version = release = _PACKAGE["version"]

extensions = ["myst_parser"]
# Headings have the anchors that code hosts give them, so that one link works in both places.
myst_heading_anchors = 6
highlight_language = "text"

html_theme = "pydata_sphinx_theme"
html_title = f"Turnbook {version}"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = [str(Path(__file__).parent / "_static")]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}
html_theme_options = {
    "github_url": _PACKAGE["homepage"],
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    # Pictures side by side need the width.
    "secondary_sidebar_items": {"**": ["page-toc"], "look": []},
    "footer_start": [],
    "footer_end": [],
}
# A page without sections of its own has nothing to list there.
html_sidebars = {name: [] for name in ("index", "changelog", "contributing")}
