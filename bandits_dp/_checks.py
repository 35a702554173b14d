"""Argument checks: an error names the argument, the value it got and the allowed values.

A number is a `numbers.Real` other than a bool. An array holds such numbers, in any numpy type for
them; masked, complex, text and date entries are refused. Arrays are copied, so the caller may
change its own afterwards.
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

from bandits_dp._types import Floats

CALIBRATIONS = ("certified", "theorem", "experiment")
# sizes of a finite number other than 0: squares and ratios stay finite
SMALLEST, LARGEST = 1e-300, 1e100
LEAST_NORM = 1e-150  # of a vector; its square is not 0
SLACK = 1e-9  # relative tolerance for norms that a caller computed in floating point
MOST_WHOLE = 10**30  # of an integer
MOST_USERS = 10**12  # of one batch: counts stay exact as floats
# of an array whose size an argument sets: 160 MB, and some functions need several
MOST_ENTRIES = 20_000_000
F = TypeVar("F", bound=Callable[..., Any])


class OutOfRange(ValueError):
    """An argument is out of range; ``name`` is its name in the function that checked it."""

    name = ""


def out_of_range(name: str, text: str) -> OutOfRange:
    """Build the error for an out-of-range argument."""
    error = OutOfRange(f"{name} must {text}")
    error.name = name
    return error


def told(value: object) -> str:
    """Format a value for an error message: at most 500 characters; never raises."""
    try:
        words = repr(value)
    except Exception:  # an integer with too many digits, or a caller's class
        words = f"a {type(value).__name__} that cannot be shown"
    return words if len(words) <= 500 else f"{words[:450]}... ({len(words):,} characters)"


def exact(number: float) -> str:
    """Format a float with six digits if they are exact, else with all: no two floats look alike."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(float(number))


def is_number(value: object, kind: type = Real) -> bool:
    """Whether a value is a number of this kind; bools and numpy time spans are not."""
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
    """Return a valid failure mass delta in (0, 1), or in [0, 1) if ``zero``."""
    return real("delta", value, 0.0, 1.0, ends="[)" if zero else "()")


positive = functools.partial(real, low=0.0, high=math.inf)
finite = functools.partial(real, low=-math.inf, high=math.inf)
length = functools.partial(real, low=LEAST_NORM, high=LARGEST, ends="[]")
nonnegative = functools.partial(real, low=0.0, high=math.inf, ends="[)")
chance = functools.partial(real, low=0.0, high=1.0)  # a probability that is neither 0 nor 1
mass = functools.partial(real, low=0.0, high=1.0, ends="[)")  # a delta that may be 0
share = functools.partial(real, low=0.0, high=1.0, ends="(]")


def interval(name: str, pair: Any) -> tuple[float, float]:
    """Return the ends (low, high) of an interval; they may be infinite."""
    if (not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(map(is_number, pair))
            or not pair[0] < pair[1]):
        raise ValueError(f"{name} must be a pair (low, high) of numbers, low < high, got "
                         f"{told(pair)}")
    return as_float(pair[0]), as_float(pair[1])


def integer(name: str, value: object, low: int = 1, high: int = MOST_WHOLE) -> int:
    """Return an integer in [``low``, ``high``]; floats are refused, whole ones too."""
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
    """Accept anything: the explicit rule for an argument that the function checks itself."""
    return value


def flag(name: str, value: object) -> bool:
    """Return a bool; refuse anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {told(value)}")
    return bool(value)


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """Return ``value`` if it is one of the ``allowed`` words."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got "
                         f"{told(value)}")
    return value


calibration = functools.partial(choice, allowed=CALIBRATIONS)


def words(name: str, value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {told(value)}")
    return value


def one_of(name: str, value: Any, kind: Any, allowed: str) -> Any:
    """Return ``value`` if it is an instance of ``kind``, a type or a union of types."""
    if not isinstance(value, kind) or isinstance(value, type):
        raise TypeError(f"{name} must be {allowed}, got {told(value)}")
    return value


def called(name: str, value: F) -> F:
    """Return ``value`` if it is callable."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {told(value)}")
    return value


def answer(name: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a user's function; re-raise its TypeErrors and ValueErrors with the function's name."""
    try:
        return function(*args, **named)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name} must be a function that accepts these arguments, but it says: "
                   f"{error}") from error


def numbers(name: str, value: Any, allowed: str | Callable[[], str]) -> Floats:
    """Return real numbers as a new array of floats, of any shape; NaN and infinities pass."""
    def wrong() -> str:  # only on failure: formatting takes longer than the check
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
                warnings.simplefilter("error")  # such as the one for a masked entry
                given = np.asarray(value)
        if given.dtype.kind == "O":
            if not all(isinstance(one, (np.bool_, bool)) or is_number(one) for one in given.flat):
                raise ValueError(wrong())
            return np.array([as_float(one) for one in given.flat]).reshape(given.shape)
        if given.dtype.kind not in "biuf":
            raise ValueError(wrong())
        with np.errstate(over="ignore"):  # a long double may become infinite
            return np.array(given, dtype=np.float64)
    except (TypeError, ValueError, AttributeError, Warning) as error:
        raise ValueError(wrong()) from error


def usable(array: Floats) -> NDArray[np.bool_]:
    """Return which numbers are at most LARGEST in size, so that their squares are finite."""
    return np.abs(array) <= LARGEST


def room(name: str, entries: float, most: int = MOST_ENTRIES) -> None:
    """Raise a ValueError if an argument asks for an array of more than ``most`` numbers."""
    if entries > most:
        raise out_of_range(name, f"ask for at most {most:,} numbers at once, got {entries:,.0f}")


def computable(function: F) -> F:
    """Turn a function's numerical errors into ValueErrors about its own arguments (decorator).

    Overflow, division by zero, undefined operations, NaN in the answer, and an out-of-range number
    inside the function become a ValueError that lists the arguments. An infinite answer passes.
    """
    known = inspect.signature(function)

    @functools.wraps(function)
    def speaking(*args: Any, **kwargs: Any) -> Any:
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                answer = function(*args, **kwargs)
            if any(isinstance(one, float) and math.isnan(one)
                   for one in (answer if isinstance(answer, tuple) else (answer,))):
                raise ArithmeticError("the answer is not a number")
            return answer
        except (ArithmeticError, OutOfRange) as error:
            if (isinstance(error, OutOfRange)
                    and set(error.name.split(" and ")) <= set(known.parameters)):
                raise  # about this function's own arguments
            given = known.bind(*args, **kwargs).arguments
            listed = ", ".join(f"{name} = {told(value)}"
                               if isinstance(value, (str, bool)) or is_number(value) else name
                               for name, value in given.items() if name != "self")
            raise ValueError(f"{listed} must be such that the result is computable, but "
                             f"{error}") from error

    return speaking  # type: ignore[return-value]


# the rule for an argument of this name, in every function
RULES: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("appearances", "arms", "batches", "clients", "decisions", "dimension", "every",
                     "horizon", "levels", "max_shift", "releases", "shift", "users"),
                    integer),
    **dict.fromkeys(("change", "epsilon", "l2_shift", "least_std", "local_epsilon", "noise_std",
                     "regularizer", "reward_std", "rho", "ridge", "scale", "sensitivity",
                     "variance"), positive),
    **dict.fromkeys(("feature_norm", "norm", "theta_norm"), length),
    **dict.fromkeys(("clip", "fixed", "strict", "whole"), flag),
    **dict.fromkeys(("delta", "failure", "p", "slack"), chance),
    **dict.fromkeys(("record", "trials"), natural),
    # objects and arrays that the functions check themselves
    **dict.fromkeys(("actions", "counter", "domain", "features", "law", "pool", "reward_range",
                     "rewards", "rounds", "scales", "shifts", "theta"), unchecked),
    "bound": functools.partial(choice, allowed=("numerical", "closed-form")),
    "calibration": calibration,
    "client_std": nonnegative,
    "honest_fraction": share,
    "noise": functools.partial(choice, allowed=("gaussian", "laplace")),
}


def checked(**special: Callable[[str, Any], Any]) -> Callable[[F], F]:
    """Check the arguments of a function or constructor by name (decorator).

    ``special`` overrides rules of ``RULES``. None is accepted where it is the default. An argument
    without a rule, or a rule without an argument, raises a TypeError at definition. The function
    becomes :func:`computable`, too.
    """
    def decorate(function: Any) -> Any:
        if isinstance(function, type):
            setattr(function, "__init__",  # noqa: B010  # mypy allows no assignment
                    decorate(vars(function)["__init__"]))
            return function
        parameters = inspect.signature(function).parameters
        rules = {"self": unchecked, **RULES, **special}
        if odd := {*parameters} - {*rules} | {*special} - {*parameters}:
            raise TypeError(f"{function.__qualname__} must have a rule for each of its arguments, "
                            f"and no other: see {sorted(odd)}")

        def check(name: str, value: Any) -> Any:
            known = name in parameters and not (value is None and parameters[name].default is None)
            return rules[name](name, value) if known else value

        @functools.wraps(function)
        def checking(*args: Any, **kwargs: Any) -> Any:
            known = map(check, parameters, args)
            return function(*known, *args[len(parameters):],
                            **{name: check(name, value) for name, value in kwargs.items()})

        return computable(checking)

    return decorate


def generator(rng: object) -> np.random.Generator:
    """Return ``rng`` if it is a numpy Generator; refuse seeds and the global state."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError("rng must be a numpy.random.Generator (numpy.random.default_rng(seed)), "
                         f"got {told(rng)}")
    return rng
