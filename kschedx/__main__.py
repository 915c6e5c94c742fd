"""`python -m kschedx` is `kschedx`."""

from kschedx.cli.main import main

if __name__ == "__main__":
    main()
