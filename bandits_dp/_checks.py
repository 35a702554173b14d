"""Argument checks: every public function says which argument is wrong, what it got, and what is allowed.

A number is what Python calls real and no bool; an array holds such numbers, of any type that numpy has for them, none of them
masked, complex, a word or a date. What was given is copied, so that its owner may change it.
"""

import functools
import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

CALIBRATIONS = ("certified", "theorem", "experiment")
SMALLEST, LARGEST = 1e-300, 1e100  # sizes of a number that is not 0 or infinite: its square and its ratios can be computed with
LEAST_NORM = 1e-150  # of a vector that is measured by squares
SLACK = 1e-9  # relative room for rounding in norms that a caller computed in floating point
MOST_WHOLE = 10**30  # of an integer
MOST_USERS = 10**12  # of one batch, whose counts are whole numbers as floats, too
MOST_ENTRIES = 20_000_000  # of an array that an argument asks for: 160 MB, and a few such are needed
F = TypeVar("F", bound=Callable[..., Any])


class OutOfRange(ValueError):
    """A number is not in its range; ``name`` is that of the argument, as the function that checks it knows it."""

    name = ""


def out_of_range(name: str, text: str) -> OutOfRange:
    """Return the error about a number of that name."""
    error = OutOfRange(f"{name} must {text}")
    error.name = name
    return error


def told(value: object) -> str:
    """Return a value as an error message shows it: in a few words, and without an error of its own."""
    try:
        words = repr(value)
    except Exception:  # an integer of too many digits, or a class of the caller's own
        words = f"a {type(value).__name__} that cannot be shown"
    return words if len(words) <= 500 else f"{words[:450]}... ({len(words):,} characters)"


def exact(number: float) -> str:
    """Return a float in six digits if it is their number, else in all that it has: two floats never look alike."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(float(number))


def is_number(value: object, kind: type = Real) -> bool:
    """Whether a value is a real number (or an integer): no bool, and no time span, which numpy calls an integer."""
    return isinstance(value, kind) and not isinstance(value, (bool, np.timedelta64))


def as_float(value: Any) -> float:
    """Return a real number as a float, infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def real(name: str, value: object, low: float, high: float, *, ends: str = "()") -> float:
    """Return ``value`` as a float inside the interval from ``low`` to ``high``.

    ``ends`` gives the kind of interval: ``"()"`` open, ``"[)"`` closed on the left, and so on.
    """
    def be(more: str = "") -> str:
        return f"be a number in {ends[0]}{low:g}, {high:g}{ends[1]}{more}, got {told(value)}"

    if not is_number(value):
        raise ValueError(f"{name} must {be()}")
    number = as_float(value)
    above = number >= low if ends[0] == "[" else number > low
    below = number <= high if ends[1] == "]" else number < high
    if not (above and below):  # NaN fails both comparisons
        raise out_of_range(name, be())
    if number and not math.isinf(number) and not SMALLEST <= abs(number) <= LARGEST:
        raise out_of_range(name, be(f", and from {SMALLEST:g} to {LARGEST:g} in size"))
    return number


def epsilon(value: object) -> float:
    """Return a valid privacy parameter epsilon: finite and positive."""
    return positive("epsilon", value)


def delta(value: object, *, zero: bool = False) -> float:
    """Return a valid failure mass delta in (0, 1), or in [0, 1) where pure privacy is possible."""
    return real("delta", value, 0.0, 1.0, ends="[)" if zero else "()")


positive = functools.partial(real, low=0.0, high=math.inf)
finite = functools.partial(real, low=-math.inf, high=math.inf)
length = functools.partial(real, low=LEAST_NORM, high=LARGEST, ends="[]")
nonnegative = functools.partial(real, low=0.0, high=math.inf, ends="[)")
chance = functools.partial(real, low=0.0, high=1.0)  # a probability that is neither 0 nor 1
mass = functools.partial(real, low=0.0, high=1.0, ends="[)")  # a delta that may be 0
share = functools.partial(real, low=0.0, high=1.0, ends="(]")


def interval(name: str, pair: Any) -> tuple[float, float]:
    """Return the ends of an interval, which may be infinite."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(map(is_number, pair)) or not pair[0] < pair[1]:
        raise ValueError(f"{name} must be a pair (low, high) of numbers, low < high, got {told(pair)}")
    return as_float(pair[0]), as_float(pair[1])


def integer(name: str, value: object, low: int = 1, high: int = MOST_WHOLE) -> int:
    """Return an integer that is at least ``low`` and at most ``high``; floats are refused even when whole."""
    if not is_number(value, Integral) or int(value) < low:  # type: ignore[call-overload]
        raise out_of_range(name, f"be an integer that is at least {low}, got {told(value)}")
    whole = int(value)  # type: ignore[call-overload]
    if whole > high:
        raise out_of_range(name, f"be an integer from {low} to {high:,}, got {told(value)}")
    return whole


natural = functools.partial(integer, low=0)
at_least_two = functools.partial(integer, low=2)
crowd = functools.partial(integer, high=MOST_USERS)


def unchecked(name: str, value: Any) -> Any:
    """Accept anything: the rule for an argument that the function checks itself, and that has to be said."""
    return value


def flag(name: str, value: object) -> bool:
    """Return a bool; nothing else is taken for one."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {told(value)}")
    return bool(value)


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """Return ``value`` if it is one of the ``allowed`` words."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {told(value)}")
    return value


calibration = functools.partial(choice, allowed=CALIBRATIONS)


def words(name: str, value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {told(value)}")
    return value


def one_of(name: str, value: Any, kind: Any, allowed: str) -> Any:
    """Return ``value`` if it is an instance of a type, or of one of several."""
    if not isinstance(value, kind) or isinstance(value, type):
        raise TypeError(f"{name} must be {allowed}, got {told(value)}")
    return value


def called(name: str, value: F) -> F:
    """Return a function."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {told(value)}")
    return value


def answer(name: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a function of somebody else's; an error that it raises, of whatever cause, is told with the function's name."""
    try:
        return function(*args, **named)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name} must be a function that can be called so, but it says: {error}") from error


def numbers(name: str, value: Any, allowed: str | Callable[[], str]) -> NDArray[np.float64]:
    """Return a copy of real numbers as an array of floats of whatever shape; NaN and infinities are for the caller to judge."""
    def wrong() -> str:  # in words, which take longer than the check
        shown = told(value) if not isinstance(value, np.ndarray) or value.size < 20 else value.dtype
        return f"{name} must be {allowed if isinstance(allowed, str) else allowed()}, got {shown}"

    if type(value) is np.ndarray and value.dtype == np.float64:  # the usual case
        return np.array(value)
    if np.ma.is_masked(value):
        raise ValueError(f"{wrong()}: an entry is masked")
    try:
        if isinstance(value, np.ndarray):
            given = np.ma.getdata(value)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # as of a masked entry among others
                given = np.asarray(value)
        if given.dtype.kind == "O":
            if not all(isinstance(one, (np.bool_, bool)) or is_number(one) for one in given.flat):
                raise ValueError(wrong())
            return np.array([as_float(one) for one in given.flat]).reshape(given.shape)
        if given.dtype.kind not in "biuf":
            raise ValueError(wrong())
        with np.errstate(over="ignore"):  # of a long double, which becomes infinite
            return np.array(given, dtype=np.float64)
    except (TypeError, ValueError, AttributeError, Warning) as error:
        raise ValueError(wrong()) from error


def usable(array: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which numbers are finite, and not so large that their squares are not."""
    return np.abs(array) <= LARGEST


def room(name: str, entries: float, most: int = MOST_ENTRIES) -> None:
    """Raise a ValueError if something asks for an array of more numbers than there is room, or time, for."""
    if entries > most:
        raise out_of_range(name, f"ask for at most {most:,} numbers at once, got {entries:,.0f}")


def computable(function: F) -> F:
    """Let a function's errors be about its own arguments, where it hands other numbers on, or their size cannot be computed with.

    Overflow, division by zero, undefined operations, an answer with NaN, and a number out of range that is no argument of this
    function become a ValueError that lists what was given. Infinity is for the function to judge.
    """
    known = inspect.signature(function)

    @functools.wraps(function)
    def speaking(*args: Any, **kwargs: Any) -> Any:
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                answer = function(*args, **kwargs)
            if any(isinstance(one, float) and math.isnan(one) for one in (answer if isinstance(answer, tuple) else (answer,))):
                raise ArithmeticError("the answer is not a number")
            return answer
        except (ArithmeticError, OutOfRange) as error:
            if isinstance(error, OutOfRange) and set(error.name.split(" and ")) <= set(known.parameters):
                raise  # about this function's own arguments
            given = known.bind(*args, **kwargs).arguments
            listed = ", ".join(f"{name} = {told(value)}" if isinstance(value, (str, bool)) or is_number(value) else name
                               for name, value in given.items() if name != "self")
            raise ValueError(f"{listed} must be such that they can be computed with together, but {error}") from error

    return speaking  # type: ignore[return-value]


RULES: dict[str, Callable[[str, Any], Any]] = {  # what an argument of this name must be, whichever function has it
    **dict.fromkeys(("appearances", "arms", "batches", "clients", "decisions", "dimension", "every", "horizon", "items",
                     "levels", "max_shift", "releases", "shift", "users"), integer),
    **dict.fromkeys(("change", "epsilon", "l2_shift", "least_std", "local_epsilon", "noise_std", "regularizer", "reward_std", "rho",
                     "ridge", "scale", "sensitivity", "variance"), positive),
    **dict.fromkeys(("feature_norm", "norm", "theta_norm"), length),
    **dict.fromkeys(("clip", "fixed", "strict", "whole"), flag),
    **dict.fromkeys(("delta", "failure", "p", "slack"), chance),
    **dict.fromkeys(("record", "trials"), natural),
    **dict.fromkeys(("actions", "counter", "domain", "features", "law", "pool", "reward_range", "rewards", "rounds", "scales",
                     "shifts", "theta"), unchecked),  # objects and arrays, whose functions check them, one by another
    "bound": functools.partial(choice, allowed=("numerical", "closed-form")),
    "calibration": calibration,
    "client_std": nonnegative,
    "honest_fraction": share,
    "noise": functools.partial(choice, allowed=("gaussian", "laplace")),
}


def checked(**special: Callable[[str, Any], Any]) -> Callable[[F], F]:
    """Check the arguments of a function, or of a class's constructor, by their names, and that it is :func:`computable`.

    ``special`` has rules that take the place of those in ``RULES``. None is accepted where it is the default. An argument without a
    rule is a TypeError, as soon as the function is made; so is a rule without an argument.
    """
    def decorate(function: Any) -> Any:
        if isinstance(function, type):
            setattr(function, "__init__", decorate(vars(function)["__init__"]))  # noqa: B010  # mypy allows no assignment
            return function
        parameters = inspect.signature(function).parameters
        rules = {"self": unchecked, **RULES, **special}
        if odd := {*parameters} - {*rules} | {*special} - {*parameters}:
            raise TypeError(f"{function.__qualname__} must have a rule for each of its arguments, and no other: see {sorted(odd)}")

        def check(name: str, value: Any) -> Any:
            known = name in parameters and not (value is None and parameters[name].default is None)
            return rules[name](name, value) if known else value

        @functools.wraps(function)
        def checking(*args: Any, **kwargs: Any) -> Any:
            known = map(check, parameters, args)
            return function(*known, *args[len(parameters):], **{name: check(name, value) for name, value in kwargs.items()})

        return computable(checking)

    return decorate


def generator(rng: object) -> np.random.Generator:
    """Return ``rng`` if it is a numpy Generator; a seed or the global state will not do."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator (numpy.random.default_rng(seed)), got {told(rng)}")
    return rng
