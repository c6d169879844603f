"""What a run of the bench prints and writes, whatever its parts do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import run
import scale
import speedpage
import streams
from browser import Lab
from table import BenchError, Row


def fails(options: run.Options) -> Iterator[Row]:
    yield Row("before", "1", "2 ms")
    raise BenchError("the provider is gone")


def part(*rows: Row) -> run.Part:
    return run.Part("part", lambda options: rows)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of its own to write into."""
    page = tmp_path / "speed.md"
    page.write_text(f"# Speed\n\n{speedpage.BEGIN}\n\nold\n\n{speedpage.END}\n\nMore.\n")
    monkeypatch.setattr(speedpage, "PAGE", page)
    monkeypatch.setattr(speedpage, "RESULTS", tmp_path / "speed.json")
    monkeypatch.setattr("speedpage._run", lambda load: {"measured": f"at load {load[0]:g}"})
    return page


def test_rows_are_printed_though_a_part_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = {"one": run.Part("one", fails), "two": part(Row("after", "3", "4 ms"))}
    monkeypatch.setattr(run, "PARTS", parts)
    assert run.main([]) == 1
    said = capsys.readouterr().out
    assert "before" in said and "after" in said
    assert "FAILED: one, after the rows above that it has: BenchError: the provider is gone" in said
    monkeypatch.setattr(run, "PARTS", {"two": parts["two"]})
    assert run.main([]) == 0


def test_a_part_takes_the_place_of_its_older_rows_alone(page: Path) -> None:
    order = ["first", "second"]
    speedpage.keep("second", [Row("b", "", "1 ms", met=False)], (1, 1), order)
    speedpage.keep("first", [Row("a", "", "2 | 3 ms")], (2, 2), order)
    speedpage.keep("second", [Row("b", "", "5 ms", met=True)], (3, 3), order)
    text = page.read_text()
    assert text.startswith("# Speed\n") and text.endswith("\n\nMore.\n")
    rows = [[cell.strip() for cell in line.split(" | ")] for line in text.splitlines()]
    assert [row[0] for row in rows if len(row) == 8][2:] == ["| a", "| b"]
    assert "| b    |      | 5 ms" in text and "met" in text and "MISSED" not in text
    assert "at load 2" in text and "at load 3" in text and "at load 1" not in text
    assert list(json.loads(speedpage.RESULTS.read_text())) == order


def test_a_part_that_failed_is_not_written(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "PARTS", {"one": run.Part("one", fails)})
    assert run.main(["--write"]) == 1
    assert not speedpage.RESULTS.exists() and "old" in page.read_text()
    with pytest.raises(SystemExit):
        run.main(["--write", "--quick"])


def test_the_page_quotes_what_was_written() -> None:
    known = json.loads(speedpage.RESULTS.read_text()) if speedpage.RESULTS.exists() else {}
    assert speedpage.quoted(speedpage.PAGE.read_text()) == speedpage.markdown(known)


def test_what_is_lost_and_what_came_twice_are_counted_apart() -> None:
    count = streams.Count(tokens=4)
    assert count.take(1, 1)
    # The second one is lost, and the third one comes twice.
    assert count.take(3, 1)
    assert not count.take(3, 1)
    assert count.take(4, 1)
    assert count.take(5, 0)
    assert (count.lost, count.twice) == (1, 1)
    more = streams.Count(tokens=1)
    more.take(1, 1)
    more.take(2, 1)
    assert (more.lost, more.twice) == (0, 1)


def test_a_chat_that_does_not_open_is_a_missed_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Lab("http://127.0.0.1:1", tmp_path, "")
    told = {"longest": {"times": {"interactive": 1200, "count": 3}}}
    monkeypatch.setattr(scale, "browse", lambda script, job: told)
    assert scale.longest(lab, 2).met is True
    del told["longest"]["times"]["interactive"]
    assert scale.longest(lab, 2).met is False

    def broken(script: str, job: object) -> None:
        raise BenchError("no words")

    monkeypatch.setattr(scale, "browse", broken)
    assert scale.longest(lab, 2).met is False
