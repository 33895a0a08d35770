"""`python -m graphnb` is the command `graphnb`."""

import sys

from graphnb.cli import main

if __name__ == "__main__":
    sys.exit(main())
