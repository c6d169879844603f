"""Builds the site of docs/ with Sphinx (`make docs`) and checks it.

    python scripts/docs_site.py [--report FILE]

The sources are the Markdown pages as a code host shows them. They are copied to build/docs/source,
where the pages of the project's folder have places too and links to other files lead to the
repository. What a page in `INDEXES` lists, in that order, is a part of the site's contents. Sphinx is
in an environment of its own, .venv-docs; once that is there, nothing needs the network, and links
to other sites are not followed.

A report is a list of `[name, passed, output]`, for `make test`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
VENV = ROOT / ".venv-docs"
BUILD = ROOT / "build" / "docs"
SITE = BUILD / "site"

INDEXES = ["index.md", "tutorials.md", "howto.md", "reference.md", "explanation.md"]
"""The pages of docs/ that list the others."""

ELSEWHERE = {
    "ARCHITECTURE.md": "architecture/index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages of the project's folder, and where the site has them."""

FENCE = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
VERBATIM = re.compile(FENCE.pattern + r"|(`+)(?!`).*?(?<!`)\2(?!`)", FENCE.flags)
"""Fences and code in a line, in which nothing is a link."""

LINK = re.compile(r"(\]\(\s*<?)([^)\s>]+)(>?[^)]*\))")
_ENTRY = re.compile(r"^ *- \[([^\]]*)\]\(([^)#\s]+)\)", re.MULTILINE)
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|//")


def place(file: Path) -> Path | None:
    """Where the site's sources have a file of the repository; None if they do not have it."""
    inside = file.relative_to(ROOT).as_posix()
    if inside in ELSEWHERE:
        return Path(ELSEWHERE[inside])
    if file.is_relative_to(DOCS) and file.is_file():
        return file.relative_to(DOCS)
    return None


def listed(page: Path) -> dict[Path, str]:
    """The files that a page has as entries of lists, in their order, and what it calls them."""
    return {
        (page.parent / link).resolve(): name
        for name, link in _ENTRY.findall(page.read_text("utf-8"))
        if not _ABSOLUTE.match(link)
    }


def _moved(link: str, page: Path, repository: str) -> str:
    """The link of a page as the site's sources have it."""
    path, hash_, anchor = link.partition("#")
    if not path or _ABSOLUTE.match(link):
        return link
    target = (page.parent / unquote(path)).resolve()
    if not target.exists():
        # Sphinx says so.
        return link
    found, own = place(target), place(page)
    assert own is not None
    if found is None:
        kind = "tree" if target.is_dir() else "blob"
        return f"{repository}/{kind}/main/{target.relative_to(ROOT).as_posix()}{hash_}{anchor}"
    return f"{Path(os.path.relpath(found, own.parent)).as_posix()}{hash_}{anchor}"


def source(page: Path, repository: str) -> str:
    """A page as the site's sources have it."""
    text = page.read_text("utf-8")
    parts, at = [], 0
    for code in VERBATIM.finditer(text):
        parts += [text[at : code.start()], code.group()]
        at = code.end()
    parts.append(text[at:])
    # Every second part is code. A link whose text is code begins in the part after it.
    parts[::2] = [
        LINK.sub(lambda found: found[1] + _moved(found[2], page, repository) + found[3], part)
        for part in parts[::2]
    ]
    whole = "".join(parts)
    if page.parent == DOCS and page.name in INDEXES:
        entries = [f"{name} <{place(entry)}>" for entry, name in listed(page).items()]
        whole += "\n".join(["", "```{toctree}", ":hidden:", "", *entries, "```", ""])
    return whole


def stage(folder: Path) -> None:
    """Write the site's sources."""
    shutil.rmtree(folder, ignore_errors=True)
    repository = json.loads((ROOT / "package.json").read_text("utf-8"))["homepage"]
    for file in [*DOCS.rglob("*"), *(ROOT / name for name in ELSEWHERE)]:
        to = place(file) if file.suffix in (".md", ".png") else None
        if to is None:
            continue
        (folder / to).parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            (folder / to).write_text(source(file, repository), "utf-8")
        else:
            shutil.copy2(file, folder / to)


def ensure_environment() -> Path:
    """The environment's Python; the environment is made if its requirements have changed."""
    wanted = ROOT / "requirements" / "docs.txt"
    mark, python = VENV / "turnbook-docs", VENV / "bin" / "python"
    digest = hashlib.sha256(wanted.read_bytes()).hexdigest()
    if not mark.exists() or mark.read_text() != digest:
        print(f"==> Sphinx in {VENV.name}", flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = ["-m", "pip", "install", "--quiet", "--require-hashes", f"--requirement={wanted}"]
        subprocess.run([str(python), *pip], check=True)
        mark.write_text(digest)
    return python


def build(python: Path) -> tuple[bool, str]:
    """Build the site; any warning is a failure. Returns whether it went well, and the output."""
    shutil.rmtree(BUILD, ignore_errors=True)
    stage(BUILD / "source")
    options = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "--builder=html"]
    folders = [f"--conf-dir={DOCS}", f"--doctree-dir={BUILD / 'doctrees'}"]
    command = [str(python), "-m", "sphinx", *options, *folders, str(BUILD / "source"), str(SITE)]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.returncode == 0, done.stdout


class _Page(HTMLParser):
    """The ids of a page, its links, and what it loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.ids = {"", "top"}
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.ids.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and "href" in found:
            self.loads.append(found["href"])
        elif "src" in found:
            self.loads.append(found["src"])


def broken(site: Path) -> Iterator[str]:
    """What is wrong with the links of a site, and what its pages load from elsewhere."""
    # The theme has templates among its files.
    files = [file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts]
    pages = {file: _Page(file) for file in files}
    for file, page in pages.items():
        name = file.relative_to(site)
        for link in page.loads:
            if _ABSOLUTE.match(link) and not link.startswith("data:"):
                yield f"{name} loads {link}"
        for link in [*page.links, *page.loads]:
            if _ABSOLUTE.match(link):
                continue
            parts = urlsplit(link)
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.is_file():
                yield f"{name}: no file for {link}"
            elif target in pages and unquote(parts.fragment) not in pages[target].ids:
                yield f"{name}: no anchor for {link}"


def main() -> int:
    """Build and check; returns 0 if all is well."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", type=Path)
    report = parser.parse_args().report
    python = ensure_environment()
    print("==> Building the site", flush=True)
    good, said = build(python)
    checks = [("Sphinx builds the site without warnings", good, said)]
    problems = "\n".join(broken(SITE))
    checks.append(("links of the site lead somewhere and load nothing", not problems, problems))
    if report:
        report.write_text(json.dumps(checks), "utf-8")
    for name, passed, output in checks:
        if not passed:
            print(f"FAILED: {name}\n{output}")
    index = SITE / "index.html"
    if index.exists():
        print(f"The site is in {index.relative_to(ROOT)}")
    return 0 if all(passed for _, passed, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
