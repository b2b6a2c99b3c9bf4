"""`python -m raglab …` is `raglab …`."""

from raglab.cli import main

if __name__ == "__main__":
    main()
