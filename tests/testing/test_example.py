import inspect
import textwrap

import streamkit.testing
from streamkit.agent import Agent


async def test_the_example_of_the_package_runs():
    def add(a: int, b: int) -> int:
        return a + b

    text = inspect.cleandoc(streamkit.testing.__doc__).split("\n\n")[1]
    names = {**vars(streamkit.testing), "Agent": Agent, "add": add}
    exec(f"async def example():\n{textwrap.indent(textwrap.dedent(text), '    ')}", names)
    await names["example"]()
