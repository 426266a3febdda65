"""The replay law between providers: a conversation goes to any other in a form that it accepts.

One history with everything in it is made from real streams of each dialect and encoded for each: what comes is checked
by `acceptance`, and no byte of what only its origin can read is in it. Dialects of base models take one text and refuse
any conversation, which is tested too; what they wrote goes on elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from streamkit.errors import ConfigError, ImageNotEmbedded
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import (
    AudioPart,
    CitationPart,
    EmbeddedImage,
    FilePart,
    FunctionCall,
    FunctionPart,
    ImagePart,
    ImageUrl,
    RawPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
)
from streamkit.protocols import PROTOCOLS, Request, ToolSpec, get_protocol
from streamkit.protocols.history import NO_RESULT
from streamkit.providers import PROVIDERS, get_provider
from streamkit.testing.mutations import split_frames
from streamkit.testing.outcome import read_pieces
from streamkit.testing.scripts import PLAIN, RENDERED, Answer, Call, Refusal, Thinking, framing_of, render
from streamkit.testing.strategies import answers, arguments, json_values, texts
from tests.laws.acceptance import CHECKERS, check
from tests.laws.origins import sealed_body

PNG = ImagePart(EmbeddedImage("image/png", b"\x89PNG\r\n\x1a\n"))
PICTURE = ImagePart(ImageUrl("https://example.org/a.png"))
SPEECH = AudioPart(b"RIFF", format="wav")
PAPER = FilePart("application/pdf", b"%PDF-1.7", name="a paper.pdf")
WEATHER = ToolSpec(name="weather", parameters={"type": "object", "properties": {"city": {"type": "string"}}})
SEAL = re.compile(rb"[a-z_]*SEALED[A-Za-z0-9+/=]*")

SOURCES = sorted(RENDERED)
TALKERS = sorted(RENDERED.keys() - PLAIN)
TAKERS = sorted(CHECKERS.keys() & PROTOCOLS.keys())  # the dialects that take conversations
# The vendors whose rows take back what the bare dialect does not; any other name will do elsewhere.
HOMES = {"openai-chat": "openrouter", "cohere": "cohere"}


def heard(body: bytes, protocol: str, provider: str) -> Message:
    return read_pieces([body], get_protocol(protocol).parser(provider=provider)).outputs[0].message


def cut_short(answer: Answer, protocol: str) -> bytes:
    """The body of the answer without its end."""
    frames = split_frames(render(answer, protocol, piece=3), framing_of(protocol))
    return b"".join(frames[: len(frames) // 2])


@cache
def answers_of(protocol: str, provider: str) -> list[Message]:
    """What the model said in the conversation, from streams of the dialect; a base model only wrote text."""
    if protocol in PLAIN:
        bodies = [render(Answer([text]), protocol) for text in ("Let me see.", "One. Two.", "I will not.")]
        return [heard(body, protocol, provider) for body in (*bodies, cut_short(Answer(["It rains"]), protocol))]
    interleaved = [Thinking("First."), "One. ", Call("weather", {"city": "Rome"}, "same.id"), Thinking("Then."), "Two."]
    broken = Call("weather", '{"city": "Par', "same.id")
    bodies = [
        sealed_body(protocol),
        render(Answer([*interleaved, broken]), protocol, piece=2),
        render(Answer([Refusal("I will not.")]), protocol),
        cut_short(Answer([Thinking("Hm, the rain"), "It rains", Call("weather", {"city": "Oslo"}, "cut")]), protocol),
    ]
    return [heard(body, protocol, provider) for body in bodies]


def conversation(protocol: str, provider: str = "acme") -> list[Message]:
    """A history with everything in it, whose answers are of this dialect and provider."""
    answered, interleaved, refusal, cut = answers_of(protocol, provider)
    results: list[list[Any]] = [[ValuePart({"rain": True, "n": 2**70})], ["wet", PNG]]
    failed = Meta(is_error=True)
    return [
        Message("system", ["Be brief."]),
        Message("user", ["What is this?", PNG]),
        answered,
        *(Message("tool", results[at], id=call.id) for at, call in enumerate(answered.tool_calls or ())),
        Message("user", ["And now?"]),
        interleaved,  # its first call has the id of the second, and one of the two no result
        *(Message("tool", ["No such city."], id=call.id, meta=failed) for call in (interleaved.tool_calls or ())[1:]),
        Message("system", ["Answer in English."]),
        Message("user", ["Go on."]),
        Message("user", [" ", "Please."], meta=Meta(name="Ann Lee")),
        refusal,
        Message("user", ["Why?"]),
        cut,
        Message("assistant", ["It still rains. "]),
        Message("user", ["Thank you."]),
    ]


def encode(messages: Sequence[Message], protocol: str, provider: str = "", **params: Any) -> dict[str, Any]:
    """The body of a request, which the API would accept; the messages are as they were."""
    quirks = get_provider(provider).quirks if provider in PROVIDERS else None
    request = Request(model="m", messages=list(messages), provider=provider, **{"tools": [WEATHER], **params})
    before = msgspec.json.encode(request.messages)
    body = get_protocol(protocol).encode(request, quirks).body
    assert msgspec.json.encode(request.messages) == before
    check(body, protocol, quirks)
    return body


def seals(value: Any) -> list[bytes]:
    """What is sealed in a body or a history, each once; the order of a message's fields is nobody's."""
    return sorted(set(SEAL.findall(msgspec.json.encode(value))))


def said_in(body: dict[str, Any]) -> list[Any]:
    """The messages of a body, whatever the dialect calls them."""
    found = next(body[name] for name in ("messages", "contents", "input") if name in body)
    return list(found["messages"] if isinstance(found, dict) else found)


# ---- every ordered pair


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_dialect_takes_conversations_or_says_that_it_does_not(protocol: str) -> None:
    talk = [Message("user", "a"), Message("assistant", "b"), Message("user", "c")]
    if protocol in CHECKERS:
        encode(talk, protocol)
    else:
        with pytest.raises(ConfigError, match="one user message"):
            get_protocol(protocol).encode(Request(model="m", messages=talk))


@pytest.mark.feature("0.2", "0.15")
@pytest.mark.parametrize("target", TAKERS)
@pytest.mark.parametrize("source", SOURCES)
def test_a_conversation_moves_from_any_dialect_to_any_other(source: str, target: str) -> None:
    history = conversation(source)
    body = encode(history, target, provider="acme")
    said = msgspec.json.encode(body).decode()
    assert source == target or seals(body) == []
    for text in ("Be brief.", "What is this?", "One. ", "Two.", "Go on.", "Please.", "It still rains.", "Thank you."):
        assert text in said
    assert ("I will not." in said) is bool(history[-5].contents)  # else it is no text but the reason of the end
    assert "iVBORw0KGgo=" in said
    assert source == target or "First." not in said
    if source in TALKERS:
        assert said.count("Rome") == said.count("No such city.") == 1
        assert NO_RESULT in said
        assert re.search(r'rain\\*":true', said)
        assert str(2**70) in said
    if target == "gemini" != source:
        assert all(first_call(content).get("thoughtSignature") for content in body["contents"])


def first_call(content: dict[str, Any]) -> dict[str, Any]:
    """The first call of a content, which must be signed where its model thinks; where there is none, one that is."""
    return next((part for part in content["parts"] if "functionCall" in part), {"thoughtSignature": "none needed"})


@pytest.mark.parametrize("target", TAKERS)
@pytest.mark.parametrize("source", TALKERS)
def test_thinking_of_another_is_told_where_that_is_asked_for(source: str, target: str) -> None:
    body = encode(conversation(source), target, provider="elsewhere", foreign_thinking="text")
    said = msgspec.json.encode(body).decode()
    assert seals(body) == []
    assert said.count("<thinking>\\nTwo cities.\\n</thinking>") == 1
    assert said.index("First.") < said.index("One. ")


@pytest.mark.feature("D: pi#9048")
@pytest.mark.parametrize("protocol", TAKERS)
def test_another_vendor_of_the_dialect_gets_nothing_that_is_sealed(protocol: str) -> None:
    assert seals(encode(conversation(protocol, "acme"), protocol, provider="elsewhere")) == []


@pytest.mark.feature("D: pi#198")
@pytest.mark.parametrize("vendor", [name for name in PROVIDERS if get_provider(name).protocol in TAKERS])
def test_every_vendor_accepts_what_any_dialect_wrote(vendor: str) -> None:
    protocol = get_provider(vendor).protocol
    for source in SOURCES:
        assert seals(encode(conversation(source), protocol, provider=vendor)) == []


# ---- there and back


SEALED = {"anthropic": 6, "bedrock-converse": 5, "cohere": 2, "gemini": 4, "openai-chat": 4, "openai-responses": 8}


@pytest.mark.feature("0.9")
@pytest.mark.parametrize("protocol", SEALED)
def test_the_origin_gets_back_all_that_it_sealed(protocol: str) -> None:
    home = HOMES.get(protocol, "acme")
    kept = seals(encode(conversation(protocol, home), protocol, provider=home))
    assert kept == sorted(set(SEAL.findall(sealed_body(protocol))))
    assert len(kept) == SEALED[protocol]


@pytest.mark.parametrize("other", TALKERS)
@pytest.mark.parametrize("origin", SEALED)
def test_there_and_back_each_gets_its_own_as_it_came(origin: str, other: str) -> None:
    home = HOMES.get(origin, "acme")
    alone = encode(conversation(origin, home), origin, provider=home)
    away = heard(sealed_body(other), other, "elsewhere")
    results = [Message("tool", ["wet"], id=f"{call.id}") for call in away.tool_calls or ()]
    history = [*conversation(origin, home), away, *results, Message("user", ["And back."])]
    back = encode(history, origin, provider=home)
    assert seals(back) == seals(alone)
    assert said_in(back)[: len(said_in(alone))] == said_in(alone)
    if other in TAKERS:
        foreign = set(seals(alone)) - set(SEAL.findall(sealed_body(other)))
        assert not foreign & set(seals(encode(history, other, provider="elsewhere")))


# ---- what only some dialects can show


NO_FORM: dict[str, tuple[Any, ...]] = {
    "bedrock-converse": (PICTURE,),
    "cohere": (SPEECH, PAPER),
    "dashscope": (PAPER,),
    "gemini": (PICTURE,),
    "ollama": (PICTURE, SPEECH, PAPER),
    "anthropic": (SPEECH,),
}
SHOWN = {"picture": PICTURE, "speech": SPEECH, "paper": PAPER}


@pytest.mark.feature("0.15")
@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("target", TAKERS)
def test_what_a_user_shows_is_sent_or_refused_with_a_reason(target: str, shown: str) -> None:
    part = SHOWN[shown]
    history = [*conversation("anthropic"), Message("user", ["Look:", part])]
    if part not in NO_FORM.get(target, ()):
        encode(history, target, provider="acme")
        return
    with pytest.raises(ImageNotEmbedded if part is PICTURE else ConfigError, match="bytes|holds|takes? no|transcript"):
        encode(history, target, provider="acme")


# ---- any history


IDS = st.sampled_from(["a", "b", "functions.f:0", "", "x" * 70])
OPAQUE = {"type": "unheard_of", "id": "SEALEDpart", "data": [1]}
PARTS = st.one_of(
    st.builds(TextPart, texts()),
    st.builds(RefusalPart, texts()),
    st.builds(ValuePart, json_values()),
    st.sampled_from(
        [
            PNG,
            ImagePart(ImageUrl("https://example.org/a.png")),
            CitationPart({"type": "char_location", "SEALED": 1}),
            AudioPart(b"", "Hello.", id="SEALEDaudio"),
            AudioPart(b"", id="SEALEDaudio"),
            AudioPart(b"\1\2", "Hello.", format="pcm16"),
            FilePart("text/plain", b"a", name="a.txt"),
            FilePart(file_id="SEALEDfile", name="b.txt"),
            FilePart("text/html", url="https://example.org/SEALED"),
            ServerToolPart("call", "SEALEDid", "search", {"type": "server_tool_use", "id": "SEALEDid"}),
            RawPart(OPAQUE),
        ]
    ),
)
CALLS = st.one_of(
    st.builds(FunctionPart, IDS, st.builds(FunctionCall, st.sampled_from(["f", "weather"]), arguments())),
    st.builds(FunctionPart, IDS, st.just(FunctionCall("sh")), raw_arguments=texts(), custom=st.just(True)),
    st.builds(FunctionPart, IDS, st.just(FunctionCall("f")), raw_arguments=texts(), error=st.just("cut short")),
)
FOREIGN = Meta(Origin("another", "vendor", "m"))
STEPS = st.one_of(
    st.builds(Message, st.sampled_from(["user", "system"]), st.lists(st.builds(TextPart, texts()), max_size=3)),
    st.builds(
        Message,
        st.just("assistant"),
        st.lists(PARTS, max_size=3),
        st.none() | texts(),
        st.none() | st.lists(CALLS, min_size=1, max_size=3),
        signature=st.none() | st.just("SEALED="),
        meta=st.just(FOREIGN),
    ),
    st.builds(
        Message,
        st.just("tool"),
        st.lists(st.builds(ValuePart, json_values()) | st.just(PNG) | st.builds(TextPart, texts()), max_size=2),
        id=st.none() | IDS,
        meta=st.none() | st.just(Meta(is_error=True)),
    ),
)
BEGIN = Message("user", ["Begin."])
# The dialects, and the vendors of one that are hardest to please.
TARGETS = [*((protocol, "") for protocol in TAKERS), *(("openai-chat", name) for name in ("mistral", "perplexity"))]


@pytest.mark.parametrize(("target", "vendor"), TARGETS, ids=[f"{target} {vendor}" for target, vendor in TARGETS])
@given(steps=st.lists(STEPS, max_size=8), told=st.sampled_from(["drop", "text"]))
@pytest.mark.filterwarnings("ignore::streamkit.errors.HistoryWarning")  # of parts that have no place there
def test_any_history_of_another_is_accepted(target: str, vendor: str, steps: list[Message], told: str) -> None:
    assert seals(encode([BEGIN, *steps], target, vendor, foreign_thinking=told)) == []


@pytest.mark.parametrize("target", TAKERS)
@given(steps=st.lists(STEPS, max_size=6), origin=st.sampled_from(["", "known", "another"]))
@pytest.mark.filterwarnings("ignore::streamkit.errors.HistoryWarning")  # of parts that have no place there
def test_any_history_by_hand_is_sent_or_refused_with_a_reason(target: str, steps: list[Message], origin: str) -> None:
    """What claims to be of the dialect itself goes back as it is, so whether it is accepted is for its author."""
    meta = {"": None, "known": Meta(Origin(target, "acme", "m")), "another": Meta(Origin(target, "elsewhere", "m"))}
    mine = [structs.replace(step, meta=meta[origin]) if step.role == "assistant" else step for step in steps]
    try:
        body = get_protocol(target).encode(Request(model="m", messages=[BEGIN, *mine], provider="acme")).body
    except ConfigError as error:
        assert str(error)
    else:
        assert msgspec.json.encode(body)


@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=10)
@given(data=st.data())
@pytest.mark.filterwarnings("ignore::streamkit.errors.HistoryWarning")  # of parts that have no place there
def test_any_answers_of_a_stream_go_on_anywhere(source: str, data: st.DataObject) -> None:
    bodies = data.draw(st.lists(answers(source, choices=False).map(lambda answer: render(answer, source)), max_size=3))
    said = [heard(body, source, "acme") for body in bodies]
    results = [Message("tool", ["ok"], id=call.id) for message in said for call in message.tool_calls or ()]
    history = [BEGIN, *said, *results, BEGIN]
    for target in TAKERS:
        encode(history, target, provider="acme")
        encode(history, target, provider="elsewhere", foreign_thinking="text")
