"""The sources of providers, and the checks of their settings."""

from __future__ import annotations

import json
import logging
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_turnbook.local.manager import LocalModel
from jupyterlab_turnbook.providers.base_url import check_base_url, matches
from jupyterlab_turnbook.providers.keys import FileKeyStore
from jupyterlab_turnbook.providers.provider import (
    BadSettings,
    Timeouts,
    check_key,
)
from jupyterlab_turnbook.providers.registry import (
    NotEditable,
    ProviderRegistry,
    UnknownProvider,
)

from .conftest import only

LOG = logging.getLogger("turnbook-test")


def make(
    folder: Path,
    configured: dict[str, Any] | None = None,
    allowed: list[str] | None = None,
    environ: dict[str, str] | None = None,
) -> ProviderRegistry:
    return ProviderRegistry(
        configured or {},
        allowed or [],
        FileKeyStore(folder / "keys.json", LOG),
        folder / "providers.json",
        only(LocalModel("", folder, 900, LOG)),
        environ or {},
        LOG,
    )


def test_configuration_in_full(tmp_path: Path) -> None:
    entry = {
        "base_url": "https://Gateway.example.com:443/api/",
        "api_key": "sk-config-secret",
        "models": ["m1", "m2"],
        "headers": {"X-Team": "blue"},
        "timeouts": {"first_byte": 20},
        "continuation": "restart",
        "reasoning": "always",
    }
    provider = make(tmp_path, {"gate": entry}).get("gate")
    assert provider.base_url == "https://gateway.example.com/api"
    assert provider.key == "sk-config-secret"
    assert provider.models == ("m1", "m2")
    assert provider.headers == {"X-Team": "blue"}
    assert provider.timeouts == Timeouts(connect=10, first_byte=20, between_bytes=30)
    assert (provider.continuation, provider.source) == ("restart", "config")
    assert provider.reasoning == "always"
    assert "secret" not in repr(provider) and "blue" not in repr(provider)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("https://x.example.com", "mapping"),
        ({}, "base URL is missing"),
        ({"base_url": "ftp://x"}, "http"),
        ({"base_url": "https://u:sk-canary-secret@x"}, "user or password"),
        ({"base_url": "https://x", "api_key": 7}, "key must be text"),
        ({"base_url": "https://x", "api_key": "sk-canary-secret\nX: y"}, "key has invalid"),
        ({"base_url": "https://x", "api_key": "a", "api_key_env": "B"}, "both"),
        ({"base_url": "https://x", "headers": {"A": "b\r\nC: d"}}, "header A"),
        ({"base_url": "https://x", "timeouts": {"connect": 0}}, "connect"),
        ({"base_url": "https://x", "timeouts": {"conect": 1}}, "conect"),
        ({"base_url": "https://x", "continuation": "resume"}, "prefill, instruct"),
        ({"base_url": "https://x", "reasoning": True}, "never, rounds"),
        ({"base_url": "https://x", "reasoning": ["never"]}, "never, rounds"),
        ({"base_url": "https://x", "models": "m"}, "list of model names"),
        ({"base_url": "https://x", "apikey": "sk-canary-secret"}, "unknown apikey"),
    ],
)
def test_a_bad_entry_is_named_and_the_others_load(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, entry: Any, says: str
) -> None:
    registry = make(tmp_path, {"bad": entry, "good": {"base_url": "http://x"}})
    assert [p.name for p in registry.all()] == ["local", "good"]
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert "providers['bad']" in caplog.text and says in caplog.text
    assert "sk-canary" not in caplog.text


def test_key_from_the_environment(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    entries = {
        "a": {"base_url": "http://x", "api_key_env": "A_KEY"},
        "b": {"base_url": "http://x", "api_key_env": "B_KEY"},
    }
    registry = make(tmp_path, entries, environ={"A_KEY": "sk-a"})
    assert (registry.get("a").key, registry.get("b").key) == ("sk-a", None)
    assert "B_KEY" in caplog.text


@pytest.mark.parametrize(
    ("environ", "url", "key"),
    [
        ({"OPENAI_API_KEY": "sk-env"}, "https://api.openai.com/v1", "sk-env"),
        ({"OPENAI_BASE_URL": "http://localhost:1/v1/"}, "http://localhost:1/v1", None),
        ({"OPENAI_API_KEY": "sk", "OPENAI_BASE_URL": "http://h"}, "http://h", "sk"),
    ],
)
def test_openai_from_the_environment(
    tmp_path: Path, environ: dict[str, str], url: str, key: str | None
) -> None:
    provider = make(tmp_path, environ=environ).get("openai")
    assert (provider.base_url, provider.key, provider.source) == (url, key, "environment")
    assert provider.reasoning == "rounds"


def test_without_settings_there_is_only_the_embedded_model(tmp_path: Path) -> None:
    (local,) = make(tmp_path).all()
    assert (local.name, local.source, local.continuation) == ("local", "local", "prefill")
    with pytest.raises(UnknownProvider, match="no provider named nope"):
        make(tmp_path).get("nope")


async def test_user_providers_survive_a_restart(tmp_path: Path) -> None:
    await make(tmp_path).put("mine", {"baseUrl": "http://h/v1", "key": " sk-user \n"})
    stored = await make(tmp_path).prepare("mine")
    assert (stored.key, stored.source, stored.continuation) == ("sk-user", "user", "restart")
    file = tmp_path / "providers.json"
    assert b"sk-user" not in file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    await make(tmp_path).delete("mine")
    assert b"sk-user" not in (tmp_path / "keys.json").read_bytes()
    with pytest.raises(UnknownProvider):
        await make(tmp_path).prepare("mine")
    with pytest.raises(UnknownProvider):
        await make(tmp_path).delete("mine")


async def test_a_key_is_never_used_for_another_base_url(tmp_path: Path) -> None:
    registry = make(tmp_path)
    await registry.put("mine", {"baseUrl": "http://h/v1", "key": "sk-user"})
    kept, note = await registry.put("mine", {"baseUrl": "http://h/v1/", "models": ["m"]})
    assert (kept.key, note, kept.models) == ("sk-user", None, ("m",))
    assert (await registry.for_test("mine", {"baseUrl": "http://h/v1"})).key == "sk-user"
    assert (await registry.for_test("mine", {"baseUrl": "http://evil/v1"})).key is None
    moved, note = await registry.put("mine", {"baseUrl": "http://evil/v1"})
    assert moved.key is None and note is not None and "removed" in note
    assert (await registry.prepare("mine")).key is None
    back, _ = await registry.put("mine", {"baseUrl": "http://h/v1"})
    assert back.key is None
    await registry.put("mine", {"baseUrl": "http://h/v1", "key": "sk-2"})
    gone, note = await registry.put("mine", {"baseUrl": "http://h/v1", "key": None})
    assert (gone.key, note) == (None, None)
    assert b"sk-2" not in (tmp_path / "keys.json").read_bytes()


async def test_a_hand_edited_file_cannot_move_a_key(tmp_path: Path) -> None:
    await make(tmp_path).put("mine", {"baseUrl": "http://h/v1", "key": "sk-user"})
    file = tmp_path / "providers.json"
    file.write_text(file.read_text().replace("http://h/", "http://evil/"))
    assert (await make(tmp_path).prepare("mine")).key is None


async def test_the_servers_own_providers_win_and_cannot_be_edited(tmp_path: Path) -> None:
    await make(tmp_path).put("gate", {"baseUrl": "http://user"})
    registry = make(tmp_path, {"gate": {"base_url": "http://config", "api_key": "sk-config"}})
    assert registry.get("gate").base_url == "http://config"
    assert not registry.editable("gate") and not registry.editable("local")
    for change in (registry.put("gate", {"baseUrl": "http://x"}), registry.delete("gate")):
        with pytest.raises(NotEditable, match="configuration"):
            await change
    # Testing does not use its key for another address either.
    assert (await registry.for_test("gate", {"baseUrl": "http://evil"})).key is None
    assert (await registry.for_test("gate", {"baseUrl": "http://config"})).key == "sk-config"


@pytest.mark.parametrize("name", ["local", "", "-a", "a/b", "a" * 65, "ä", "a\n"])
async def test_bad_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadSettings):
        await make(tmp_path).put(name, {"baseUrl": "http://x"})


@pytest.mark.parametrize(
    ("url", "spelling"),
    [
        ("HTTPS://API.Example.COM:443/v1/", "https://api.example.com/v1"),
        ("http://h:080/v1", "http://h/v1"),
        ("http://h:/v1", "http://h/v1"),
        ("https://h:00443", "https://h"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("http://my_host:11434/v1", "http://my_host:11434/v1"),
        ("https://h/my%20models/v1", "https://h/my%20models/v1"),
        ("https://h/a..b/v1.5/...", "https://h/a..b/v1.5/..."),
        ("https://h/openai;region=eu/v1", "https://h/openai;region=eu/v1"),
    ],
)
def test_valid_base_urls_have_one_canonical_form(url: str, spelling: str) -> None:
    assert check_base_url(url) == spelling
    # The HTTP library reads the same from it.
    sent = httpx.URL(spelling)
    assert str(sent).rstrip("/") == spelling


@pytest.mark.parametrize("way", ["..%2f", "..;/", "%252e%252e/", "%2e%2e/", "..%5c", "../"])
async def test_an_allowed_path_cannot_be_left(tmp_path: Path, way: str) -> None:
    registry = make(tmp_path, allowed=["https://llm.example.com/v1/*"])
    await registry.put("good", {"baseUrl": "https://llm.example.com/v1/team"})
    for url in (f"https://llm.example.com/v1/{way}admin", f"https://llm.example.com/v1/x/{way}a"):
        with pytest.raises(BadSettings):
            await registry.put("bad", {"baseUrl": url})


def test_allowed_base_urls_apply_to_the_servers_own_providers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    allowed = ["https://*.example.com"]
    entries = {
        "good": {"base_url": "https://a.example.com/v1"},
        "bad": {"base_url": "https://evil.com/v1", "api_key": "sk-canary-secret"},
    }
    for environ in (
        {"OPENAI_BASE_URL": "https://evil.com/v1", "OPENAI_API_KEY": "sk-canary-secret"},
        {"OPENAI_API_KEY": "sk-canary-secret"},
    ):
        caplog.clear()
        registry = make(tmp_path, entries, allowed, environ)
        assert [p.name for p in registry.all()] == ["local", "good"]
        assert "providers['bad'] is left out: This server allows only" in caplog.text
        assert "OPENAI_BASE_URL are not used: This server allows only" in caplog.text
        assert "sk-canary" not in caplog.text
    environ = {"OPENAI_BASE_URL": "https://b.example.com/v1"}
    assert make(tmp_path, {}, allowed, environ).get("openai").base_url == "https://b.example.com/v1"


async def test_allowed_base_urls_apply_to_users_providers(tmp_path: Path) -> None:
    await make(tmp_path).put("old", {"baseUrl": "https://evil.com/v1", "key": "sk-old"})
    configured = {"admin": {"base_url": "https://any.example.com/v1"}}
    registry = make(tmp_path, configured, ["https://*.example.com/v1"])
    assert [p.name for p in registry.all()] == ["local", "admin"]
    await registry.put("good", {"baseUrl": "https://api.example.com/v1"})
    for url in ("https://evil.com/v1", "https://evil.com/x.example.com/v1", "http://a.example.com"):
        with pytest.raises(BadSettings, match="allows only"):
            await registry.put("bad", {"baseUrl": url})
        with pytest.raises(BadSettings, match="allows only"):
            await registry.for_test("bad", {"baseUrl": url})
    await registry.delete("old")
    assert set(json.loads((tmp_path / "providers.json").read_text())) == {"good"}


@pytest.mark.parametrize(
    ("url", "pattern", "fits"),
    [
        ("https://a.example.com/v1", "https://a.example.com", True),
        ("https://a.example.com/v1", "https://a.example.com/*", True),
        ("https://a.example.com", "https://a.example.com/*", True),
        ("https://a.example.com/v1", "https://a.example.com/v1/*", True),
        ("https://a.example.com/v10", "https://a.example.com/v1/*", False),
        ("https://a.example.com/v1", "HTTPS://A.example.com/v1/", True),
        ("https://a.example.com/V1", "https://a.example.com/v1", False),
        ("https://a.example.com/v1", "https://a.example.com/v2", False),
        ("https://a.example.com:8443/v1", "https://a.example.com", False),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:*", True),
        ("http://[::1]:9/v1", "http://[::1]:*/v1", True),
        ("https://example.com.evil.com", "https://example.com", False),
        ("https://evil.com/https://example.com", "https://*.example.com", False),
        ("https://evil.com", "*", False),
    ],
)
def test_patterns(url: str, pattern: str, fits: bool) -> None:
    assert matches(url, pattern) is fits


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "api.openai.com/v1",
        "file:///etc/passwd",
        "https://",
        "https://u@h",
        "https://h?x=1",
        "https://h/#f",
        "https://h?",
        "https://h:99999",
        "https://h:x",
        "https://[",
        "https://[::zz]/v1",
        "https://h/a/../b",
        "https://h/%2e%2e/b",
        "https://h\\@evil.com",
        "https://h/a b",
        "https://h/\r\nX: y",
        # A server might take these for `..`, for `/` or for the end of the path.
        "https://h/v1/..%2fadmin",
        "https://h/v1/..%2Fadmin",
        "https://h/v1%2f..%2fadmin",
        "https://h/v1/..;/admin",
        "https://h/v1/..;x=1/admin",
        "https://h/v1/.;/admin",
        "https://h/v1/%2e%2e;/admin",
        "https://h/v1/%252e%252e/admin",
        "https://h/v1/%25252e%25252e/admin",
        "https://h/v1/..%252fadmin",
        "https://h/v1/..%5cadmin",
        "https://h/v1/..%255cadmin",
        "https://h/v1/%2e%2e%2fadmin",
        "https://h/v1/.%2e/admin",
        "https://h/v1%3f/x",
        "https://h/v1%23/x",
        "https://h/v1%00/x",
        "https://h/v1%0d%0aX:y",
        "https://h/v1/%zz",
        "https://h/v1/%c0%ae%c0%ae/admin",
        "https://h/v1/%ef%bc%8e%ef%bc%8e/admin",
        "https://h/v1/%ef%bc%8fadmin",
        "https://h/v1/%3b/x",
        # Not a host, or a different one to the HTTP library.
        "https://h;.example.com/v1",
        "https://h%2f.example.com/v1",
        "https://h,.example.com/v1",
        "https://*.example.com/v1",
        "https://[::1].example.com/v1",
        "https://[fe80::1%25eth0]/v1",
        "https://[::1::2]/v1",
        "https://[1.2.3.4]/v1",
        "https://1.2.3.999/v1",
        "https://h:65536/v1",
        "https://.example.com/v1",
        "https://a..example.com/v1",
        "https://h:٤٤٣/v1",
        "https://h:+443/v1",
        "https://h:4_43/v1",
        "https:///h/v1",
        "https:/h/v1",
        "https:h/v1",
        "https:////h/v1",
    ],
)
def test_bad_base_urls(url: Any) -> None:
    with pytest.raises(BadSettings):
        check_base_url(url)


@given(st.text())
def test_any_base_url_is_refused_or_stays_the_same(text: str) -> None:
    try:
        url = check_base_url(f"https://{text}")
    except BadSettings:
        return
    assert check_base_url(url) == url
    assert not url.endswith("/") and "@" not in url.split("/")[2]


@given(st.text())
def test_any_key_is_refused_or_is_valid_in_a_header(text: str) -> None:
    try:
        key = check_key(text)
    except BadSettings:
        return
    assert key is None or (key.isprintable() and key.isascii() and key == key.strip())


async def test_a_broken_store_is_reported_and_never_overwritten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "providers.json").write_text("{oops")
    registry = make(tmp_path)
    assert [p.name for p in registry.all()] == ["local"]
    assert "is not JSON" in caplog.text
    with pytest.raises(Exception, match="not JSON"):
        await registry.put("mine", {"baseUrl": "http://x"})
    assert (tmp_path / "providers.json").read_text() == "{oops"


async def test_invalid_records_are_skipped(tmp_path: Path) -> None:
    records = {"a": 3, "b": {"baseUrl": 7}, "c": {"baseUrl": "http://c", "timeouts": "x"}}
    (tmp_path / "providers.json").write_text(json.dumps({**records, "d": {"baseUrl": "http://d"}}))
    assert [p.name for p in make(tmp_path).all()] == ["local", "d"]


@pytest.mark.parametrize(
    ("pattern", "allowed"),
    [("https://h/*", False), ("http://h/*", True), ("*://h/*", True), ("http*://h", True)],
)
def test_a_pattern_with_a_scheme_allows_no_other(pattern: str, allowed: bool) -> None:
    assert matches("http://h/v1", pattern) == allowed
