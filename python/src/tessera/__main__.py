"""`python -m tessera`: the command line."""

from tessera.engine import main

main()
