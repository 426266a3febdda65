"""`python -m streamkit.cli` is `streamkit`."""

from streamkit.cli import main

main()
