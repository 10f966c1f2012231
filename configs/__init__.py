"""Typed settings: the defaults, the user's file, the environment. The only place that reads `os.environ`."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from ..store.errors import BadInput
from .strength import Strength

PREFIX = "BACKSTORY_"
FILE = "config.toml"
# Names of ours in the environment that are not settings.
NOT_SETTINGS = frozenset({"BACKSTORY_HOME", "BACKSTORY_OFF"})


@dataclass(frozen=True, slots=True)
class Preset:
    """An endpoint known by name, and the variable that its own tools read the key from; none where it asks for none."""

    url: str
    key_variable: str


# As each one's own documentation has it (2026-11).
PRESETS: Mapping[str, Preset] = {
    "openai": Preset("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "dashscope": Preset("https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
    "zhipu": Preset("https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY"),
    "deepseek": Preset("https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    "ollama": Preset("http://localhost:11434/v1", ""),
}


class Settings(Strength):
    """Every setting, checked; `default.toml` says what each is for."""

    user: str = Field(min_length=1, max_length=200)
    mode: Literal["lite", "pro"]
    embedder: Literal["auto", "e5", "use", "hash", "openai", "none"]
    embedding_url: str
    embedding_model: str
    embedding_dimensions: int = Field(ge=0, le=8192)
    embedding_key_variable: str
    embedding_timeout_s: float = Field(gt=0, le=600)
    model_url: str
    model_key_variable: str = Field(max_length=200)
    model: str = Field(max_length=200)
    model_judge: str = Field(max_length=200)
    model_extract: str = Field(max_length=200)
    model_reconcile: str = Field(max_length=200)
    model_plan: str = Field(max_length=200)
    model_timeout_s: float = Field(gt=0, le=600)
    model_tokens_a_day: int = Field(ge=0, le=1_000_000_000)
    hook_limit: int = Field(ge=1, le=50)
    hook_chars: int = Field(ge=500, le=8500)
    digest_chars: int = Field(ge=0, le=8500)
    hook_code_chars: int = Field(ge=0, le=6000)
    provenance: Literal["enforce", "observe"]
    unattended: Literal["nobody", "user"]
    watch: bool
    edit_notice: bool
    tool_limit: int = Field(ge=1, le=100)
    unfinished_days: int = Field(ge=0, le=365)
    log_days: int = Field(ge=1, le=3650)
    log_text: bool

    @field_validator("mode", mode="before")
    @classmethod
    def _known_mode(cls, mode: Any) -> Any:
        if mode == "ultra":
            raise ValueError("ultra comes with a later version; until then there are lite and pro")
        return mode

    @field_validator("model_url")
    @classmethod
    def _usable_url(cls, url: str) -> str:
        if url not in PRESETS and not _is_address(url):
            raise ValueError(
                f"it is one of {', '.join(PRESETS)}, or a URL that begins with http:// or https://, without a key in it"
            )
        return url

    @property
    def model_base_url(self) -> str:
        """Where the model is asked: a preset's address, or `model_url` itself."""
        return PRESETS[self.model_url].url if self.model_url in PRESETS else self.model_url

    @property
    def model_key_name(self) -> str:
        """The environment variable that holds the model's key; empty where none is named and none is needed."""
        preset = PRESETS.get(self.model_url)
        return self.model_key_variable or (preset.key_variable if preset else "")


def _is_address(url: str) -> bool:
    """Whether it is the URL of a host, without a name or password of anybody's."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return usable and "@" not in parts.netloc and url.isprintable() and " " not in url


@cache
def defaults() -> Mapping[str, Any]:
    """The values of `default.toml`."""
    return tomllib.loads(files(__name__).joinpath("default.toml").read_text("utf-8"))


def home(environ: Mapping[str, str] = os.environ) -> Path:
    """Backstory's folder: `BACKSTORY_HOME`, else the user's data folder."""
    if given := environ.get("BACKSTORY_HOME"):
        return Path(given).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("backstory", appauthor=False)


def here() -> str | None:
    """The current folder, as text that a file can hold; None where it is gone."""
    try:
        return str(Path.cwd()).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except OSError:
        return None


def load(folder: Path | None = None, environ: Mapping[str, str] = os.environ, **flags: Any) -> Settings:
    """
    The settings in force: defaults, then `config.toml` in the home, then `BACKSTORY_*`, then `flags`.

    Raises:
        BadInput: a value or a name that is not a setting's, said in one sentence with its place.
    """
    values = dict(defaults())
    path = (folder or home(environ)) / FILE
    if path.exists():
        try:
            values |= tomllib.loads(path.read_text("utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as e:
            raise BadInput(f"{path} cannot be read ({e}); correct it or remove it.") from e
    for name, text in environ.items():
        if name.startswith(PREFIX) and name not in NOT_SETTINGS:
            values[name.removeprefix(PREFIX).lower()] = text
    values |= {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings.model_validate(values)
    except ValidationError as e:
        first = e.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "settings"
        if first["type"] == "extra_forbidden":
            raise BadInput(_unknown(name)) from None
        raise BadInput(
            f"The setting {name!r} is not usable: {first['msg']}. See `default.toml` for names and values."
        ) from e


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, defaults(), cutoff=0.55)
    if near:
        return f"There is no setting {name!r}; did you mean {' or '.join(near)}?"
    return f"There is no setting {name!r}; there are {', '.join(defaults())}."


def secret(variable: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The value of an environment variable that holds a key."""
    return environ.get(variable) or None


def model_key(settings: Settings, environ: Mapping[str, str] = os.environ) -> str | None:
    """The key of the configured model; None where none is set or needed."""
    name = settings.model_key_name
    return secret(name, environ) if name else None


def environment(names: tuple[str, ...], environ: Mapping[str, str] = os.environ) -> dict[str, str | None]:
    """Some variables of the environment, as the faces pass them down."""
    return {name: environ.get(name) for name in names}
