"""How a rerun paces itself, what it may spend, and how values are put into payloads: pure parts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_turnbook.providers.ask import Price
from jupyterlab_turnbook.rerun.answer import Answer, Reply, nothing_known
from jupyterlab_turnbook.rerun.costs import Costs
from jupyterlab_turnbook.rerun.lane import Lane
from jupyterlab_turnbook.rerun.limits import Budget, Pace
from jupyterlab_turnbook.rerun.payload import CannotReplace, Change, parse_change, replaced
from jupyterlab_turnbook.rerun.plan import Record, Wanted, make_plan

from .rerun_support import payload_of


def some(count: int, *models: str) -> tuple[Wanted, ...]:
    record = Record("r", payload_of("Hi"), "0" * 64, "p", "m")
    return make_plan([record], models, [], count, lambda name: False).wanted


def refused(status: int, code: str, kind: str, wait: float | None = None) -> Answer:
    outcome = {"type": kind, "code": code, "status": status, "message": "", "retryAfter": wait}
    return Answer("refused", {**outcome, "finish": None})


RATE = refused(429, "rate", "rate", 2.0)
WHOLE = Answer("done", {"type": None, "code": None, "status": 200, "message": ""})


def test_the_pace_shrinks_once_for_requests_that_were_under_way_together() -> None:
    pace = Pace()
    for _ in range(20):
        pace.limited(0)
    assert pace.now == 16
    pace.limited(1)
    assert pace.now == 12
    for _ in range(12):
        pace.good()
    assert pace.now == 13


def test_the_pace_stays_between_one_and_the_most() -> None:
    pace = Pace(2, 3)
    for epoch in range(9):
        pace.limited(epoch)
    assert pace.now == 1
    for _ in range(99):
        pace.good()
    assert pace.now == 3


def test_429_pauses_the_model_and_puts_the_request_first() -> None:
    wanted = some(3)
    lane = Lane("p", wanted, Pace(2))
    assert lane.take(0.0) is wanted[0]
    assert lane.ended(wanted[0], RATE, 10.0) is None
    assert lane.take(11.0) is None
    assert lane.due_in(11.0) == pytest.approx(1.0)
    assert lane.take(12.0) is wanted[0]


def test_a_model_that_is_limited_does_not_hold_up_others_and_stops_alone() -> None:
    lane = Lane("p", some(100, "limited", "good"), Pace())
    now = 0.0
    stops: list[str] = []
    good = limited = 0
    while not lane.is_empty:
        under_way = []
        while (wanted := lane.take(now)) is not None:
            under_way.append(wanted)
        if not under_way:
            # It waits for the model that is limited only when there is nothing else to send.
            assert good == 100
            now += lane.due_in(now) or 0.0
        for wanted in under_way:
            is_good = wanted.request.target.model == "good"
            good, limited = good + is_good, limited + (not is_good)
            why = lane.ended(wanted, WHOLE if is_good else RATE, now)
            stops += [] if why is None else [why]
    assert good == 100
    assert limited < 100
    assert [each.split(". ")[:2] for each in stops] == [
        ["p/limited: no more is sent", "It still refuses after 6 pauses"]
    ]


def test_requests_that_are_refused_together_count_as_one_pause() -> None:
    lane = Lane("p", some(60), Pace(60, 60))
    for _ in range(6):
        under_way = [lane.take(0.0) for _ in range(lane.pace.now)]
        assert {lane.ended(wanted, RATE, -60.0) for wanted in under_way if wanted} == {None}
    assert lane.ended(next(filter(None, [lane.take(0.0)])), RATE, 0.0)
    assert lane.is_empty


def lose(lane: Lane, answer: Answer) -> tuple[int, list[str]]:
    """How many requests are sent if each is lost, and why no more are."""
    now, sent = 0.0, 0
    stops: list[str] = []
    while not lane.is_empty:
        under_way = []
        while (wanted := lane.take(now)) is not None:
            under_way.append(wanted)
        sent += len(under_way)
        stops += filter(None, [lane.ended(wanted, answer, now) for wanted in under_way])
        now += lane.due_in(now) or 0.0
    return sent, stops


EMPTY = Answer("broken", {**WHOLE.outcome, "message": "It broke."})


@pytest.mark.parametrize("answer", [nothing_known("It broke."), EMPTY])
def test_a_model_of_which_nothing_comes_back_is_tried_with_few_requests(answer: Answer) -> None:
    sent, stops = lose(Lane("p", some(300), Pace()), answer)
    # Those that were under way, and three more, one after another.
    assert sent == 23
    assert stops == [
        "p/m: no more is sent. 4 times in a row, requests were sent and nothing came back. "
        "It broke."
    ]


def test_a_reply_that_ended_early_is_not_lost_and_a_whole_one_begins_anew() -> None:
    half = Answer("broken", WHOLE.outcome, Reply(content="Half"))
    assert lose(Lane("p", some(300), Pace()), half) == (300, [])
    lane = Lane("p", some(300), Pace())
    now = 0.0
    for _ in range(9):
        first = lane.take(now)
        assert first is not None
        lane.ended(first, EMPTY, now)
        now += lane.due_in(now) or 0.0
        probe = lane.take(now)
        assert probe is not None and lane.take(now) is None
        lane.ended(probe, WHOLE, now)
    assert lane.take(now) and lane.take(now)


def test_a_request_that_is_always_lost_does_not_stop_the_others_of_its_model() -> None:
    records = [Record(name, payload_of(name), name * 64, "p", "m") for name in "ab"]
    wanted = make_plan(records, [], [], 30, lambda name: False).wanted
    lane = Lane("p", wanted, Pace())
    now = 0.0
    good = bad = 0
    while not lane.is_empty:
        under_way = []
        while (each := lane.take(now)) is not None:
            under_way.append(each)
        for each in under_way:
            is_good = each.request.record.name == "b"
            good, bad = good + is_good, bad + (not is_good)
            lane.ended(each, WHOLE if is_good else EMPTY, now)
        now += lane.due_in(now) or 0.0
    assert (good, bad) == (30, 30)


def test_5xx_waits_alone_and_does_not_shrink() -> None:
    wanted = some(2)
    lane = Lane("p", wanted, Pace(2))
    failed = refused(503, "503", "server")
    assert lane.take(0.0) is wanted[0]
    assert lane.ended(wanted[0], failed, 0.0) is None
    assert lane.pace.now == 2
    assert lane.take(0.5) is wanted[1]
    assert lane.take(0.5) is None
    assert lane.take(1.0) is wanted[0]


def test_a_request_that_fails_is_given_up_after_some_tries() -> None:
    wanted = some(1)
    lane = Lane("p", wanted, Pace(2))
    for tries in range(6):
        assert lane.take(1000.0 * tries) is wanted[0]
        lane.ended(wanted[0], refused(500, "500", "server"), 1000.0 * tries)
    assert lane.is_empty


def test_requests_of_a_stopped_model_do_not_hide_those_of_another() -> None:
    wanted = some(4, "bad", "good")
    bad, good = list(wanted[:4]), list(wanted[4:])
    lane = Lane("p", wanted, Pace(4))
    assert [lane.take(0.0) for _ in bad] == bad
    # They fail at the same time, and wait for the same one.
    for one in bad[:3]:
        lane.ended(one, refused(500, "500", "server"), 0.0)
    assert lane.ended(bad[3], refused(0, "no-model", "unknown"), 0.0) is not None
    assert [lane.take(1000.0) for _ in good] == good
    assert lane.take(1000.0) is None and lane.is_empty


@pytest.mark.parametrize("code", ["quota", "auth", "bad-provider"])
def test_what_cannot_get_better_stops_the_provider_and_says_so_once(code: str) -> None:
    wanted = some(3)
    lane = Lane("p", wanted, Pace(2))
    assert [lane.take(0.0) for _ in range(2)] == list(wanted[:2])
    why = lane.ended(wanted[0], refused(401, code, "rate"), 0.0)
    assert why is not None and why.startswith("p: no more is sent.")
    assert lane.ended(wanted[1], refused(401, code, "rate"), 0.0) is None
    assert lane.is_empty and lane.take(0.0) is None


def test_a_model_that_is_not_on_this_machine_does_not_stop_another() -> None:
    wanted = some(2, "none", "good")
    lane = Lane("p", wanted, Pace(4))
    taken = [lane.take(0.0) for _ in range(2)]
    assert taken == list(wanted[:2])
    missing = refused(0, "no-model", "unknown")
    why = lane.ended(wanted[0], missing, 0.0)
    assert why is not None and why.startswith("p/none: no more is sent.")
    assert lane.ended(wanted[1], missing, 0.0) is None
    assert [lane.take(0.0) for _ in range(2)] == list(wanted[2:])


def test_a_model_that_asks_to_wait_an_hour_is_not_waited_for() -> None:
    wanted = some(1)
    lane = Lane("p", wanted, Pace(2))
    assert lane.take(0.0) is wanted[0]
    why = lane.ended(wanted[0], refused(429, "rate", "rate", 3600.0), 0.0)
    assert why is not None and "3600 seconds" in why


def test_the_budget_counts_what_is_under_way() -> None:
    budget = Budget(max_cost=1.0)
    budget.begin("a", 0.6)
    assert budget.waits(0.5) and budget.refuses(0.5) is None
    budget.end("a", 0.1)
    assert not budget.waits(0.5)
    assert budget.refuses(0.95)
    budget.begin("b", 0.5)
    # What an unknown one cost is not known, so it counts as expected.
    budget.end("b", None)
    assert budget.cost == pytest.approx(0.6)
    assert Budget(max_requests=0).refuses(0.0)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from("abcd"), JSON),
    JSON,
    st.sampled_from("abcdx"),
    st.integers(0, 3),
)
def test_a_value_is_replaced_and_nothing_else(
    body: dict[str, Any], value: Any, name: str, indent: int
) -> None:
    text = json.dumps(body, indent=indent or None, ensure_ascii=bool(indent % 2))
    made = replaced(text, [Change((name,), value)])
    assert json.loads(made) == {**body, name: value}
    # Put back what was there, and every byte is as before.
    if name in body:
        changed = replaced(text, [Change((name,), "\x00mark")])
        head, tail = changed.split('"\\u0000mark"')
        assert text.startswith(head) and text.endswith(tail)
        assert json.loads(text[len(head) : len(text) - len(tail)]) == body[name]


def test_paths_go_into_lists_and_add_objects() -> None:
    assert replaced('{"a":[{"b":1}]}', [parse_change("a.0.b=[2]")]) == '{"a":[{"b":[2]}]}'
    assert replaced("{ }", [parse_change("a.b=x=y")]) == '{"a":{"b":"x=y"} }'


@pytest.mark.parametrize(
    "text", ["model=x", "temperature", "=1", "a..b=1", "seed=9007199254740993"]
)
def test_bad_changes_are_refused(text: str) -> None:
    with pytest.raises(CannotReplace):
        parse_change(text)


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', '{"a":[]}'])
def test_ambiguous_and_missing_places_are_refused(text: str) -> None:
    with pytest.raises(CannotReplace):
        replaced(text, [Change(("a", "0"), 1)] if "[" in text else [Change(("a",), 1)])


def test_a_reply_without_usage_says_by_its_text_how_long_others_may_be() -> None:
    [wanted] = some(1)
    costs = Costs({wanted.request.target: Price(0.0, 10.0)})
    assert not costs.is_known(wanted.request)
    costs.learn(wanted.request, Reply(content="x" * 60_000, reasoning="y" * 20_000))
    assert costs.is_known(wanted.request)
    assert costs.expected(wanted.request) == pytest.approx(0.2)
