import io
import json

import pytest
from rich.console import Console
from typer.testing import CliRunner

from streamkit import providers
from streamkit.cli.app import app
from streamkit.cli.providers import list_providers, read_listing
from streamkit.cli.screen import Screen
from streamkit.errors import ConfigError
from streamkit.protocols import Quirks
from streamkit.providers import PROVIDERS, Provider, get_provider, register_provider

KEY = "sk-never-to-be-shown"


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    for name in ("OPENAI_API_KEY", "MISTRAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def run(*arguments):
    return CliRunner().invoke(app, ["providers", *arguments], catch_exceptions=False)


def show(columns, monkeypatch, name=None, **options):
    """What a terminal of so many columns gets."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm-256color")
    file = io.StringIO()
    assert list_providers(name, screen=Screen(Console(file=file, force_terminal=True, **options))) == 0
    return file.getvalue()


def test_in_a_pipe_each_has_a_line_of_plain_cells():
    done = run()
    assert (done.exit_code, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    head, *lines = [line.split() for line in done.stdout.splitlines()]
    assert head[:5] == ["NAME", "DIALECT", "KEY", "SET", "ADDRESS"]
    assert [cells[0] for cells in lines] == sorted(PROVIDERS)
    assert {len(cells) for cells in lines} == {len(head)}
    by_name = {cells[0]: cells[1:] for cells in lines}
    assert by_name["groq"][:4] == ["openai-chat", "GROQ_API_KEY", "yes", "https://api.groq.com/openai/v1"]
    assert by_name["mistral"][2] == "no"
    assert by_name["moonshot"][4:8] == ["off,low,high,max", "auto,none", "bytes", "json"]
    assert by_name["openai-completions"][4:8] == ["-", "-", "-", "no"]


@pytest.mark.parametrize(("columns", "widest"), [(80, 80), (300, 100)])
def test_in_a_terminal_all_fit_its_width(columns, widest, monkeypatch):
    lines = show(columns, monkeypatch, no_color=True, color_system=None).splitlines()
    assert 60 < max(map(len, lines)) <= widest
    assert {line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "} == set(PROVIDERS)
    assert {get_provider(name).protocol for name in PROVIDERS} <= set(lines)


def test_a_terminal_that_is_too_narrow_loses_addresses_and_no_name(monkeypatch):
    shown = show(30, monkeypatch, no_color=True, color_system=None)
    assert all(f"  {name}" in shown for name in PROVIDERS)
    assert "api.groq.com" not in shown


def test_in_a_terminal_an_optional_key_is_in_brackets(monkeypatch):
    shown = " ".join(show(80, monkeypatch, no_color=True, color_system=None).split())
    assert "vllm (VLLM_API_KEY) no " in shown
    assert "mistral MISTRAL_API_KEY no " in shown


def test_a_terminal_gets_colours_unless_it_wants_none(monkeypatch):
    assert "\x1b[" in show(80, monkeypatch, "groq")
    assert "\x1b[3" not in show(80, monkeypatch, "groq", no_color=True)


def test_one_is_shown_in_full():
    done = run("moonshot")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for line in (
        "moonshot",
        "dialect openai-chat",
        "address https://api.moonshot.ai/v1",
        "key MOONSHOT_API_KEY (not set)",
        "thinking off, low, high, max",
        "tools auto, none; whether several at once",
        "images by bytes",
        "answers text, or any JSON",
        "thinking_form = 'thinking'",
    ):
        assert line in lines
    assert "the makers of Kimi" in done.stdout


def test_a_vendor_of_ones_own_is_shown_too(monkeypatch):
    monkeypatch.setattr(providers, "_registered", {})
    register_provider(Provider(name="acme", protocol="openai-chat", base_url="https://a.example", quirks=Quirks()))
    done = run("acme")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "acme")
    assert "departures  none" in done.stdout


def test_as_json_they_are_a_list_and_one_is_an_object():
    listed = json.loads(run("--json").stdout)
    assert [each["name"] for each in listed] == sorted(PROVIDERS)
    groq = json.loads(run("groq", "--json").stdout)
    assert groq in listed
    assert (groq["key_variable"], groq["key_set"], groq["dialect"]) == ("GROQ_API_KEY", True, "openai-chat")
    assert groq["abilities"]["left_out"] == ["top_k", "n", "logprobs", "logit_bias"]
    assert groq["departures"]["thinking_field"] == "reasoning"


@pytest.mark.parametrize("arguments", [[], ["groq"], ["groq", "--json"]], ids=str)
def test_a_key_is_never_shown(arguments):
    assert KEY not in run(*arguments).output


def test_an_unknown_one_is_a_mistake():
    done = run("acme")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "unknown provider 'acme'" in done.stderr
    with pytest.raises(ConfigError):
        list_providers("acme")


def test_a_blank_key_is_none(monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", " ")
    assert not read_listing(get_provider("groq")).key_set
