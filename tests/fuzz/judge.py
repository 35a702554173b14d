"""What a call may do: answer with finite numbers that are its own, or refuse and name an argument that was given wrong."""

from __future__ import annotations

import re
import signal
import warnings
from collections.abc import Iterator
from numbers import Real
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from bandits_dp._checks import as_float
from tests.fuzz.targets import INFINITE, PROBABILITY, Target
from tests.fuzz.values import made

SECONDS = 10.0  # of the processor that a call may take
ROOM = 25_000_000  # numbers up to which an answer is copied and compared
DEPTH = 5


class TooLong(BaseException):
    """Raised by the clock; no `except Exception` of the package may swallow it."""


class Violation(NamedTuple):
    """A call that did what no call may do."""

    target: str
    what: str
    call: str


def numbers(thing: Any, depth: int = DEPTH, private: bool = True) -> Iterator[Any]:
    """Yield the numbers and arrays that an answer holds."""
    if depth == 0 or isinstance(thing, (type, FunctionType, ModuleType, np.random.Generator)):
        return
    if isinstance(thing, (complex, np.generic, np.ndarray)):
        yield thing
    elif isinstance(thing, Real):
        yield as_float(thing)
    elif isinstance(thing, dict):
        for value in thing.values():
            yield from numbers(value, depth - 1, private)
    elif isinstance(thing, (list, tuple, frozenset)):
        for value in thing:
            yield from numbers(value, depth - 1, private)
    elif type(thing).__module__.startswith("bandits_dp"):
        for name, value in vars(thing).items() if hasattr(thing, "__dict__") else ():
            if private or not name.startswith("_"):
                yield from numbers(value, depth - 1, private)


def held(thing: Any) -> list[Any]:
    """Return copies of the numbers that an answer holds."""
    return [np.array(one) for one in numbers(thing)]


def same(one: list[Any], other: list[Any], exact: bool = True) -> bool:
    """Whether two answers hold the same numbers, NaN included."""
    close = np.array_equal if exact else np.allclose
    return len(one) == len(other) and all(
        a.shape == b.shape and (a.dtype.kind == "O" or close(a, b, equal_nan=a.dtype.kind == b.dtype.kind == "f"))
        for a, b in zip(one, other, strict=True))


def spoil(thing: Any) -> bool:
    """Change an argument as its owner may after the call, and say whether that was possible."""
    try:
        if isinstance(thing, np.ndarray) and thing is not np.ma.masked and thing.size and thing.dtype.kind in "fiu":
            thing[...] = thing + thing.dtype.type(1)
            return True
        if isinstance(thing, list) and thing and not isinstance(thing[0], (list, tuple)):
            thing[0] = 0.125
            return True
        if type(thing).__name__ in ("Series", "DataFrame") and thing.size:
            thing.iloc[:] = 0
            return True
    except Exception:  # read-only, or of another kind
        return False
    return False


def answered(target: Target, answer: Any) -> str:
    """Say what is wrong with an answer, if anything."""
    for one in numbers(answer, private=False):
        array = np.asarray(one)
        if array.dtype.kind == "c" or (array.dtype.kind == "f" and np.isnan(array).any()):
            return f"answers {one!r}"
        if array.dtype.kind == "f" and isinstance(answer, (float, tuple, np.ndarray)) and target.name not in INFINITE and (
                np.isinf(array).any()):
            return f"answers {one!r}"
        if target.name in PROBABILITY and not ((array >= 0) & (array <= 1)).all():
            return f"answers {one!r}, which is no probability"
    return ""


def expire(*_: Any) -> None:
    """End a call that takes too long."""
    raise TooLong


def judged(target: Target, changed: dict[str, tuple[str, str]], expected: list[Any] | None, clock: bool = True) -> str:
    """Make a call and say what is wrong, if anything.

    ``changed`` gives, for the arguments that are not the valid ones, text and status; ``expected`` is what the valid call holds.
    """
    given = {name: made(changed[name][0] if name in changed else text) for name, text in target.arguments.items()}
    before = {name: np.array(value) for name, value in given.items() if isinstance(value, np.ndarray) and value is not np.ma.masked}
    function = made(target.callee)
    wrong = [name for name, (_, status) in changed.items() if status == "wrong"]
    if clock:
        signal.signal(signal.SIGPROF, expire)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            answer = function(**given)
            text = repr(answer)  # which must work, too
    except TooLong:
        return f"takes more than {SECONDS:g} s"
    except (ValueError, TypeError) as error:
        if not changed:
            return f"refuses a valid call: {error}"
        if all(status == "same" for _, status in changed.values()):
            return f"refuses a valid call in another form: {error}"
        if not any(re.search(rf"\b{name}\b", str(error)) for name in changed):
            return f"{type(error).__name__} that names none of {', '.join(changed)}: {str(error)[:200]!r}"
        return changed_by(given, before)
    except MemoryError:
        return "takes more than 1 GB"
    except Exception as error:  # anything else is what is looked for
        return f"{type(error).__name__}: {str(error)[:200]!r}"
    finally:
        if clock:
            signal.setitimer(signal.ITIMER_PROF, 0)
    if wrong:
        return f"accepts {' and '.join(wrong)}: {text[:100]}"
    fault = answered(target, answer) or changed_by(given, before)
    if fault or sum(np.size(one) for one in numbers(answer)) > ROOM:
        return fault
    own = held(answer)
    if expected is not None and all(status == "same" for _, status in changed.values()) and not same(own, expected, exact=False):
        return "gives another answer for the same numbers in another form"
    spoiled = [spoil(value) for value in given.values()]
    if any(spoiled) and not same(own, held(answer)):
        return "shares memory with an argument"
    return ""


def changed_by(given: dict[str, Any], before: dict[str, Any]) -> str:
    """Say which argument array a call has changed, if any."""
    for name, array in before.items():  # its buffer, to the bit
        if array.dtype.kind != "O" and (given[name].shape != array.shape or np.array(given[name]).tobytes() != array.tobytes()):
            return f"changes the array {name}"
    return ""


