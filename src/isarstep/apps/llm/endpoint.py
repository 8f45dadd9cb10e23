"""A server that speaks the protocol of OpenAI's chat completions, asked politely: not too fast, again when it is busy.

The key comes from the environment and goes into one header; no message of ours contains it.
"""

from __future__ import annotations

import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

from isarstep.apps.llm.questions import PromptMessage
from isarstep.common.errors import UserError
from isarstep.common.file_reading import parse_json

KEYS = ("ISARSTEP_API_KEY", "OPENAI_API_KEY")
_TRIES = 6
_BUSY = (408, 409, 429, 500, 502, 503, 504, 529)
_LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class Completion:
    """One reply and what it cost in tokens; None where the server does not say."""

    text: str
    cut: bool  # the longest allowed reply was not long enough
    tokens_in: int | None
    tokens_out: int | None


class _Stays(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: the key is for one server, and a redirected question would arrive without its body."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_Stays)


def _key() -> str | None:
    """From the environment, where it often has a line's end behind it."""
    name = next((name for name in KEYS if os.environ.get(name, "").strip()), None)
    if name is None:
        return None
    key = os.environ[name].strip()
    if not (key.isascii() and key.isprintable()):  # Python's own error would show it
        raise UserError(f"{name} holds characters that no header can have")
    return key


class Endpoint:
    """One model at one server. Any number of threads may ask."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        temperature: float = 0.0,
        longest: int = 1024,
        per_minute: float = 60.0,
        timeout: float = 120.0,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise UserError(f"--endpoint {url}: no address; it begins with http:// or https://")
        url = url.rstrip("/")
        self._url = url if url.endswith("/chat/completions") else f"{url}/chat/completions"
        self._model, self._temperature, self._longest = model, temperature, longest
        self._timeout, self._wait = timeout, wait
        self._key = _key()
        self._pause = 60.0 / per_minute
        self._turn = threading.Lock()
        self._next = 0.0

    def complete(self, messages: Sequence[PromptMessage], seed: int) -> Completion:
        """The model's reply; a UserError where the server refuses or stays away."""
        body = {
            "model": self._model,
            "messages": list(messages),
            "temperature": self._temperature,
            "max_tokens": self._longest,
            "seed": seed,
        }
        pause, said = 1.0, ""
        for attempt in range(_TRIES):
            if attempt:
                self._wait(min(pause, _LONGEST_PAUSE))
            self._wait_for_turn()
            try:
                return _completion(self._post(body))
            except urllib.error.HTTPError as error:
                said = f"{error.code} {self._clean(_message(error))}"
                if error.code not in _BUSY:
                    raise UserError(f"{self._url}: {said}") from None
                pause = _retry_after(error) or 2.0 * pause
            except (OSError, HTTPException) as error:
                said = self._clean(str(error))
                pause *= 2
            except (ValueError, KeyError, IndexError, TypeError) as error:
                raise UserError(f"{self._url}: the reply is no chat completion ({self._clean(repr(error))})") from None
        raise UserError(
            f"{self._url}: no answer after {_TRIES} tries, last: {said}; what was answered is kept, ask again"
        )

    def _post(self, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        request = urllib.request.Request(self._url, json.dumps(body).encode(), headers, method="POST")
        with _OPENER.open(request, timeout=self._timeout) as answer:
            return parse_json(answer.read())

    def _wait_for_turn(self) -> None:
        """So many requests a minute, whoever sends them."""
        with self._turn:
            now = time.monotonic()
            pause = max(0.0, self._next - now)
            self._next = max(now, self._next) + self._pause
        if pause:
            self._wait(pause)

    def _clean(self, text: str) -> str:
        """One short line in which the key does not stand, whatever the server repeats."""
        text = text.replace(self._key, "(key)") if self._key else text
        return " ".join(text.split())[:300]


def _completion(document: Any) -> Completion:
    choice = document["choices"][0]
    text = choice["message"]["content"] or ""
    if not isinstance(text, str):
        raise TypeError(f"content of type {type(text).__name__}")
    text = text.encode("utf-8", "replace").decode()  # half of a surrogate pair could not be kept in a file
    usage = document.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Completion(
        text,
        choice.get("finish_reason") == "length",
        _count(counts, "prompt_tokens"),
        _count(counts, "completion_tokens"),
    )


def _count(usage: dict[str, Any], name: str) -> int | None:
    found = usage.get(name)
    return found if type(found) is int else None


def _message(error: urllib.error.HTTPError) -> str:
    try:
        raw = error.read(2000).decode("utf-8", "replace")
    except (OSError, HTTPException):  # it stalls, or ends in the middle
        raw = ""
    try:
        found = parse_json(raw)["error"]
        return str(found["message"] if isinstance(found, dict) else found)
    except (ValueError, KeyError, TypeError):
        return raw or str(error.reason)


def _retry_after(error: urllib.error.HTTPError) -> float | None:
    try:
        seconds = float(error.headers.get("Retry-After", ""))
    except ValueError:
        return None
    return seconds if seconds >= 0 else None
