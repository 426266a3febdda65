from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import pytest

from streamkit.errors import ProtocolError, TransportError, TruncatedStream
from streamkit.testing.chunking import bytewise, splits, whole
from streamkit.wire.inflate import PIECE, new_inflater

BODY = b"".join(b"event: %d\ndata: {}\n\n" % number for number in range(5000))


def raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


def flushed_gzip(data: bytes) -> bytes:
    """As a server compresses a stream: what there is goes out after each event."""
    compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    parts = [
        compressor.compress(data[at : at + 100]) + compressor.flush(zlib.Z_SYNC_FLUSH)
        for at in range(0, len(data), 100)
    ]
    return b"".join(parts) + compressor.flush()


def two_members(data: bytes) -> bytes:
    return gzip.compress(data[:1000]) + gzip.compress(data[1000:]) + b"\0" * 7


CASES = [
    ("gzip", "gzip", gzip.compress),
    ("gzip in capitals", " GZip ", gzip.compress),
    ("gzip beside identity", "identity, gzip", gzip.compress),
    ("x-gzip", "x-gzip", gzip.compress),
    ("gzip flushed", "gzip", flushed_gzip),
    ("gzip members", "gzip", two_members),
    ("deflate", "deflate", zlib.compress),
    ("deflate without its header", "deflate", raw_deflate),
]
ENCODINGS = pytest.mark.parametrize(
    ("encoding", "compress"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)


def inflate(encoding: str, pieces: list[bytes]) -> bytes:
    inflater = new_inflater(encoding)
    assert inflater is not None
    out = b"".join(piece for data in pieces for piece in inflater.feed(data))
    inflater.finish()
    return out


@ENCODINGS
def test_a_compressed_body_comes_out_whole_however_it_is_cut(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    body = compress(BODY)
    assert inflate(encoding, whole(body)) == BODY
    assert inflate(encoding, bytewise(body)) == BODY
    for pieces in splits(body, seed=7, count=5):
        assert inflate(encoding, pieces) == BODY


@ENCODINGS
def test_a_compressed_body_cut_short_is_truncated(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    body = compress(BODY).rstrip(b"\0")
    for end in (1, 10, len(body) // 2, len(body) - 1):
        with pytest.raises(TruncatedStream, match=r"cut in the middle of a .*(gzip|deflate) body"):
            inflate(encoding, [body[:end]])


def test_what_an_event_flushed_comes_out_at_once() -> None:
    compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    inflater = new_inflater("gzip")
    assert inflater is not None
    for number in range(5):
        event = b"data: %d\n\n" % number
        assert b"".join(inflater.feed(compressor.compress(event) + compressor.flush(zlib.Z_SYNC_FLUSH))) == event


def test_an_empty_body_is_no_truncation_of_the_encoding() -> None:
    assert inflate("gzip", []) == inflate("deflate", [b""]) == b""


def test_no_piece_is_larger_than_a_read_whatever_the_input_holds() -> None:
    bomb = gzip.compress(bytes(64 << 20), 9)
    assert len(bomb) < 256 << 10
    inflater = new_inflater("gzip")
    assert inflater is not None
    sizes = [len(piece) for piece in inflater.feed(bomb)]
    assert sum(sizes) == 64 << 20
    assert max(sizes) <= PIECE


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_that_is_not_compressed_as_it_says_breaks_the_rules(encoding: str) -> None:
    with pytest.raises(ProtocolError, match=f"the body is not the {encoding} that its headers say"):
        inflate(encoding, [b"data: plain text after all\n\n"])


def test_what_came_before_a_fault_is_given_first_however_the_body_is_cut() -> None:
    body = flushed_gzip(BODY)
    broken = body[:2000] + b"\xff" * 500
    given = []
    for pieces in (whole(broken), bytewise(broken), *splits(broken, seed=3, count=5)):
        inflater = new_inflater("gzip")
        assert inflater is not None
        out = b""
        with pytest.raises(ProtocolError):
            for data in pieces:
                for piece in inflater.feed(data):
                    out += piece
        given.append(out)
    assert len(given[0]) > 1000
    assert BODY.startswith(given[0])
    assert set(given) == {given[0]}


@pytest.mark.parametrize("encoding", ["", "identity", " identity , "])
def test_a_plain_body_needs_no_inflater(encoding: str) -> None:
    assert new_inflater(encoding) is None


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "deflate,gzip", "aes128gcm"])
def test_an_encoding_that_cannot_be_decoded_in_bounded_steps_is_refused_by_name(encoding: str) -> None:
    with pytest.raises(TransportError, match=encoding.split(",")[0]):
        new_inflater(encoding)
