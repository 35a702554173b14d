"""An algorithm's own code, to be read beside its pseudo-code."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable

from bandits_dp import _checks

FOR_TOOLS = re.compile(r"  # (noqa: \w+|type: ignore\S*)")


def source(code: type | Callable[..., object]) -> str:
    """Return the source of a class or function as it runs, without docstrings of several lines and remarks to tools.

    Parameters
    ----------
    code : class or function
        What to show, for instance ``type(learner.learner)``, the algorithm of what :func:`bandits_dp.make` returned.

    Raises
    ------
    TypeError
        If it has no Python source, or is something else.

    Examples
    --------
    >>> from bandits_book import museum, source
    >>> print(source(museum.half_the_noise))  # its docstring tells what is wrong
    def half_the_noise(data: Array, rng: np.random.Generator, runs: int, sensitivity: float) -> Array:
        return data.sum() + rng.normal(0, gaussian_noise_std(1, 1e-3, sensitivity), runs)
    """
    try:
        lines = textwrap.dedent(inspect.getsource(code)).splitlines()
    except (OSError, TypeError) as error:
        raise TypeError(f"code must be a class or a function with source in a file of Python, got {_checks.told(code)}") from error
    hidden: set[int] = set()
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            doc = node.body[0]
            if doc.end_lineno != doc.lineno:
                hidden.update(range(doc.lineno, node.body[1].lineno if len(node.body) > 1 else (doc.end_lineno or 0) + 1))
    return "\n".join(FOR_TOOLS.sub("", line) for number, line in enumerate(lines, 1) if number not in hidden)
