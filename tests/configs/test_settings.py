"""Settings: what wins over what, and how a wrong one is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from backstory import configs
from backstory.store.errors import BadInput


def put(folder: Path, text: str) -> Path:
    path = folder / configs.FILE
    path.write_text(text, "utf-8")
    return path


def load(folder: Path, environ: dict[str, str] | None = None, **flags: Any) -> configs.Settings:
    return configs.load(folder, environ or {}, **flags)


def test_without_a_file_the_defaults_are_in_force(tmp_path: Path) -> None:
    assert load(tmp_path).model_dump() == dict(configs.defaults())


def test_the_file_wins_over_defaults_the_environment_over_the_file_and_flags_over_all(tmp_path: Path) -> None:
    default = configs.defaults()["tool_limit"]
    seen = [load(tmp_path).tool_limit]
    put(tmp_path, "tool_limit = 11")
    seen.append(load(tmp_path).tool_limit)
    environ = {"BACKSTORY_TOOL_LIMIT": "12"}
    seen.append(load(tmp_path, environ).tool_limit)
    seen.append(load(tmp_path, environ, tool_limit=13).tool_limit)
    assert seen == [default, 11, 12, 13]


def test_each_place_changes_its_own_settings_and_leaves_the_others(tmp_path: Path) -> None:
    put(tmp_path, 'user = "文"\nhook_limit = 3')
    changed = load(tmp_path, {"BACKSTORY_EMBEDDER": "none"}, log_days=5)
    assert changed.model_dump() == {
        **configs.defaults(),
        "user": "文",
        "hook_limit": 3,
        "embedder": "none",
        "log_days": 5,
    }


def test_a_flag_that_is_not_given_changes_nothing(tmp_path: Path) -> None:
    put(tmp_path, "tool_limit = 11")
    assert load(tmp_path, tool_limit=None).tool_limit == 11


def test_numbers_in_the_environment_are_read_as_numbers(tmp_path: Path) -> None:
    read = load(tmp_path, {"BACKSTORY_EMBEDDING_TIMEOUT_S": "2.5", "BACKSTORY_HOOK_CHARS": "900"})
    assert (read.embedding_timeout_s, read.hook_chars) == (2.5, 900)


def test_names_of_ours_that_are_no_settings_are_passed_over(tmp_path: Path) -> None:
    environ = dict.fromkeys(configs.NOT_SETTINGS, "1") | {"PATH": "/bin", "NOTBACKSTORY_X": "1"}
    assert load(tmp_path, environ) == load(tmp_path)


def test_the_file_is_looked_for_in_the_home_that_the_environment_names(tmp_path: Path) -> None:
    put(tmp_path, "tool_limit = 11")
    environ = {"BACKSTORY_HOME": str(tmp_path)}
    assert configs.home(environ) == tmp_path
    assert configs.load(None, environ).tool_limit == 11


def test_a_home_is_made_absolute_and_a_tilde_is_the_users_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert configs.home({"BACKSTORY_HOME": "~/memory"}) == tmp_path / "memory"
    assert configs.home({"BACKSTORY_HOME": "here"}) == tmp_path / "here"
    assert configs.home({"BACKSTORY_HOME": ""}) == configs.home({})


WRONG: list[tuple[str, str]] = [
    ("colour", "red"),
    ("tool_limit", "many"),
    ("tool_limit", "0"),
    ("tool_limit", "101"),
    ("hook_limit", "51"),
    ("hook_chars", "8501"),
    ("digest_chars", "-1"),
    ("log_days", "0"),
    ("unfinished_days", "366"),
    ("embedding_timeout_s", "0"),
    ("embedding_timeout_s", "nan"),
    ("embedding_dimensions", "8193"),
    ("embedder", "best"),
    ("mode", "ultra"),
    ("mode", "best"),
    ("model_url", "openia"),
    ("model_url", "ftp://models.example"),
    ("model_url", "https://"),
    ("model_url", "https://me:key@models.example/v1"),
    ("model_url", "http://[bad"),
    ("model_timeout_s", "0"),
    ("model_tokens_a_day", "-1"),
    ("model_tokens_a_day", "1.5"),
    ("user", ""),
    ("user", "x" * 201),
]


@pytest.mark.parametrize(("name", "value"), WRONG, ids=[f"{n}={v[:9]}" for n, v in WRONG])
@pytest.mark.parametrize("place", ["file", "environment", "flag"])
def test_a_wrong_name_or_value_is_refused_by_a_sentence_that_names_it(
    tmp_path: Path, place: str, name: str, value: str
) -> None:
    environ, flags = {}, {}
    if place == "file":
        put(tmp_path, f'{name} = "{value}"')
    elif place == "environment":
        environ = {f"BACKSTORY_{name.upper()}": value}
    else:
        flags = {name: value}
    with pytest.raises(BadInput) as refused:
        load(tmp_path, environ, **flags)
    said = str(refused.value)
    assert repr(name) in said
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hook_limits", "There is no setting 'hook_limits'; did you mean hook_limit or tool_limit or"),
        ("embeder", "There is no setting 'embeder'; did you mean embedder"),
        ("colour", "There is no setting 'colour'; there are user, mode, embedder, "),
    ],
)
def test_an_unknown_setting_is_met_with_the_names_near_it(tmp_path: Path, name: str, said: str) -> None:
    put(tmp_path, f"{name} = 1")
    with pytest.raises(BadInput) as refused:
        load(tmp_path)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    "content",
    [b'user = "me', b"user", b"\xff\xfe\x00", b"user = 'a'\nuser = 'b'\n", b"[user]\nname = 'me'\n"],
    ids=["open string", "no value", "no text", "named twice", "a table"],
)
def test_a_broken_file_is_refused_by_a_sentence_that_says_where_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / configs.FILE
    path.write_bytes(content)
    with pytest.raises(BadInput) as refused:
        load(tmp_path)
    said = str(refused.value)
    assert str(path) in said or repr("user") in said
    assert said.endswith(".")
    assert "\n" not in said
    assert path.read_bytes() == content


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / configs.FILE).write_bytes(b"\xef\xbb\xbftool_limit = 11\r\n")
    assert load(tmp_path).tool_limit == 11


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / configs.FILE).mkdir()
    with pytest.raises(BadInput, match="cannot be read"):
        load(tmp_path)


def test_a_key_is_read_from_the_variable_that_the_setting_names(tmp_path: Path) -> None:
    variable = load(tmp_path, {"BACKSTORY_EMBEDDING_KEY_VARIABLE": "MY_KEY"}).embedding_key_variable
    assert configs.secret(variable, {"MY_KEY": "sk"}) == "sk"
    assert configs.secret(variable, {"MY_KEY": ""}) is configs.secret(variable, {}) is None


def test_settings_are_values_that_nobody_changes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="frozen"):
        load(tmp_path).user = "another"


def test_ultra_is_said_to_come_later(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="ultra comes with a later version; until then there are lite and pro"):
        load(tmp_path, mode="ultra")


def test_a_model_is_named_with_a_preset_or_an_address(tmp_path: Path) -> None:
    put(tmp_path, 'mode = "pro"\nmodel = "qwen-plus"\nmodel_url = "dashscope"')
    preset = load(tmp_path)
    assert preset.model_base_url == "https://dashscope.aliyuncs.com/compatible-mode/v1"
    assert preset.model_key_name == "DASHSCOPE_API_KEY"
    own = load(tmp_path, model_url="http://10.0.0.7:8000/v1", model_key_variable="MINE")
    assert (own.model_base_url, own.model_key_name) == ("http://10.0.0.7:8000/v1", "MINE")
    assert load(tmp_path, model_url="http://10.0.0.7:8000/v1").model_key_name == ""


def test_every_preset_is_an_address_that_could_be_set_by_hand(tmp_path: Path) -> None:
    for preset in configs.PRESETS.values():
        assert load(tmp_path, model_url=preset.url).model_base_url == preset.url


def test_the_key_is_read_from_the_variable_that_is_named(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "a", "MINE": "b"}
    found = [
        configs.model_key(load(tmp_path), environ),
        configs.model_key(load(tmp_path, model_key_variable="MINE"), environ),
        # OpenAI's key is not for others.
        configs.model_key(load(tmp_path, model_url="ollama"), environ),
        configs.model_key(load(tmp_path, model_url="deepseek"), environ),
    ]
    assert found == ["a", "b", None, None]
