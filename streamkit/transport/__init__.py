"""Requests out, responses in: the http clients, what can go wrong with them, and the tasks that watch a stream."""
