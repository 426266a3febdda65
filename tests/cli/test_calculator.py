import pytest

from streamkit.cli.calculator import calculate
from streamkit.errors import ToolError

SUMS = [
    ("366 * 24 * 60 * 60", 31622400),
    ("2 ** 63", 9223372036854775808),
    (" (2 + 3) * -4 ", -20),
    ("7 / 2", 3.5),
    ("7 // 2 + 7 % 2", 4),
    ("+1.5e3", 1500.0),
    ("2 ** -1", 0.5),
]

REFUSED = [
    ("__import__('os').system('x')", "is not arithmetic"),
    ("True + 1", "is not arithmetic"),
    ("'a' * 9", "is not arithmetic"),
    ("a", "is not arithmetic"),
    ("1 if 1 else 2", "is not arithmetic"),
    ("1 +", "cannot be calculated"),
    ("1 / 0", "cannot be calculated"),
    ("9 ** 9 ** 9", "too large"),
    ("1" + " + 1" * 500, "longer than"),
    ("", "cannot be calculated"),
]


@pytest.mark.parametrize(("expression", "value"), SUMS)
def test_arithmetic_is_calculated_exactly(expression, value):
    result = calculate(expression)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(("expression", "said"), REFUSED)
def test_what_is_no_arithmetic_is_refused_with_a_reason(expression, said):
    with pytest.raises(ToolError, match=said):
        calculate(expression)


def test_the_model_is_told_how_to_call_it():
    assert calculate.spec.name == "calculate"
    assert calculate.spec.parameters["required"] == ["expression"]
    assert "parentheses" in calculate.spec.parameters["properties"]["expression"]["description"]
