"""Conversations, runs and tools in the forms of other systems, and back.

`content_items`, `foundation` and `agentcore` each name in their docstring what is lost on the way.
"""
