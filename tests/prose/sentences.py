"""No sentence of the pages has more than thirty words, but for those with a reason."""

from tests.prose.pages import list_pages, read_sentences

MOST_WORDS = 30
# The beginning of a sentence, and why it may be long.
ALLOWED = {}


def find_long_sentences() -> list[str]:
    found = []
    unused = set(ALLOWED)
    for path in list_pages():
        for block, sentence in read_sentences(path):
            words = count_words(sentence)
            if words <= MOST_WORDS:
                continue
            allowed = {start for start in ALLOWED if sentence.startswith(start)}
            unused -= allowed
            if not allowed:
                found.append(f"{block.place}: {words} words: {sentence}")
    return found + [
        f"tests/prose/sentences.py: no long sentence begins so: {one}" for one in unused
    ]


def count_words(sentence: str) -> int:
    """Count what has a letter or digit: no dashes and arrows."""
    return sum(any(sign.isalnum() for sign in word) for word in sentence.split())
