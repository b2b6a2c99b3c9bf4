"""`python -m raglab …` is `raglab …`."""

from raglab.shell.cli import main

if __name__ == "__main__":
    main()
