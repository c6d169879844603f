"""Maps exceptions of the engine and the journal to errors of the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..chats import FileUnreadable
from ..providers.registry import LocalMissing, UnknownProvider
from ..runs.commands import AttemptExists, BodyDiffers, ChatBusy, PairExists, StillAlive
from ..runs.engine import ElsewhereAlive, NotRetryable
from ..runs.journal import JournalError
from ..runs.queries import Damaged, NoSuchRun, NotKept
from .base import ApiError


@contextmanager
def api_errors() -> Iterator[None]:
    """A context that turns Turnbook's exceptions into `ApiError`s that say what to do."""
    try:
        yield
    except NoSuchRun as error:
        raise ApiError(
            404, "no-such-run", "There is no such run in the server's journal."
        ) from error
    except Damaged as error:
        raise ApiError(
            410,
            "damaged",
            "The journal's record of this run is damaged. What can still be read of it is in the "
            "journal's report. Send the message again if you need the reply.",
        ) from error
    except NotKept as error:
        raise ApiError(
            404,
            "not-kept",
            "The bytes of this response were not kept as they came: it has not ended, it had "
            "something that was redacted, or an older version recorded it.",
        ) from error
    except PairExists as error:
        raise ApiError(
            409,
            "pair-exists",
            "This message was sent before. Use Edit & Resend to send it again.",
            run=error.run.json(),
        ) from error
    except ChatBusy as error:
        raise ApiError(
            409,
            "chat-busy",
            "Another message of this chat is being answered. Wait for it, or stop it.",
            run=error.run.json(),
        ) from error
    except BodyDiffers as error:
        raise ApiError(
            409, "body-differs", "A run with this id has another body. Send with a new id."
        ) from error
    except AttemptExists as error:
        raise ApiError(
            409, "attempt-exists", "Another server has just sent this message. Reload the chat."
        ) from error
    except NotRetryable as error:
        raise ApiError(
            409,
            "not-retryable",
            "The last attempt is still running or succeeded; there is nothing to retry.",
        ) from error
    except StillAlive as error:
        raise ApiError(
            409,
            "still-alive",
            "This reply is still on its way, so no notebook can have it. Nothing was changed.",
        ) from error
    except ElsewhereAlive as error:
        raise ApiError(
            409, "other-server", "This run belongs to another Jupyter server. Stop it there."
        ) from error
    except LocalMissing as error:
        raise ApiError(424, "local-missing", error.message) from error
    except UnknownProvider as error:
        raise ApiError(404, "unknown-provider", str(error)) from error
    except FileUnreadable as error:
        raise ApiError(503, "file-unreadable", str(error)) from error
    except JournalError as error:
        raise ApiError(503, "journal", str(error)) from error
