import sys

from PySide6.QtCore import QObject


def test_that_calls_which_return_nothing_do_not_use_up_the_references_of_none():
    # A binding that loses one a call ends the process after some hundred frames, on an innocent line.
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(1000):
        thing.setObjectName("a")
    assert sys.getrefcount(None) > before - 100
