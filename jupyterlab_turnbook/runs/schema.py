"""The journal's tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

_FIRST = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    chat TEXT NOT NULL,
    pair TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT NOT NULL,
    hash TEXT NOT NULL,
    body BLOB NOT NULL,
    cell TEXT NOT NULL,
    previous_cell TEXT,
    continues TEXT REFERENCES runs (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    outcome TEXT,
    landed INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0,
    UNIQUE (chat, pair, attempt)
);
-- The send lock: one live run per chat, whichever process owns it.
CREATE UNIQUE INDEX runs_alive ON runs (chat) WHERE state IN ('claimed', 'sending', 'streaming');
CREATE TABLE events (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (run, n)
) WITHOUT ROWID;
CREATE TABLE turns (
    chat TEXT NOT NULL,
    pair TEXT NOT NULL,
    auto INTEGER NOT NULL DEFAULT 1,
    retry_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 1,
    paused TEXT,
    PRIMARY KEY (chat, pair)
) WITHOUT ROWID;
CREATE TABLE chats (
    id TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    copied_from TEXT
);
CREATE INDEX chats_path ON chats (path);
"""

# For automatic retries and retention.
_RETRYING = """
ALTER TABLE runs ADD COLUMN automatic INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN replaces TEXT REFERENCES runs (id);
ALTER TABLE runs ADD COLUMN page_hash TEXT;
ALTER TABLE runs ADD COLUMN damage TEXT;
ALTER TABLE turns ADD COLUMN billed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN reached INTEGER NOT NULL DEFAULT 0;
CREATE INDEX turns_waiting ON turns (chat) WHERE retry_at IS NOT NULL;
CREATE INDEX runs_open ON runs (chat) WHERE landed = 0 AND dropped = 0;
-- Rows hold the long bodies, so queries over all runs read this index instead.
CREATE INDEX runs_age ON runs (chat, pair, updated_at, state, landed, dropped);
CREATE INDEX runs_continues ON runs (continues) WHERE continues IS NOT NULL;
CREATE INDEX runs_replaces ON runs (replaces) WHERE replaces IS NOT NULL;
"""

# How a run was asked to continue another, which decides how their texts are joined.
_JOINING = """
ALTER TABLE runs ADD COLUMN goes_on TEXT;
"""

# Texts that requests repeat are stored once; `body` and `whole_cell` are what is left of theirs.
_PIECES = """
CREATE TABLE pieces (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    data BLOB NOT NULL
);
CREATE TABLE segments (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    is_base64 INTEGER NOT NULL,
    piece INTEGER NOT NULL REFERENCES pieces (id),
    PRIMARY KEY (run, text, at)
) WITHOUT ROWID;
CREATE INDEX segments_piece ON segments (piece);
ALTER TABLE runs ADD COLUMN size INTEGER;
ALTER TABLE runs ADD COLUMN whole_cell BLOB;
"""

# What a response was like on the wire. Times are milliseconds since the request left.
_RESPONSES = """
ALTER TABLE events ADD COLUMN at INTEGER;
ALTER TABLE events ADD COLUMN before BLOB;
CREATE TABLE responses (
    run TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    sent_at INTEGER NOT NULL,
    status INTEGER,
    headers TEXT NOT NULL,
    answered INTEGER,
    ended INTEGER,
    size INTEGER,
    hash TEXT,
    is_stream INTEGER NOT NULL,
    rest BLOB
) WITHOUT ROWID;
"""

# What runs took. NULL is unknown. A run is not referred to: these rows outlive it.
_USAGE = """
CREATE TABLE usage (
    run TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    input REAL,
    cached REAL,
    output REAL,
    cost REAL
);
CREATE INDEX usage_at ON usage (at);
"""

UNCOUNTED = """
INSERT OR IGNORE INTO usage (run, at, provider, model)
SELECT id, updated_at, provider, model FROM runs
WHERE damage IS NULL AND (state IN ('done', 'stopped', 'interrupted', 'unknown')
    OR state = 'failed' AND EXISTS (SELECT 1 FROM events WHERE run = runs.id))
"""
"""Counts the runs of a journal without `usage` that may have been billed; what they took is unknown."""

# Why the bytes of a response are not kept as they came.
_LACKS = """
ALTER TABLE responses ADD COLUMN lacks TEXT;
"""

# Several replies to one message. A turn is a pair and, in it, a sibling; attempts are numbered within
# the pair. A chat has one live run, or the siblings of one group.
_SIBLINGS = """
ALTER TABLE runs ADD COLUMN grp TEXT;
ALTER TABLE runs ADD COLUMN sibling INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns RENAME TO turns_of_pairs;
CREATE TABLE turns (
    chat TEXT NOT NULL,
    pair TEXT NOT NULL,
    sibling INTEGER NOT NULL DEFAULT 0,
    auto INTEGER NOT NULL DEFAULT 1,
    retry_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 1,
    paused TEXT,
    billed INTEGER NOT NULL DEFAULT 0,
    reached INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (chat, pair, sibling)
) WITHOUT ROWID;
INSERT INTO turns (chat, pair, auto, retry_at, failures, generation, paused, billed, reached)
SELECT chat, pair, auto, retry_at, failures, generation, paused, billed, reached
FROM turns_of_pairs;
DROP TABLE turns_of_pairs;
CREATE INDEX turns_waiting ON turns (chat) WHERE retry_at IS NOT NULL;
DROP INDEX runs_alive;
CREATE UNIQUE INDEX runs_alive ON runs (chat, pair, sibling)
WHERE state IN ('claimed', 'sending', 'streaming');
CREATE TRIGGER runs_lock BEFORE INSERT ON runs
WHEN NEW.state IN ('claimed', 'sending', 'streaming') AND EXISTS (SELECT 1 FROM runs
    WHERE chat = NEW.chat AND state IN ('claimed', 'sending', 'streaming')
    AND (pair <> NEW.pair OR grp IS NULL OR NEW.grp IS NULL OR grp <> NEW.grp))
BEGIN SELECT RAISE(ABORT, 'another reply of this chat is in progress'); END;
"""

STEPS = (
    _FIRST,
    _RETRYING,
    _JOINING,
    _PIECES,
    _RESPONSES,
    f"{_USAGE}{UNCOUNTED}",
    _LACKS,
    _SIBLINGS,
)
"""Each step migrates from the version before; the first one from an empty file."""

VERSION = len(STEPS)
"""The value of `user_version`. A file with a larger one is not touched."""


def statements(step: str) -> Iterator[str]:
    """The statements of a step; those of a trigger's body belong to it."""
    statement = ""
    for piece in step.strip().removesuffix(";").split(";"):
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
