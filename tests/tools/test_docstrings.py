from __future__ import annotations

import pytest

from streamkit.tools.docstrings import parse_docstring

GOOGLE = """Find flights.

    Only direct ones, with prices.

    Args:
        origin: Where it starts,
            as an IATA code.
        day (date, optional): The day.
        limit (tuple(int, int)):
            How many: at least, at most.
        *rest: Anything else.

    Returns:
        A list: of flights.

    Example:
        find("OSL")
    """

NUMPY = """Find flights.

    Parameters
    ----------
    origin : str
        Where it starts,
        as an IATA code.
    day, until : date, optional
        The days.
    limit
        How many.

    Returns
    -------
    list
        Flights.
    """

SPHINX = """Find flights.

    :param origin: Where it starts,
        as an IATA code.
    :param date day: The day.
    :type day: date
    :keyword limit: How many.
    :returns: Flights.
    :raises ValueError: on a bad code.

    A closing remark.
    """

# name, docstring, description, parameters
CASES = [
    ("none", None, "", {}),
    ("empty", "", "", {}),
    ("prose only", "Find flights.\n\n  Only direct ones.", "Find flights.\n\nOnly direct ones.", {}),
    (
        "google",
        GOOGLE,
        "Find flights.\n\nOnly direct ones, with prices.",
        {
            "origin": "Where it starts, as an IATA code.",
            "day": "The day.",
            "limit": "How many: at least, at most.",
            "rest": "Anything else.",
        },
    ),
    (
        "numpy",
        NUMPY,
        "Find flights.",
        {"origin": "Where it starts, as an IATA code.", "day": "The days.", "until": "The days.", "limit": "How many."},
    ),
    (
        "sphinx",
        SPHINX,
        "Find flights.",
        {"origin": "Where it starts, as an IATA code.", "day": "The day.", "limit": "How many."},
    ),
    ("colons in prose are no section", "Note this: a.\nAlso:\nb.", "Note this: a.\nAlso:\nb.", {}),
    ("a heading needs an indented body", "Args:\nnot a section", "Args:\nnot a section", {}),
    ("an entry without text says nothing", "F.\n\nArgs:\n    a:\n    b: B.", "F.", {"b": "B."}),
    ("text before the first entry", "F.\n\nArgs:\n    as usual\n    b: B.", "F.", {"b": "B."}),
    ("section first", "\n    Args:\n        a: A.", "", {"a": "A."}),
    ("prose after a section is no description", "F.\n\nArgs:\n    a: A.\n\nMore.", "F.", {"a": "A."}),
    ("a type with a colon inside", "F.\n\nArgs:\n    a (dict[str: int]): A.", "F.", {"a": "A."}),
    ("two sections", "F.\n\nArgs:\n    a: A.\n\nKeyword Args:\n    b: B.", "F.", {"a": "A.", "b": "B."}),
]


@pytest.mark.parametrize(("doc", "description", "parameters"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_docstring_is_read(doc: str | None, description: str, parameters: dict[str, str]) -> None:
    found = parse_docstring(doc)
    assert found.description == description
    assert found.parameters == parameters
