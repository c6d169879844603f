"""How errors are classified."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx
import pytest

from jupyterlab_turnbook.base.classify import (
    MESSAGE_LENGTH,
    from_exception,
    from_response,
    from_stream_error,
    retry_after,
)
from jupyterlab_turnbook.base.redact import redactor

NOW = 1_700_000_000.0


def classify(status: int, body: Any = b"", **headers: str) -> tuple[str | None, str | None]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    outcome = from_response(status, httpx.Headers(headers), data, NOW)
    assert outcome.status == status
    assert outcome.message
    return outcome.type, outcome.code


def openai(code: str | None = None, kind: str | None = None, message: str = "It broke.") -> Any:
    return {"error": {"message": message, "type": kind, "code": code, "param": None}}


NO_IMAGES = ("unknown", "image_unsupported")
BAD_IMAGE = ("unknown", "invalid_image")
# What services say of a picture that is sent to a model for texts.
TEXT_MODELS = [
    (400, "Invalid content type. image_url is only supported by certain models."),
    (400, "Qwen/Qwen3-8B is not a multimodal model"),
    (400, "At most 0 image(s) may be provided in one prompt."),
    (500, "image input is not supported - hint: if this is unexpected, provide the mmproj"),
    (500, 'Failed to parse messages: Unsupported content part type: "image_url"; messages = []'),
    (400, "this model does not support image input (ref: 1)"),
    (500, "Failed to create new sequence: this model is missing data required for image input"),
    (404, "No endpoints found that support image input"),
    (400, "Model does not support images. Please use a model that does."),
    (400, "Image input is not enabled for this model"),
    (422, "messages[0]: unknown variant `image_url`, expected `text` at line 1 column 70"),
    (
        400,
        "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' :"
        " one of the following must be satisfied[('messages.0.content' : content must be a string",
    ),
]


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (401, openai("invalid_api_key"), ("auth", "auth")),
        (403, b"", ("auth", "auth")),
        (429, openai("rate_limit_exceeded"), ("rate", "rate")),
        (429, b"", ("rate", "rate")),
        (429, openai("insufficient_quota", "insufficient_quota"), ("rate", "quota")),
        (429, openai(None, "billing_hard_limit_reached"), ("rate", "quota")),
        (429, openai(message="Your credit balance is too low."), ("rate", "quota")),
        (402, openai(), ("rate", "quota")),
        (408, b"", ("server", "408")),
        (409, b"", ("server", "409")),
        (500, openai("server_error"), ("server", "500")),
        (503, b"<html>down</html>", ("server", "503")),
        (529, {"type": "error", "error": {"type": "overloaded_error"}}, ("server", "529")),
        (400, openai("context_length_exceeded"), ("unknown", "context_length_exceeded")),
        (
            400,
            {"error": {"code": 400, "type": "exceed_context_size_error"}},
            ("unknown", "exceed_context_size_error"),
        ),
        *((status, openai(None, "x", text), NO_IMAGES) for status, text in TEXT_MODELS),
        (400, openai("invalid_image", None, "The image data is not a valid image."), BAD_IMAGE),
        (400, openai("invalid_image", None, "Unsupported image format: svg."), BAD_IMAGE),
        (429, openai(None, None, "The model does not support images so often."), ("rate", "rate")),
        (404, openai("model_not_found"), ("unknown", "model_not_found")),
        (404, b"not found", ("unknown", "404")),
        (422, {"detail": [{"msg": "field required"}]}, ("unknown", "422")),
        (413, b"", ("unknown", "413")),
        (301, b"", ("unknown", "redirect")),
        (307, b"", ("unknown", "redirect")),
    ],
)
def test_statuses(status: int, body: Any, expected: tuple[str, str]) -> None:
    assert classify(status, body) == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (openai(message="Slow\n  down."), "Slow down."),
        ({"error": "plain words"}, "plain words"),
        ({"message": "at the top"}, "at the top"),
        ({"detail": "of FastAPI"}, "of FastAPI"),
        ({"detail": [{"loc": ["body"], "msg": "field required"}]}, "field required"),
        ([{"error": {"message": "in a list", "status": "X"}}], "in a list"),
        (b"just text", "just text"),
    ],
)
def test_messages_of_the_usual_shapes(body: Any, message: str) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    assert from_response(400, {}, data, NOW).message == message


def test_html_pages_are_not_shown() -> None:
    outcome = from_response(502, {}, b"<!DOCTYPE html><html><h1>Bad gateway</h1>", NOW)
    assert "<" not in outcome.message
    assert "502" in outcome.message


def test_long_messages_are_cut() -> None:
    outcome = from_response(400, {}, json.dumps(openai(message="x" * 9000)).encode(), NOW)
    assert len(outcome.message) == MESSAGE_LENGTH


@pytest.mark.parametrize(
    "body",
    [b"\xff\xfe", b"[", b"[]", b"null", b"7", b'{"error": 7}', b'{"error": []}', b"[" * 99999],
)
def test_strange_bodies_raise_nothing(body: bytes) -> None:
    assert classify(500, body) == ("server", "500")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "12"}, 12.0),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
        ({"Retry-After": "Tue, 14 Nov 2023 22:13:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "1.2.3"}, None),
        ({"Retry-After": "9" * 400}, None),
        ({"retry-after-ms": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(httpx.Headers(headers), NOW) == seconds


def test_a_redirect_names_the_host_and_nothing_else() -> None:
    outcome = from_response(
        302, httpx.Headers({"location": "https://u:p@x.example/?k=1"}), b"", NOW
    )
    assert "x.example" in outcome.message
    assert "u:p" not in outcome.message
    assert "k=1" not in outcome.message


def test_errors_inside_a_stream() -> None:
    for error in ({"message": "overloaded"}, "overloaded"):
        outcome = from_stream_error(error, 200)
        assert (outcome.type, outcome.code, outcome.message) == ("server", "server", "overloaded")
    assert from_stream_error(True, 200).message


def test_exceptions() -> None:
    for error in (
        httpx.ConnectError("All connection attempts failed"),
        httpx.ConnectError("[Errno -2] Name or service not known"),
        httpx.ConnectTimeout(""),
        httpx.ReadError("secret"),
        httpx.RemoteProtocolError("secret"),
    ):
        outcome = from_exception(error, "host.example")
        assert (outcome.type, outcome.code) == ("network", "network")
        assert "host.example" in outcome.message
        assert "secret" not in outcome.message
    assert from_exception(httpx.UnsupportedProtocol("x"), "").code == "bad-provider"


def test_redaction() -> None:
    redact = redactor(
        'sk-"quoted"-123456', {"X-Api-Key": "other-key-123456", "X-Title": "long enough title"}
    )
    assert redact('a sk-"quoted"-123456 b') == "a [key] b"
    assert redact(json.dumps({"m": 'sk-"quoted"-123456'})) == '{"m": "[key]"}'
    assert redact("other-key-123456") == "[key]"
    assert redact("long enough title") == "long enough title"
    assert redactor(None, {"Authorization": "Bearer abcdef-123456"})("abcdef-123456") == "[key]"


SIGNS = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\n": "\\n"}


def written(text: str, chosen: random.Random) -> str:
    """The inside of a JSON string, with any characters escaped."""
    signs = []
    for sign in text:
        units = sign.encode("utf-16-be").hex()
        escaped = "".join(
            "\\u" + "".join(chosen.choice((digit, digit.upper())) for digit in units[n : n + 4])
            for n in range(0, len(units), 4)
        )
        plain = [] if sign in '"\\\n' else [sign]
        signs.append(chosen.choice([escaped, *plain, *([SIGNS[sign]] if sign in SIGNS else [])]))
    return "".join(signs)


@pytest.mark.parametrize("key", ['sk-a/b+c"d\\e==é😀', "sk-0123456789/+x", "a/b+c", "k9-tiny"])
def test_a_key_is_redacted_however_json_writes_it(key: str) -> None:
    redact = redactor(key, {})
    assert (
        redact('{"m": "' + key.replace("/", "\\/").replace('"', '\\"') + '"}').count("[key]") >= 1
    )
    for seed in range(200):
        chosen = random.Random(seed)
        before, after = (
            chosen.choice(["", "a \\ ", "\n", "é/", "\\\\"]),
            chosen.choice(["", " b", "\\"]),
        )
        said = before + key + after
        for layer in range(1, 4):
            said = f'{{"m": "{written(said, chosen)}"}}'
            clean: Any = redact(said)
            for _ in range(layer):
                clean = json.loads(clean)["m"]
            assert clean == f"{before}[key]{after}", (seed, layer, said)


def test_redaction_does_not_change_a_text_without_keys() -> None:
    redact = redactor("sk-0123456789/+x", {})
    for text in ("\\" * 100_001, "\\u00zz \\ud800 \\", '{"a": "\\/\\u002B"}', "sk-0123456789\\x"):
        assert redact(text) == text


@pytest.mark.parametrize("key", ["abcd", "s3cret", "hunter2", "sk-9", "tiny-key-1", "a.b+c(d"])
def test_a_short_key_is_redacted_where_it_stands_alone(key: str) -> None:
    redact = redactor(key, {})
    for before, after in [("", ""), ("Bearer ", "."), ('"', '"'), ("key=", "&x"), ("(", ")")]:
        assert redact(f"{before}{key}{after}") == f"{before}[key]{after}"
    # A JSON escape before it is not a letter of a longer word.
    for space in ("\n", "\t", "\x1b"):
        assert key not in redact(json.dumps({"m": f"the key:{space}{key}"}))
    for word in (f"x{key}", f"{key}x", f"{key}7"):
        assert redact(word) == word
    assert redactor(None, {"Authorization": f"Bearer {key}"})(f"<{key}>") == "<[key]>"


@pytest.mark.parametrize("key", ["ollama", "Ollama", "lm-studio", "EMPTY", "none", "x", "abc"])
def test_placeholders_are_not_redacted(key: str) -> None:
    assert redactor(key, {})(f"I run on {key}.") == f"I run on {key}."


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Incorrect API key provided: [key]", "Incorrect API key provided: [key]."),
        ("No such key.", "No such key."),
        ("Really?", "Really?"),
        ("", "The provider refused the key."),
    ],
)
def test_advice_is_a_separate_sentence(said: str, shown: str) -> None:
    body = json.dumps(openai(message=said)).encode()
    assert from_response(401, {}, body, NOW).message == f"{shown} Check the API key."


@pytest.mark.parametrize(
    ("error", "type_", "code"),
    [
        ({"message": "x", "code": "insufficient_quota"}, "rate", "quota"),
        ({"message": "x", "code": 402}, "rate", "quota"),
        ({"message": "x", "code": "invalid_api_key"}, "auth", "auth"),
        ({"message": "x", "code": 401}, "auth", "auth"),
        ({"message": "x", "code": "429"}, "rate", "rate"),
        ({"message": "x", "type": "rate_limit_error"}, "rate", "rate"),
        ({"message": "x", "status": "RESOURCE_EXHAUSTED"}, "rate", "rate"),
        ({"message": "x", "code": "context_length_exceeded"}, "unknown", "context_length_exceeded"),
        ({"message": "x", "type": "invalid_request_error"}, "unknown", "invalid_request_error"),
        ({"message": "x", "code": 404}, "unknown", "404"),
        ({"message": "x", "code": "content_filter"}, "unknown", "content_filter"),
        ({"message": "x", "type": "overloaded_error"}, "server", "server"),
        ({"message": "x", "code": 529}, "server", "server"),
        ({"message": "x", "code": True}, "server", "server"),
        ("words", "server", "server"),
    ],
)
def test_an_error_inside_a_stream_says_whether_a_retry_can_help(
    error: Any, type_: str, code: str
) -> None:
    outcome = from_stream_error(error, 200)
    assert (outcome.type, outcome.code, outcome.status) == (type_, code, 200)
