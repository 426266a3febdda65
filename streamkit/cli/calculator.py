"""The tool of `streamkit demo`: a calculator that really computes, with exact integers of any size."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from streamkit.errors import ToolError
from streamkit.tools import tool

__all__ = ["calculate"]

_OPERATORS: dict[type[ast.AST], Callable[..., int | float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
# So that an expression cannot fill the memory: the longest one, and the largest integer by its bits.
MAX_LENGTH = 1000
MAX_BITS = 10_000


@tool
def calculate(expression: str) -> int | float:
    """Calculate an arithmetic expression such as (2 + 3) * 4 ** 2.

    Args:
        expression: Numbers, parentheses and the operators + - * / // % **.
    """
    if len(expression) > MAX_LENGTH:
        raise ToolError(f"the expression is longer than {MAX_LENGTH} characters")
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ArithmeticError, RecursionError) as error:
        raise ToolError(f"{expression!r} cannot be calculated: {error}") from None


def _value(node: ast.expr) -> int | float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            a, b = _value(left), _value(right)
            _check_size(op, a, b)
            return _OPERATORS[type(op)](a, b)
    raise ToolError(f"{ast.unparse(node)!r} is not arithmetic: numbers, parentheses and + - * / // % ** are")


def _check_size(op: ast.operator, a: int | float, b: int | float) -> None:
    if isinstance(op, ast.Pow) and isinstance(a, int) and isinstance(b, int) and a.bit_length() * abs(b) > MAX_BITS:
        raise ToolError(f"{a} ** {b} is too large: the result would have more than {MAX_BITS} bits")
