"""Print what is wrong with the prose: ``python -m tests.prose``; 1 if anything is."""

import sys

from tests.prose.handbook import find_faults
from tests.prose.sentences import find_long_sentences
from tests.prose.spelling import find_misspellings


def main() -> int:
    faults = [*find_long_sentences(), *find_faults(), *find_misspellings()]
    print("\n".join(faults) if faults else "The prose is fine.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
