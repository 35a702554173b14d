"""What a call may do: answer with finite numbers that are its own, or refuse and name an argument that was given wrong."""

import re
import signal
import sys
import warnings
from contextlib import contextmanager, suppress
from numbers import Real
from pathlib import Path
from types import FunctionType

import numpy as np

from bandits_dp._checks import as_float

SECONDS, MEMORY = 10.0, 1_000_000_000  # of the processor, and bytes, that a call may take
INFINITE = ("binomial_vector_epsilon", "Reals")  # may answer inf, and say so


class TooLong(BaseException):
    """Raised by the clock; no `except Exception` of the package may swallow it."""


def _expire(*_):
    raise TooLong


@contextmanager
def limited():
    """Make warnings errors, and end what takes too much time or memory, where the system can."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if sys.platform != "linux":
            yield
            return
        import resource

        pages, before = int(Path("/proc/self/statm").read_text().split()[0]), resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
        signal.signal(signal.SIGPROF, _expire)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            resource.setrlimit(resource.RLIMIT_AS, before)


def numbers(thing, depth=5, private=True):
    """Yield the numbers and arrays that something holds."""
    if isinstance(thing, (complex, np.generic, np.ndarray, Real)):
        yield as_float(thing) if isinstance(thing, Real) and not isinstance(thing, np.generic) else thing
    elif depth and not isinstance(thing, (type, FunctionType)):
        parts = thing if isinstance(thing, (list, tuple, frozenset)) else thing.values() if isinstance(thing, dict) else ()
        if type(thing).__module__.startswith(("bandits_dp", "bandits_book")) and not isinstance(thing, (tuple, dict)):
            parts = [value for name, value in getattr(thing, "__dict__", {}).items() if private or name[0] != "_"]
        for part in parts:
            yield from numbers(part, depth - 1, private)


def held(thing):
    return [np.array(one) for one in numbers(thing)]


def same(one, other, close=np.array_equal):
    return len(one) == len(other) and all(
        a.shape == b.shape and (a.dtype.kind == "O" or close(a, b, equal_nan=a.dtype.kind == b.dtype.kind == "f"))
        for a, b in zip(one, other, strict=True))


def spoil(*things):
    """Change arrays, lists and tables in place, as their owner may after a call, as far as that is possible."""
    for thing in things:
        if isinstance(thing, np.ndarray) and thing is not np.ma.masked and thing.dtype.kind in "biuf" and thing.flags.writeable:
            thing[...] = ~thing if thing.dtype.kind == "b" else thing + thing.dtype.type(1)
        elif isinstance(thing, list):
            thing[:] = [0.125] * len(thing)
        elif hasattr(thing, "iloc"):
            with suppress(TypeError):  # words
                thing.iloc[:] = 0


def judged(target, changed):
    """Make a call, with the texts and verdicts of the arguments that are not the valid ones; say what is wrong, if anything."""
    verdicts, texts = {verdict for _, verdict in changed.values()}, {name: text for name, (text, _) in changed.items()}
    given = {name: target.made(text) for name, text in (target.given | texts).items()}
    arrays = {name: np.array(one) for name, one in given.items() if isinstance(one, np.ndarray) and one is not np.ma.masked}
    function, answer, fault = target.made(target.callee), None, ""
    owner = held(getattr(function, "__self__", None))
    try:
        with limited():
            answer = function(**given)
            text = repr(answer)  # which must work, too
        if "wrong" in verdicts and "any" not in verdicts:  # one argument may be of no interest because of another
            return f"accepts what is wrong: {text[:100]}"
        finite = isinstance(answer, (float, tuple, np.ndarray)) and not target.name.endswith(INFINITE)
        for array in map(np.asarray, numbers(answer, private=False)):
            real = array.dtype.kind != "c" and not (array.dtype.kind == "f" and np.isnan(array).any())
            if not real or (finite and array.dtype.kind == "f" and np.isinf(array).any()):
                fault = f"answers {array}"
            if target.name.endswith("_delta") and not ((array >= 0) & (array <= 1)).all():
                fault = f"answers {array}, which is no probability"
    except (ValueError, TypeError) as error:
        named = changed if "wrong" in verdicts else target.valid  # two right ones may not fit each other
        if verdicts <= {"same"}:
            return f"refuses a valid call: {error}"
        if not any(re.search(rf"\b{name}\b", str(error)) for name in named):
            return f"{type(error).__name__} that names none of {', '.join(named)}: {str(error)[:200]!r}"
        if not same(owner, held(getattr(function, "__self__", None))):
            return "refuses, and changes the object that was called"
    except (Exception, TooLong) as error:  # anything else is what is looked for
        return f"{type(error).__name__}: {str(error)[:200]!r}"
    for name, array in arrays.items():
        if array.dtype.kind != "O" and (given[name].shape != array.shape or np.array(given[name]).tobytes() != array.tobytes()):
            return f"changes the array {name}"
    if fault or answer is None:
        return fault
    own = held(answer)
    if changed and verdicts == {"same"} and not same(own, held(target.made(target.text())), np.allclose):
        return "gives another answer for the same numbers in another form"
    spoil(*given.values())
    return "" if same(own, held(answer)) else "shares memory with an argument"
