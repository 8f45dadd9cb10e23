"""`python -m isarstep`."""

from isarstep.cli import main

main()
