from memory_platform.retrieval.collapsing import Saying, distinct


def saying(entities: str, words: str) -> Saying:
    return Saying(frozenset(entities.split()), frozenset(words.split()))


def test_of_hits_that_say_the_same_of_the_same_entities_the_best_stays():
    best = saying("mara lisbon", "mara move lisbon march")
    again = saying("lisbon mara", "mara move lisbon")

    assert distinct([best, again]) == [0]


def test_other_words_or_other_entities_are_no_duplicate():
    moved = saying("mara lisbon", "mara move lisbon")

    assert distinct([moved, saying("mara lisbon", "mara hate lisbon rain")]) == [0, 1]
    assert distinct([moved, saying("mara", "mara move lisbon")]) == [0, 1]


def test_what_names_nobody_is_a_duplicate_of_nothing():
    assert distinct([saying("", "tea"), saying("", "tea")]) == [0, 1]
