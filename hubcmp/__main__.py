"""`python -m hubcmp` and the console script."""

import sys


def main() -> None:
    """Run the command line."""
    from hubcmp.cli import cli

    sys.exit(cli())


if __name__ == "__main__":
    main()
