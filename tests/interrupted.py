"""Ctrl-C, wherever one wants it."""

import copy
import itertools
import linecache
import sys

PURE = ("designs.py", "fixed_point.py", "_checks.py", "exact_counts.py")  # change nothing, and run through many lines


class Interrupted:
    """Raise KeyboardInterrupt at the n-th line that the package executes, but for pure functions; as a context, until then.

    Python looks for no signal where a ``with`` begins and ends, so none comes there. ``also`` is a file of the standard library
    whose lines count, too. Whoever traced before, such as a measurement of coverage, goes on afterwards.
    """

    def __init__(self, line, also=None):
        self.left, self.also = line, also

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self.call)

    def __exit__(self, *_):
        sys.settrace(self.before)

    def call(self, frame, event, _):
        file = frame.f_code.co_filename
        ours = "bandits_dp" in file or "bandits_book" in file
        return self.line if (ours and not file.endswith(PURE)) or file == self.also else None

    def line(self, frame, event, _):
        if event == "line" and not linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip().startswith("with "):
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self.line


def at_every_line(learner, verb, also=None):
    """Interrupt a verb at one line after the other; yield the learners, and last the one that was not interrupted.

    No lock stays held, which this thread would not notice, and others would.
    """
    for line in itertools.count(1):
        one = copy.deepcopy(learner)
        try:
            with Interrupted(line, also):
                verb(one)
        except KeyboardInterrupt:
            assert not one.lock._is_owned() and not one.writing.lock._is_owned(), line
            yield one
        else:
            assert line > 20
            yield one
            return
