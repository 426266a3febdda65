"""What an unfinished JSON text says so far."""

from __future__ import annotations

import gc
import json
import math
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from streamkit.partial_json import PartialJSON, SyntaxFault


def parse(*pieces: str, **options: Any) -> PartialJSON:
    parser = PartialJSON(**options)
    for piece in pieces:
        parser.feed(piece)
    return parser


def state(parser: PartialJSON) -> tuple[str, bool, SyntaxFault | None]:
    """All that can be seen of a parser; the value by its repr, since 1 == True == 1.0."""
    return repr(parser.value), parser.complete, parser.error


# What is seen after this much of a text.
PREFIXES: list[tuple[str, str, Any]] = [
    ("nothing yet", "", None),
    ("only space", " \n\t\r", None),
    ("an object is there from its brace", "{", {}),
    ("an array is there from its bracket", "[", []),
    ("a key waits for its value", '{"a"', {}),
    ("a key waits for its value after the colon", '{"a": ', {}),
    ("a string is there from its quote", '{"a":"', {"a": ""}),
    ("a string grows", '{"a":1,"b":"he', {"a": 1, "b": "he"}),
    ("a string at the top grows", '"he', "he"),
    ("a string in an array grows", '["a","b', ["a", "b"]),
    ("a number waits for what follows", '{"a":12', {}),
    ("a number shows with the comma", '{"a":12,', {"a": 12}),
    ("a number shows with the brace", '{"a":12}', {"a": 12}),
    ("a number shows with a space", "[12 ", [12]),
    ("a number at the top waits for the end", "12", None),
    ("a number at the top shows with a space", "12\n", 12),
    ("a literal waits for its last letter", "[true,fals", [True]),
    ("a literal shows with its last letter", "[true,false", [True, False]),
    ("null shows too", '{"a":null', {"a": None}),
    ("an escape waits to be complete", '"a\\', "a"),
    ("a unicode escape waits to be complete", '"a\\u00e', "a"),
    ("a first surrogate waits for the second", '"a\\ud83d', "a"),
    ("a first surrogate waits through the second escape", '"a\\ud83d\\ude0', "a"),
    ("a pair is one character", '"a\\ud83d\\ude00', "a😀"),
    ("a first surrogate alone is replaced when that is known", '"a\\ud83db', "a\ufffdb"),
    ("a second surrogate alone is replaced", '"a\\ude00', "a\ufffd"),
    ("two first surrogates and a second", '"\\ud83d\\ud83d\\ude00', "\ufffd😀"),
    ("a first surrogate and another escape", '"\\ud83d\\n', "\ufffd\n"),
    ("a first surrogate at the end of the string", '"\\ud83d"', "\ufffd"),
    ("a first surrogate and an escape that is none", '"\\ud83d\\u0041', "\ufffdA"),
    ("every short escape", r'"\"\\\/\b\f\n\r\t', '"\\/\b\f\n\r\t'),
    ("an escape in a key", r'{"\u0061\n":1}', {"a\n": 1}),
    ("raw control characters are taken", '{"a":"x\ny\t\x00', {"a": "x\ny\t\x00"}),
    ("line separators are text", '"\u2028\u2029\x85', "\u2028\u2029\x85"),
    ("the last of equal keys counts", '{"a":1,"b":2,"a":"x', {"a": "x", "b": 2}),
    ("an empty key", '{"":[', {"": []}),
    ("nesting", '{"a":[{"b":[[1,', {"a": [{"b": [[1]]}]}),
    ("containers close", '{"a":[{"b":[[]]}],"c":{}', {"a": [{"b": [[]]}], "c": {}}),
    ("a big integer is exact", "[123456789012345678901234567890,", [123456789012345678901234567890]),
    ("minus zero", "[-0,-0.0,", [0, -0.0]),
    ("a float", "[-1.5e+3,0.25,1E2,", [-1500.0, 0.25, 100.0]),
    ("numbers that JSON has no word for", "[NaN,Infinity,-Infinity,", [None, None, None]),
    ("a number beyond any float", "[1e999,-1e999,", [None, None]),
    ("a number below any float", "[1e-999,", [0.0]),
]


@pytest.mark.parametrize(("text", "value"), [case[1:] for case in PREFIXES], ids=[case[0] for case in PREFIXES])
def test_the_value_of_a_prefix(text: str, value: Any) -> None:
    for parser in (parse(text), parse(*text)):
        assert repr(parser.value) == repr(value)
        assert parser.error is None


# Where a text stops being JSON, and what was said until then.
FAULTS: list[tuple[str, str, int, str, Any]] = [
    ("a bare word", "hello", 0, "expected a value, found 'h'", None),
    ("a word misspelt", "[nul,", 4, "expected 'null', found 'nul,'", []),
    ("a word of Python", "[True", 1, "expected a value or ']', found 'T'", []),
    ("a key without quotes", "{a:1}", 1, "expected a key or '}', found 'a'", {}),
    ("a key that is a number", '{"a":1,2:3}', 7, "expected a key, found '2'", {"a": 1}),
    ("single quotes", "{'a':1}", 1, "expected a key or '}', found \"'\"", {}),
    ("no colon", '{"a" 1}', 5, "expected ':', found '1'", {}),
    ("no value", '{"a":}', 5, "expected a value, found '}'", {}),
    ("no comma in an object", '{"a":"x" "b"', 9, "expected ',' or '}', found '\"'", {"a": "x"}),
    ("no comma in an array", "[[] 1", 4, "expected ',' or ']', found '1'", [[]]),
    ("a last comma in an array", "[1,]", 3, "expected a value, found ']'", [1]),
    ("a last comma in an object", '{"a":1,}', 7, "expected a key, found '}'", {"a": 1}),
    ("the wrong bracket", '["a"}', 4, "expected ',' or ']', found '}'", ["a"]),
    ("text after the end", '{"a":1} {', 8, "expected the end, found '{'", {"a": 1}),
    ("a second object", "{}{}", 2, "expected the end, found '{'", {}),
    ("an unknown escape", r'"ab\x41"', 3, r"bad escape '\\x'", "ab"),
    ("an escape that is no number", r'"ab\u12_4"', 3, r"bad escape '\\u12_'", "ab"),
    ("a bad escape after a first surrogate", r'"ab\ud83d\q"', 9, r"bad escape '\\q'", "ab\ufffd"),
    ("a leading zero", "[1,012]", 3, "not a number: '012'", [1]),
    ("a number that ends in its point", "[1.]", 1, "not a number: '1.'", []),
    ("a number without a digit", "[-]", 1, "not a number: '-'", []),
    ("a plus sign", "[+1]", 1, "expected a value or ']', found '+'", []),
    ("a number without its first digit", "[.5]", 1, "expected a value or ']', found '.'", []),
    ("an empty exponent", "[1e,", 1, "not a number: '1e'", []),
    ("digits of another script", "[1٣]", 2, "expected ',' or ']', found '٣'", [1]),
    ("a space that JSON does not know", "[\u00a01]", 1, "expected a value or ']', found '\\xa0'", []),
    ("a comment", '{"a":1, // b', 8, "expected a key, found '/'", {"a": 1}),
    ("a fence of Markdown", "```json", 0, "expected a value, found '`'", None),
]


@pytest.mark.parametrize(
    ("text", "position", "reason", "value"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS]
)
def test_the_first_fault_is_kept_and_the_value_stays(text: str, position: int, reason: str, value: Any) -> None:
    for parser in (parse(text), parse(*text), parse(text, '"more"'), parse(*text, "}", "]")):
        assert parser.error == SyntaxFault(position, reason)
        assert str(parser.error) == f"{reason} at character {position}"
        assert repr(parser.value) == repr(value)


ENDS: list[tuple[str, str, str | None, Any]] = [
    ("a number at the top", "12.5", None, 12.5),
    ("minus infinity at the top", "-Infinity", None, None),
    ("a whole object", '{"a":1} ', None, {"a": 1}),
    ("a whole word", "null", None, None),
    ("nothing", "", "the text ends before a value at character 0", None),
    ("only space", "  ", "the text ends before a value at character 2", None),
    ("inside a string", '{"a":"b', "the text ends inside a string at character 7", {"a": "b"}),
    ("inside an escape", r'["b\u00', "the text ends inside a string at character 7", ["b"]),
    ("inside a key", '{"a":1,"b', "the text ends inside a key at character 9", {"a": 1}),
    ("inside a word", "[true,fal", "the text ends inside a word at character 9", [True]),
    ("inside an object", '{"a":[],', "the text ends inside an object at character 8", {"a": []}),
    ("before a value of an object", '{"a":', "the text ends inside an object at character 5", {}),
    ("inside an array", "[[1],", "the text ends inside an array at character 5", [[1]]),
    ("half a number at the top", "-", "not a number: '-' at character 0", None),
    ("after a number, in an array", "[1,2", "the text ends inside an array at character 4", [1, 2]),
    ("after half a number, in an array", "[1,2.", "not a number: '2.' at character 3", [1]),
]


@pytest.mark.parametrize(("text", "error", "value"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_the_end_of_the_text(text: str, error: str | None, value: Any) -> None:
    for parser in (parse(text), parse(*text)):
        parser.finish()
        assert (str(parser.error) if parser.error else None) == error
        assert parser.complete == (error is None)
        assert repr(parser.value) == repr(value)


def test_finishing_twice_changes_nothing() -> None:
    parser = parse("[1")
    parser.finish()
    first = state(parser)
    parser.finish()
    parser.feed(",2]")
    assert state(parser) == first


def test_a_value_is_complete_with_its_last_character() -> None:
    parser = PartialJSON()
    seen = []
    for character in '{"a":[1]} ':
        parser.feed(character)
        seen.append(parser.complete)
    assert seen == [False] * 8 + [True, True]


def test_a_snapshot_is_unchanged_by_what_follows() -> None:
    text = '{"a":{"b":[1,{"c":"xy"}],"d":"é"},"e":[[],{}]}'
    parser = PartialJSON()
    kept = []
    for character in text:
        parser.feed(character)
        snapshot = parser.snapshot()
        assert snapshot == parser.value
        kept.append((snapshot, repr(snapshot)))
    assert all(repr(snapshot) == before for snapshot, before in kept)
    assert kept[-1][0] == json.loads(text)


def test_the_value_is_live() -> None:
    parser = parse('{"a":"x')
    value = parser.value
    parser.feed('y","b":[')
    assert parser.value is value
    assert value == {"a": "xy", "b": []}


def test_nesting_is_limited_without_recursion() -> None:
    assert parse("[" * 500).error is None
    assert parse("[" * 501).error == SyntaxFault(500, "nested more than 500 deep")
    assert parse('{"a":' * 4, max_depth=3).error == SyntaxFault(15, "nested more than 3 deep")
    deep = parse("[" * 100_000, max_depth=100_000)
    deep.feed("]" * 100_000)
    assert deep.complete
    copy, depth = deep.snapshot(), 0
    while copy:
        copy, depth = copy[0], depth + 1
    assert depth == 99_999


def test_an_integer_of_too_many_digits_is_a_fault() -> None:
    parser = parse("[" + "7" * 5000 + "]")
    assert parser.error == SyntaxFault(1, "an integer of 5000 digits, too many to read")


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(10**40), max_value=10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=6), inner, max_size=5),
    max_leaves=12,
)
SEPARATORS = [(",", ":"), (", ", ": "), (" ,\n", "\t: ")]


@st.composite
def texts(draw: st.DrawFn) -> tuple[Any, str]:
    """A value and one of its texts."""
    value = draw(JSON_VALUES)
    separators = draw(st.sampled_from(SEPARATORS))
    indent = draw(st.sampled_from([None, 1]))
    text = json.dumps(value, separators=separators, ensure_ascii=draw(st.booleans()), indent=indent)
    return value, draw(st.sampled_from(["", " ", "\n"])) + text + draw(st.sampled_from(["", " \n"]))


def cut(text: str, places: list[int]) -> list[str]:
    bounds = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    return [text[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]


PLACES = st.lists(st.integers(0, 80), max_size=12)


@pytest.mark.feature("D: oh-my-pi#3946")
@given(texts(), PLACES)
def test_any_cut_of_any_value_ends_as_the_standard_library_reads_it(case: tuple[Any, str], places: list[int]) -> None:
    value, text = case
    for pieces in (cut(text, places), list(text)):
        parser = parse(*pieces)
        parser.finish()
        assert parser.error is None
        assert parser.complete
        assert repr(parser.value) == repr(json.loads(text)) == repr(value)


def extends(early: Any, late: Any) -> bool:
    """Whether `late` is `early` with more at its open end."""
    if type(early) is not type(late):
        return False
    if isinstance(early, str):
        return bool(late.startswith(early))
    if isinstance(early, dict):
        keys = list(early)
        if keys != list(late)[: len(keys)]:
            return False
        early, late = list(early.values()), list(late.values())
    if isinstance(early, list):
        whole = len(early) - 1
        return len(early) <= len(late) and (
            not early or (repr(early[:whole]) == repr(late[:whole]) and extends(early[whole], late[whole]))
        )
    return repr(early) == repr(late)


@given(texts())
def test_each_value_extends_the_one_before_and_begins_the_last(case: tuple[Any, str]) -> None:
    value, text = case
    parser = PartialJSON()
    before = None
    for character in text:
        parser.feed(character)
        seen = parser.snapshot()
        assert before is None or extends(before, seen)
        assert seen is None or extends(seen, value)
        before = seen


MARKS = st.sampled_from(
    ['"', "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "-", "0", "1", ".", "e", "t", "é", "\\u", "😀"]
)


@st.composite
def broken_texts(draw: st.DrawFn) -> str:
    """The text of a value with some of it taken out or put in; often still a text of some value."""
    text = draw(texts())[1]
    for _ in range(draw(st.integers(1, 3))):
        at, length = draw(st.integers(0, len(text))), draw(st.integers(0, 2))
        text = text[:at] + draw(MARKS | st.just("")) + text[at + length :]
    return text


def standard(text: str) -> Any:
    """The value as the standard library reads it, made like ours where JSON is left; raises ValueError."""
    return plain(json.loads(text, strict=False, parse_constant=lambda word: None))


def plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [plain(item) for item in value]
    return {plain(key): plain(item) for key, item in value.items()} if isinstance(value, dict) else value


@settings(max_examples=200)
@given(broken_texts(), PLACES)
@example('"\\ud83d\\u12"', [])
@example('["\\udc00\\ud800"]', [])
def test_it_takes_what_the_standard_library_takes_and_nothing_else(text: str, places: list[int]) -> None:
    parser = parse(text)
    parser.finish()
    try:
        value = standard(text)
    except ValueError:
        assert parser.error is not None
    else:
        assert parser.error is None
        assert repr(parser.value) == repr(value)
    pieces = parse(*cut(text, places))
    pieces.finish()
    assert state(pieces) == state(parser)


@given(broken_texts())
def test_what_msgspec_takes_is_read_the_same(text: str) -> None:
    try:
        value = msgspec.json.decode(text)
    except ValueError:
        return
    parser = parse(*text)
    parser.finish()
    assert repr(parser.value) == repr(plain(value))


def seconds_a_fragment(pieces: list[str], read: bool) -> float:
    parser = PartialJSON(max_depth=1_000_000)
    began = time.thread_time()
    for piece in pieces:
        parser.feed(piece)
        if read:
            assert parser.value is not None
    spent = time.thread_time() - began
    assert parser.complete
    return spent / len(pieces)


SHAPES: list[tuple[str, Callable[[int], str]]] = [
    ("one long string", lambda n: '{"a":"' + "x" * n + '"}'),
    ("one long string of two-byte characters", lambda n: '{"a":"' + "é" * n + '"}'),
    ("one long string of four-byte characters", lambda n: '{"a":"' + "😀" * n + '"}'),
    ("one long string of escapes", lambda n: '["' + "\\n" * (n // 2) + '"]'),
    ("many keys", lambda n: json.dumps({f"{k:05}": 1 for k in range(n // 12)})),
    ("many items", lambda n: "[" + "1," * (n // 2) + "1]"),
    ("deep nesting", lambda n: "[" * (n // 2) + "]" * (n // 2)),
    ("a long number", lambda n: "[0." + "1" * n + "]"),
]


@pytest.mark.feature("D: pi#9063", "D: pi#9062")
@pytest.mark.parametrize("read", [False, True], ids=["unread", "read after each"])
@pytest.mark.parametrize("shape", [case[1] for case in SHAPES], ids=[case[0] for case in SHAPES])
def test_time_a_fragment_does_not_grow_with_the_length(shape: Callable[[int], str], read: bool) -> None:
    short, long = list(shape(4_000)), list(shape(40_000))
    ratios = []
    gc.disable()
    try:
        for _ in range(5):
            base = min(seconds_a_fragment(short, read) for _ in range(3))
            ratios.append(seconds_a_fragment(long, read) / base)
            if ratios[-1] < 1.25:
                return
    finally:
        gc.enable()
    pytest.fail(f"ten times the text takes {min(ratios):.2f} times as long a fragment")


@pytest.mark.feature("D: pi#9063")
def test_one_large_fragment_takes_no_longer_than_its_pieces() -> None:
    text = json.dumps([{"a": "plain", "b": "x" * 50}] * 2_000 + ["\\"])
    pieces = [text[at : at + 1000] for at in range(0, len(text), 1000)]
    apart = min(seconds_a_fragment(pieces, False) * len(pieces) for _ in range(3))
    whole = min(seconds_a_fragment([text], False) for _ in range(3))
    assert whole < 3 * apart
