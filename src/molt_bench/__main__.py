"""The program where it is not on the PATH, as in many notebooks: `python -m molt_bench`."""

from molt_bench.cli import main

if __name__ == "__main__":
    main()
