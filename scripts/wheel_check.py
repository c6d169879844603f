"""Installs the wheel into a clean environment without Node and checks that JupyterLab loads it."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import uuid
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import rtc_env

from jupyterlab_turnbook.local.files import ENGINE, ENGINE_INSTALL
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

Check = Callable[[], None]


def _run(*arguments: str) -> str:
    done = subprocess.run(
        [str(rtc_env.PYTHON), *arguments],
        env=rtc_env.bare_environment(),
        cwd=tempfile.gettempdir(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}:\n{done.stdout}"
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)


def wheel_is_pure() -> None:
    """The wheel runs on every platform."""
    assert rtc_env.wheel().name.endswith("-py3-none-any.whl"), rtc_env.wheel().name


def wheel_is_whole() -> None:
    """The wheel contains front end, settings, server configuration and API contract."""
    names = zipfile.ZipFile(rtc_env.wheel()).namelist()
    lab = r"share/jupyter/labextensions/jupyterlab-turnbook"
    for wanted in (
        rf"{lab}/package\.json$",
        rf"{lab}/install\.json$",
        rf"{lab}/static/remoteEntry\.\w+\.js$",
        r"etc/jupyter/jupyter_server_config\.d/jupyterlab_turnbook\.json$",
        r"^jupyterlab_turnbook/openapi\.yaml$",
        r"^jupyterlab_turnbook/_version\.py$",
    ):
        assert any(re.search(wanted, name) for name in names), f"nothing like {wanted} in the wheel"


def sdist_is_whole() -> None:
    """The sdist contains the built front end, so that installing it needs no Node either."""
    (sdist,) = (rtc_env.ROOT / "dist").glob("jupyterlab_turnbook-*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    for wanted in (
        r"/labextension/static/remoteEntry\.\w+\.js$",
        r"/src/index\.ts$",
        r"/yarn\.lock$",
    ):
        assert any(re.search(wanted, name) for name in names), f"nothing like {wanted} in the sdist"
    assert not any("node_modules" in name for name in names), "node_modules is in the sdist"


def no_node() -> None:
    """The environment has no Node."""
    found = _run("-c", "import shutil; print(shutil.which('node'), shutil.which('npm'))")
    assert found.split() == ["None", "None"], found


def imports() -> None:
    """The module comes from the wheel."""
    where = _run("-c", "import jupyterlab_turnbook as t; print(t.__file__, t.__version__)")
    assert str(rtc_env.VENV) in where, where


def lab_extension_is_ok() -> None:
    """JupyterLab lists the extension as enabled and OK."""
    listed = _run("-m", "jupyter", "labextension", "list", "--verbose")
    line = next((x for x in listed.splitlines() if "jupyterlab-turnbook v" in x), "")
    assert "enabled" in line, listed
    assert "OK" in line, listed


def server_extension_is_ok() -> None:
    """Jupyter Server lists the extension as enabled and OK."""
    listed = _run("-m", "jupyter", "server", "extension", "list")
    lines = [line for line in listed.splitlines() if "jupyterlab_turnbook" in line]
    assert any("enabled" in line for line in lines), listed
    assert any("OK" in line for line in lines), listed


def server_answers() -> None:
    """A server started there has the API and serves the front end."""
    with _server() as base:
        providers = json.loads(_get(f"{base}turnbook/api/providers"))
        assert any(p["name"] == "local" for p in providers["providers"]), providers
        page = _get(f"{base}lab")
        entry = re.search(r'"load":\s*"(static/remoteEntry\.\w+\.js)"', page)
        assert "jupyterlab-turnbook" in page, "the page does not name the extension"
        assert entry, "the page names no front end"


def works_without_engine() -> None:
    """Without the package that runs the embedded model, only that model is missing, and says so."""
    provider = ThreadedScriptedProvider()
    provider.start()
    try:
        with rtc_env.without(ENGINE), _server(OPENAI_BASE_URL=provider.url) as base:
            local = json.loads(_get(f"{base}turnbook/api/local"))
            assert local["state"] == "missing", local
            for refusal in (local["message"], _refusal(base, "local", local["model"])):
                assert ENGINE in refusal and ENGINE_INSTALL in refusal, refusal
            answered = _run_of(base, "openai", "any")
            assert answered["state"] == "done", answered
    finally:
        provider.stop()


@contextlib.contextmanager
def _server(**environment: str) -> Iterator[str]:
    """A server of the clean environment, by its address; its model is a file that is not read."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "model.gguf").touch()
        environment = {
            **rtc_env.bare_environment(),
            "JUPYTER_CONFIG_DIR": f"{home}/config",
            "JUPYTER_DATA_DIR": f"{home}/data",
            "JUPYTER_RUNTIME_DIR": f"{home}/runtime",
            "JUPYTER_TOKEN": "wheel-check",
            **environment,
        }
        line = [str(rtc_env.PYTHON), "-m", "jupyterlab", "--no-browser", "--allow-root"]
        line += [f"--ServerApp.root_dir={home}", "--ServerApp.port=18987"]
        line += [f"--TurnbookApp.local_model_path={home}/model.gguf"]
        with (home / "log").open("w") as log:
            server = subprocess.Popen(line, env=environment, stdout=log, stderr=log)
        try:
            info = home / "runtime" / f"jpserver-{server.pid}.json"
            yield _wait_for(server, info, home / "log")
        finally:
            server.terminate()
            server.wait(30)


def _run_of(base: str, provider: str, model: str) -> dict[str, Any]:
    """The run of a message to a provider, once it has ended."""
    pair = str(uuid.uuid4())
    asked = {
        "id": str(uuid.uuid4()),
        "chat": str(uuid.uuid4()),
        "pair": pair,
        "cell": {"id": pair, "cell_type": "code", "source": "Hi", "metadata": {}, "outputs": []},
        "after": None,
        "provider": provider,
        "autoRetry": False,
        "body": json.dumps({"model": model, "messages": [{"role": "user", "content": "Hi"}]}),
    }
    _get(f"{base}turnbook/api/runs", json.dumps(asked).encode())
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        run: dict[str, Any] = json.loads(_get(f"{base}turnbook/api/runs/{asked['id']}"))["run"]
        if run["end"] is not None:
            return run
        time.sleep(0.05)
    raise AssertionError("the run did not end within 60 s")


def _refusal(base: str, provider: str, model: str) -> str:
    """Why a message to a provider is refused."""
    try:
        run = _run_of(base, provider, model)
    except urllib.error.HTTPError as error:
        return str(json.loads(error.read())["message"])
    raise AssertionError(f"{provider} was asked: {run}")


def _wait_for(server: subprocess.Popen[bytes], info: Path, log: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert server.poll() is None, f"the server ended:\n{log.read_text()}"
        try:
            base = str(json.loads(info.read_text())["url"])
            _get(f"{base}api")
        except (OSError, ValueError):
            # Not listening yet.
            time.sleep(0.2)
        else:
            return base
    raise AssertionError(f"the server did not answer within 60 s:\n{log.read_text()}")


def _get(url: str, body: bytes | None = None) -> str:
    headers = {"Authorization": "token wheel-check", "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=20) as response:
        text: str = response.read().decode()
    return text


CHECKS: list[Check] = [
    wheel_is_pure,
    wheel_is_whole,
    sdist_is_whole,
    rtc_env.create,
    no_node,
    imports,
    lab_extension_is_ok,
    server_extension_is_ok,
    server_answers,
    works_without_engine,
]


def main() -> int:
    """Run the checks; writes the results to the file named on the command line."""
    results: list[tuple[str, bool]] = []
    for check in CHECKS:
        name = (check.__doc__ or check.__name__).strip().splitlines()[0]
        try:
            check()
        except (AssertionError, OSError, subprocess.SubprocessError, ValueError) as error:
            print(f"  FAILED  {name}\n{error}", flush=True)
            results.append((name, False))
        else:
            print(f"  passed  {name}", flush=True)
            results.append((name, True))
    Path(sys.argv[1]).write_text(json.dumps(results))
    return 0 if all(good for _, good in results) else 1


if __name__ == "__main__":
    sys.exit(main())
