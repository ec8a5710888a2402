"""Things that differ only in the channel they name are told in one sentence, and nothing is lost."""

from hypothesis import given
from hypothesis import strategies as st

from tracescope.findings.merging import merged
from tracescope.model.check import Untold

NAMES = tuple(f"obs[{i}]" for i in range(12))


def test_that_twelve_alike_are_one_that_names_six_and_counts_the_rest():
    items = [Untold(f"the motion of {n}", f"a log beside {n}") for n in NAMES]
    (only,) = merged(items, NAMES)
    assert only.text.startswith("the motion of obs[0], obs[1]")
    assert only.text.endswith("and 6 more")
    assert only.would_need == "a log beside each of them"


def test_that_two_alike_and_others_stay_as_they_are():
    items = [
        Untold("the motion of obs[1]", "x"),
        Untold("the motion of obs[2]", "x"),
        Untold("y", "z"),
    ]
    assert merged(items, NAMES) == items


def test_that_the_longest_name_is_the_one_meant():
    items = [Untold(f"about q{i}1", "x") for i in range(3)]
    (only,) = merged(items, ["q0", "q01", "q1", "q11", "q2", "q21"])
    assert only.text == "about q01, q11, q21"


@given(st.lists(st.sampled_from([*NAMES, "", "other"]), max_size=12))
def test_that_no_text_without_a_name_is_lost(names):
    items = [Untold(f"text {n}", "need") for n in names]
    texts = [item.text for item in merged(items, NAMES)]
    assert texts.count("text ") == names.count("")
    assert texts.count("text other") == names.count("other")
