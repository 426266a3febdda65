"""`python -m streamkit` is `streamkit`."""

from streamkit.cli import main

main()
