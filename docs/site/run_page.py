"""Print a page with the outputs of its commands: ``python docs/site/run_page.py docs/tutorial/author.md``."""

from __future__ import annotations

import sys
from pathlib import Path

from executed import PageError, executed

if __name__ == "__main__":
    try:
        for name in sys.argv[1:]:
            print(executed(Path(name).read_text("utf-8"), name))
    except PageError as error:
        sys.exit(str(error))
