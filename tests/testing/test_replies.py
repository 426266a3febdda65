import json

import msgspec
import pytest

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer
from streamkit.testing.chunking import bytewise
from streamkit.testing.replies import Received, Replies, Reply, error_reply
from streamkit.testing.scripts import render


def request(path="/v1/chat/completions", **body):
    return Received("POST", path, {}, json.dumps(body).encode())


PATHS = [
    ("/v1/chat/completions", "openai-chat"),
    ("/v1/messages", "anthropic"),
    ("/v1/messages?beta=true", "anthropic"),
    ("/messages/batches", "openai-chat"),
    ("/v1/responses", "openai-responses"),
    ("/", "openai-chat"),
    ("/api/chat", "ollama"),
    ("/v1beta/models/m:streamGenerateContent?alt=sse", "gemini"),
    ("/v1beta/interactions", "gemini-interactions"),
    ("/v2/chat", "cohere"),
    ("/model/us.amazon.nova-lite-v1%3A0/converse-stream", "bedrock-converse"),
    ("/services/aigc/text-generation/generation", "dashscope"),
    ("/services/aigc/multimodal-generation/generation", "dashscope"),
    ("/completion", "llamacpp"),
    ("/generate", "sglang"),
    ("/generate_stream", "tgi"),
    ("/worker_generate_stream", "fastchat"),
    ("/v1/completions", "openai-completions"),
]

PIECES = [
    ("bytes whole", Reply(body=b"data: a\n\ndata: b\n\n"), [b"data: a\n\ndata: b\n\n"]),
    ("bytes paced", Reply(body=b"data: a\n\ndata: b\n\n", pace_s=0.1), [b"data: a\n\n", b"data: b\n\n"]),
    ("bytes cut", Reply(body=b"abc", cut=bytewise), [b"a", b"b", b"c"]),
    ("pieces as given", Reply(body=[b"a", b"", b"bc"], cut=bytewise), [b"a", b"", b"bc"]),
    ("an answer", Reply(body=Answer(["hello"]), piece=2), [render(Answer(["hello"]), piece=2)]),
]


@pytest.mark.parametrize(("path", "protocol"), PATHS)
def test_the_path_tells_the_dialect(path, protocol):
    assert request(path).protocol == protocol


def test_of_two_servers_with_one_path_the_prompt_tells_which_it_is():
    assert request("/generate", prompt="a").protocol == "vllm-generate"
    assert request("/generate", text="a").protocol == "sglang"
    assert request("/v1/completions", prompt="a").protocol == "openai-completions"


@pytest.mark.parametrize(("reply", "pieces"), [case[1:] for case in PIECES], ids=[case[0] for case in PIECES])
def test_a_reply_comes_in_pieces(reply, pieces):
    assert reply.pieces("openai-chat") == pieces


def test_an_answer_has_the_content_type_of_its_dialect():
    assert Reply(body=Answer(["a"])).head("ollama") == {"content-type": "application/x-ndjson"}
    binary = {"content-type": "application/vnd.amazon.eventstream"}
    assert Reply(body=Answer(["a"])).head("bedrock-converse") == binary
    assert Reply(body=Answer(["a"])).head("openai-chat") == Reply().headers
    assert Reply(body=Answer(["a"]), headers={"x": "y"}).head("ollama") == {"x": "y"}
    assert Reply(body=b"{}").head("ollama") == Reply().headers


async def test_one_reply_is_for_every_request():
    replies = Replies(b"x")
    assert [(await replies.reply(request())).body for _ in range(3)] == [b"x"] * 3
    assert len(replies.requests) == 3


async def test_a_script_is_served_in_order_and_its_end_is_an_error():
    replies = Replies([b"a", Reply(body=b"b", status=503)])
    got = [await replies.reply(request()) for _ in range(3)]
    assert [(reply.status, reply.body) for reply in got[:2]] == [(200, b"a"), (503, b"b")]
    assert got[2].status == 500
    assert b"the script has 2 replies; this request wants number 3" in got[2].body
    assert got[2].headers["x-should-retry"] == "false"
    alone = Replies([b"a"])
    assert (
        b"the script has 1 reply; this request wants number 2"
        in [await alone.reply(request()) for _ in range(2)][1].body
    )


async def test_a_script_may_follow_the_history():
    replies = Replies([b"first", b"second"], turn="history")
    user, assistant = {"role": "user"}, {"role": "assistant"}
    later = await replies.reply(request(messages=[user, assistant, {"role": "tool"}, user]))
    first = await replies.reply(request(messages=[user]))
    assert (first.body, later.body) == (b"first", b"second")


ITEMS = [
    ("no answer", [{"role": "user"}], b"first"),
    ("an answer", [{"role": "user"}, {"type": "message", "role": "assistant"}, {"role": "user"}], b"second"),
    (
        "one answer of several items",
        [
            {"role": "user"},
            {"type": "reasoning"},
            {"type": "function_call"},
            {"type": "function_call_output", "output": ""},
        ],
        b"second",
    ),
    (
        "the steps of an interaction",
        [
            {"type": "user_input"},
            {"type": "thought"},
            {"type": "function_call"},
            {"type": "function_result"},
        ],
        b"second",
    ),
    (
        "two answers with a call between",
        [{"role": "user"}, {"type": "function_call"}, {"output": ""}, {"role": "assistant"}, {"role": "user"}],
        b"third",
    ),
]


@pytest.mark.parametrize(("items", "body"), [case[1:] for case in ITEMS], ids=[case[0] for case in ITEMS])
async def test_in_responses_the_history_is_counted_by_its_runs_of_items(items, body):
    replies = Replies([b"first", b"second", b"third"], turn="history")
    assert (await replies.reply(request("/v1/responses", input=items))).body == body


async def test_a_function_chooses_be_it_async_or_not():
    async def slow(received):
        return Answer([received.json["say"]])

    assert (await Replies(slow).reply(request(say="hi"))).body == Answer(["hi"])
    assert (await Replies(lambda received: received.body).reply(request(n=1))).body == b'{"n": 1}'


REFUSED = [
    ("a text", "hello", r"not 'hello': Answer\(\['hello'\]\) says it"),
    ("a text in a list", [b"a", "hello"], "not 'hello'"),
    ("blocks that are in no answer", [["hello"]], r"not \['hello'\]"),
    ("a number", 5, "not 5"),
    ("nothing", None, "not None"),
]


@pytest.mark.parametrize(("replies", "says"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_no_reply_is_refused_when_it_is_given(replies, says):
    with pytest.raises(ConfigError, match=says):
        Replies(replies)


async def test_what_a_function_chooses_is_looked_at_too():
    with pytest.raises(ConfigError, match="a reply is .* not 'hello'"):
        await Replies(lambda received: "hello").reply(request())


async def test_defaults_are_for_replies_given_bare():
    replies = Replies([b"a", Reply(body=b"b")], status=418, piece=9)
    assert [(await replies.reply(request())).status for _ in range(2)] == [418, 200]


def test_a_body_that_is_not_json_says_so():
    with pytest.raises(msgspec.DecodeError):
        _ = Received("POST", "/", {}, b"not json").json


def test_errors_have_the_form_of_their_dialect():
    assert json.loads(error_reply(429, "slow", "rate_limit_error", protocol="anthropic").body) == {
        "type": "error",
        "error": {"type": "rate_limit_error", "message": "slow"},
    }
    assert json.loads(error_reply(429, "slow", "", protocol="ollama").body) == {"error": "slow"}
    assert json.loads(error_reply(429, "slow", "RESOURCE_EXHAUSTED", protocol="gemini").body) == {
        "error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}
    }
    reply = error_reply(429, "slow", "rate_limit_exceeded", protocol="gemini-interactions")
    assert json.loads(reply.body) == {"error": {"code": "rate_limit_exceeded", "message": "slow"}}
    assert json.loads(error_reply(429, "slow", "", protocol="cohere").body) == {"message": "slow"}
    aws = error_reply(429, "slow", "ThrottlingException", protocol="bedrock-converse")
    assert json.loads(aws.body) == {"__type": "ThrottlingException", "message": "slow"}
    reply = error_reply(429, "slow", "Throttling", protocol="dashscope")
    assert json.loads(reply.body) == {"code": "Throttling", "message": "slow", "request_id": "r"}
    reply = error_reply(429, "slow", "rate_limit", headers={"retry-after": "2"})
    assert json.loads(reply.body) == {"error": {"type": "rate_limit", "message": "slow", "code": None}}
    assert reply.headers == {"content-type": "application/json", "retry-after": "2"}
