"""The records that a page wants to rerun: files, pairs of a chat, or records it has made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from ..base.places import NoPlace, Places
from ..records.make import CannotRecord, make, name_of, write
from .answer import Json
from .plan import RECORDS, CannotRerun, Record, read_record

RESULTS = "results"
"""The name of results notebooks, without its end."""

_MOST_SEEN = 2**26
"""Bytes of the files of records that are remembered."""


@dataclass
class Found:
    """The records of a source. Those of a chat are not files until they are written."""

    beside: str
    """The folder in which results are written by default."""
    folder: str | None = None
    """Where records are written first; None if they are files already."""
    records: list[tuple[str, Record]] = field(default_factory=list)
    """Each with its name for the user."""
    paths: list[str] = field(default_factory=list)
    """Where each of them is or will be."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """What cannot be rerun, and why."""
    unwritten: list[Json] = field(default_factory=list)
    """The notebooks of records that are no files yet."""

    def add(self, name: str, path: str, record: Record) -> None:
        """Add a record."""
        self.records.append((name, record))
        self.paths.append(path)


class Seen:
    """Records that were checked before, as long as their files stay the same.

    A preview follows each change of the user's, and checking a record takes milliseconds. What is sent
    is always checked again.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, int, int, int], Record | CannotRerun] = {}
        self._size = 0

    def read(self, path: Path) -> Record:
        """A record; raises `CannotRerun`."""
        try:
            stat = path.stat()
        except OSError:
            return read_record(path)
        key = (str(path), stat.st_ino, stat.st_mtime_ns, stat.st_size)
        found = self._known.get(key)
        if found is None:
            try:
                found = read_record(path)
            except CannotRerun as error:
                found = error
            if self._size + stat.st_size > _MOST_SEEN:
                self._known, self._size = {}, 0
            self._known[key] = found
            self._size += stat.st_size
        if isinstance(found, CannotRerun):
            raise found
        return found


def find(source: Json, places: Places, journal: Path, seen: Seen) -> Found:
    """The records of a `RerunSource`; raises `CannotRerun` if it cannot be read at all."""
    try:
        if "paths" in source:
            return _files(source["paths"], places, seen)
        if "chat" in source:
            chat = places.find(source["chat"])
            return _made(source["chat"], chat, _of_pairs(chat, source["pairs"], journal))
        beside = places.find(source["beside"])
        given = ((None, each) for each in source["records"])
        return _made(source["beside"], beside, given)
    except NoPlace as error:
        raise CannotRerun(str(error)) from error


def read_files(paths: Iterable[str], places: Places) -> list[Record]:
    """The records in these files; raises `CannotRerun` if any cannot be used."""
    try:
        return [read_record(places.find(path)) for path in paths]
    except NoPlace as error:
        raise CannotRerun(f"{error} Put it back, or start a new rerun.") from error


def write_records(found: Found, places: Places) -> None:
    """Write the records that are no files yet. A file with the same request is used as it is."""
    if found.folder is None:
        return
    try:
        folder = places.place(found.folder)
        folder.mkdir(exist_ok=True)
        for place, notebook in enumerate(found.unwritten):
            found.paths[place] = _write(found.folder, found.paths[place], notebook, places)
    except (NoPlace, CannotRecord, OSError) as error:
        raise CannotRerun(f"The records could not be written: {error}") from error


def free_name(folder: str, places: Places) -> str:
    """A name for new results in a folder."""
    for number in range(1, 10_000):
        name = RESULTS if number == 1 else f"{RESULTS}-{number}"
        path = f"{folder}/{name}.ipynb".lstrip("/")
        try:
            at = places.place(path)
        except NoPlace:
            # The folder is made when the rerun starts.
            return path
        if not at.exists() and not at.with_name(f"{name}.rerun.sqlite").exists():
            return path
    raise CannotRerun(f"{folder} has too many results. Name another file.")


def _files(paths: Iterable[str], places: Places, seen: Seen) -> Found:
    found: Found | None = None
    for path in dict.fromkeys(each.strip("/") for each in paths):
        at = places.find(path)
        inside = [path]
        if at.is_dir():
            inside = [f"{path}/{each.name}".lstrip("/") for each in sorted(at.glob(RECORDS))]
        found = found or Found(path if at.is_dir() else path.rpartition("/")[0])
        for each in inside:
            try:
                found.add(each, each, seen.read(places.find(each)))
            except NoPlace as error:
                found.refused.append((each, str(error)))
            except CannotRerun as error:
                found.refused.append((each, _reason(error, places.find(each))))
    assert found is not None
    return found


def _made(path: str, chat: Path, made: Iterable[tuple[str | None, Json]]) -> Found:
    """Records that are no files yet, of this chat."""
    stem = re.sub(r"(\.chat)?\.ipynb$", "", path.strip("/"))
    found = Found(f"{stem}-rerun", folder=f"{stem}-rerun")
    with TemporaryDirectory() as folder:
        for place, (refused, notebook) in enumerate(made):
            if refused is not None:
                found.refused.append((notebook["name"], refused))
                continue
            at = Path(folder) / f"{place}.replay.ipynb"
            name, file = f"Record {place + 1}", ""
            try:
                name, file = _names(chat, notebook, name)
                write(notebook, at)
                record = read_record(at)
            except (CannotRecord, CannotRerun, ValueError, KeyError, TypeError) as error:
                found.refused.append((name, _reason(error, at)))
                continue
            found.add(name, f"{found.folder}/{file}", record)
            found.unwritten.append(notebook)
    return found


def _of_pairs(chat: Path, pairs: Iterable[str], journal: Path) -> Iterator[tuple[str | None, Json]]:
    for pair in dict.fromkeys(pairs):
        try:
            yield None, make(chat, pair, journal, of_whole=True)
        except CannotRecord as error:
            yield str(error), {"name": pair}


def _names(chat: Path, notebook: Json, fallback: str) -> tuple[str, str]:
    """The name of a record for the user, and that of its file."""
    record = notebook["metadata"]["turnbook"]["record"]
    name = record.get("debugName")
    file = name_of(chat, notebook).name
    if not re.fullmatch(r"[0-9a-f]{64}", record["hash"]):
        raise ValueError("The record is damaged: its hash is none.")
    return (name if isinstance(name, str) and name else fallback), file


def _write(folder: str, path: str, notebook: Json, places: Places) -> str:
    wanted = notebook["metadata"]["turnbook"]["record"]["hash"]
    stem = path.removeprefix(f"{folder}/").removesuffix(".replay.ipynb")
    for number in range(1, 10_000):
        name = stem if number == 1 else f"{stem}-{number}"
        made = f"{folder}/{name}.replay.ipynb"
        at = places.place(made)
        if not at.exists():
            write(notebook, at)
            return made
        try:
            if read_record(at).hash == wanted:
                return made
        except CannotRerun:
            # Another file has this name.
            continue
    raise CannotRecord(f"{folder} has too many records of the same name.")


def _reason(error: Exception, at: Path) -> str:
    """Why, without the path, which the user sees beside it."""
    return str(error).removeprefix(f"{at} cannot be used: ")
