"""What a record of TGI's says of its token, and of the counts."""

from __future__ import annotations

from streamkit.protocols.tgi.views import Details, Token, read_token, read_usage
from streamkit.usage import Usage


def test_counts() -> None:
    assert read_usage(Details(generated_tokens=3, input_length=9)) == Usage(9, 3)
    assert read_usage(Details(generated_tokens=-1, input_length="9")) == Usage()


def test_a_token_with_its_alternatives() -> None:
    tops = [{"text": "b", "id": 2, "logprob": -1.0}, "odd"]
    assert read_token(Token("a", id=1, logprob=-0.5), tops) == {
        "logprob": -0.5,
        "token_id": 1,
        "token": "a",
        "top_logprobs": [{"logprob": -1.0, "token_id": 2, "token": "b"}, "odd"],
    }
    assert read_token(Token("a"), []) == {"token": "a", "top_logprobs": []}
