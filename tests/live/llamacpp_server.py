"""A llama.cpp server with any settings: `python llamacpp_server.py MODEL.gguf '{"port": 8080, "n_ctx": 2048}'`.

The settings are attributes of `xllamacpp.CommonParams`. It logs to standard error and ends when its standard input
does.
"""

import json
import os
import sys

import xllamacpp


def main(model, settings):
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"smollm2"}
    params.cpuparams.n_threads = 1  # more threads than free cores slow it down
    for name, value in settings.items():
        setattr(params, name, value)
    server = xllamacpp.Server(params)  # listens at once, and returns when the model is loaded
    sys.stdin.read()
    os._exit(0 if server else 1)  # without waiting for requests that are under way


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
