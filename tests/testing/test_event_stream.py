from streamkit.limits import Limits
from streamkit.testing.event_stream import (
    event_message,
    message,
    payload_of,
    split_messages,
    with_headers,
    with_payload,
)
from streamkit.wire import Frame, new_decoder

# A contentBlockStop as Bedrock sends it.
STOP = bytes.fromhex(
    "0000007d00000056e6680fd60b3a6576656e742d74797065070010636f6e74656e74426c6f636b53746f700d3a636f6e74656e742d747970"
    "650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b22636f6e74656e74426c6f636b"
    "496e646578223a307db32e4d34"
)


def read(body):
    decoder = new_decoder("aws-eventstream", Limits())
    return decoder.feed(body) + decoder.finish()


def test_a_message_is_byte_for_byte_what_the_service_sends():
    assert event_message("contentBlockStop", b'{"contentBlockIndex":0}') == STOP


def test_messages_are_taken_apart():
    body = STOP + event_message("a", b"")
    assert split_messages(body) == [STOP, body[len(STOP) :]]
    assert split_messages(body[:-3]) == [STOP, body[len(STOP) : -3]]
    assert [payload_of(each) for each in split_messages(body)] == [b'{"contentBlockIndex":0}', b""]


def test_what_is_changed_has_checksums_that_fit():
    assert read(with_payload(STOP, b'{"a":1}')) == [Frame(b'{"a":1}', "contentBlockStop")]
    assert read(with_headers(STOP, b"\x01a\x00")) == read(STOP)
    error = message({":message-type": "error", ":error-code": "X", ":error-message": "no"})
    assert read(error) == [Frame(b'{"type":"X","message":"no"}', "error")]
