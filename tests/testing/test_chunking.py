import pytest

from streamkit.testing.chunking import CHUNKINGS, bytewise, linewise, splits, two_parts, whole

BODY = 'event: a\r\ndata: {"x":"é👋"}\r\n\r\ndata: b\n\ndata: c\r\r'.encode()


@pytest.mark.parametrize("name", CHUNKINGS)
@pytest.mark.parametrize("data", [b"", b"a", BODY], ids=["empty", "one byte", "body"])
def test_the_pieces_joined_are_the_body(name, data):
    assert b"".join(CHUNKINGS[name](data)) == data


def test_each_way_to_cut_cuts_where_it_says():
    assert whole(BODY) == [BODY]
    assert {len(piece) for piece in bytewise(BODY)} == {1}
    assert linewise(b"a\r\nb\n\rc") == [b"a\r\n", b"b\n", b"\r", b"c"]
    assert list(two_parts(b"ab")) == [[b"", b"ab"], [b"a", b"b"], [b"ab", b""]]


@pytest.mark.parametrize("data", [b"", b"a", BODY, BODY * 100], ids=len)
def test_random_cuts_are_the_same_for_the_same_seed_and_differ_for_another(data):
    cuts = list(splits(data, seed=7, count=20))
    assert len(cuts) == 20
    assert all(b"".join(pieces) == data for pieces in cuts)
    assert cuts == list(splits(data, seed=7, count=20))
    assert len(data) < 2 or cuts != list(splits(data, seed=8, count=20))


def test_random_cuts_go_from_few_pieces_to_many():
    lengths = {len(pieces) for pieces in splits(BODY * 100, count=50)}
    assert min(lengths) < 50 < 500 < max(lengths)
