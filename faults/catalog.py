"""Every fault, in the order of the table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from . import (
    bytewise,
    clients,
    clocks,
    crowd,
    disk,
    files,
    grouping,
    joining,
    killing,
    neighbours,
    posting,
    refusing,
    rerunning,
    restarting,
    salvaging,
    screens,
    stopping,
    talking,
    thinking,
)
from .world import World


@dataclass(frozen=True)
class Fault:
    """A fault with the name that the table gives it."""

    name: str
    inject: Callable[[World], Awaitable[None]]
    client: Literal["client", "browser", "none"] = "client"
    """Who plays the page: the shipped client in Node or in a browser; or requests alone are made."""


FAULTS: list[Fault] = [
    Fault("page killed at every event", clients.killed_at_every_event),
    Fault("connection cut at every event", clients.cut_at_every_event),
    Fault("connection cut at 200 random bytes", clients.cut_at_random_bytes),
    Fault("half-open connection", clients.half_open),
    Fault("POST or its answer lost, and repeated", posting.answer_lost),
    Fault("message posted several times at once", posting.repeated),
    Fault("same id with another body", posting.another_body),
    Fault("server killed (SIGKILL) at every journal write", killing.killed),
    Fault("server ended (SIGTERM) at every journal write", killing.terminated),
    Fault("server killed at every write of a group", grouping.killed),
    Fault("provider stalls", talking.stall),
    Fault("stream ends or resets before its finish", talking.end_without_finish),
    Fault("stream cut inside an event", talking.cut_inside_an_event),
    Fault("stream ends after its finish", talking.end_with_finish),
    Fault("error event inside a 200 stream", talking.error_inside),
    Fault("malformed events", talking.malformed),
    Fault("odd events that mean nothing", talking.odd),
    Fault("event of 50 MB", talking.too_large),
    Fault("duplicated events", talking.duplicated),
    Fault("cut, resumed by a provider that goes on", joining.goes_on),
    Fault("cut, resumed by one that repeats", joining.repeats),
    Fault("cut, resumed by one that overlaps", joining.overlaps),
    Fault("cut, resumed by one that apologises", joining.apologises),
    Fault("stream breaks while the model thinks", thinking.broken),
    Fault("stream cut inside a thought", thinking.cut_inside_an_event),
    Fault("stream breaks several times while it thinks", thinking.several_times),
    Fault("server killed at every write while it thinks", thinking.killed),
    Fault("page reloaded while the model thinks", thinking.reloaded),
    Fault("UTF-8 split at every byte", bytewise.split_at_every_byte),
    Fault("chunks of 1, 2 and 3 bytes", bytewise.single_bytes),
    Fault("CR, LF, CRLF, BOM, U+2028", bytewise.line_ends),
    Fault("bytes that are not UTF-8", bytewise.no_utf8),
    Fault("408, 409, 429, 5xx, 529", refusing.retried),
    Fault("429 with every form of Retry-After", refusing.retry_after),
    Fault("429 with Retry-After of an hour", refusing.retry_after_an_hour),
    Fault("400, 401, 402, 403, 404, 422, quota", refusing.not_retried),
    Fault("redirect to another host", refusing.redirected),
    Fault("disk full at the claim", disk.full_at_claim),
    Fault("disk full in the middle", disk.full_in_the_middle),
    Fault("read-only journal at the claim", disk.read_only_at_claim),
    Fault("read-only journal in the middle", disk.read_only_in_the_middle),
    Fault("data directory cannot be made", disk.no_folder),
    Fault("journal's file is something else", disk.not_a_journal),
    Fault("journal damaged while a reply streams", salvaging.damaged_in_use),
    Fault("disk full while a damaged journal is saved", salvaging.full_while_saving),
    Fault("server killed at every step of saving it", salvaging.killed_while_saving),
    Fault("end of a run cannot be written for long", salvaging.end_not_written),
    Fault("clock jumps while streaming", clocks.while_streaming),
    Fault("clock jumps during backoff", clocks.while_waiting),
    Fault("clock jumps, restart during backoff", clocks.across_a_restart),
    Fault("stop racing the end", stopping.racing_the_end),
    Fault("stop racing the start", stopping.racing_the_start),
    Fault("stop during backoff", stopping.while_waiting),
    Fault("new message during backoff", stopping.new_message_ends_it),
    Fault("restart during backoff", restarting.while_waiting),
    Fault("stop during backoff, then restart", restarting.after_stop),
    Fault("two servers on one data directory", neighbours.two_servers),
    Fault("file renamed", files.renamed),
    Fault("file deleted", files.deleted),
    Fault("file edited outside", files.edited),
    Fault("file replaced by another chat", files.replaced),
    Fault("save failing while streaming", files.save_fails),
    Fault("1,000 runs with one hostile", crowd.one_hostile, "none"),
    Fault("rerun killed (SIGKILL) at every write", rerunning.killed, "none"),
    Fault("rerun killed while requests are under way", rerunning.killed_under_way, "none"),
    Fault("several of these in a real browser", screens.in_the_browser, "browser"),
]
