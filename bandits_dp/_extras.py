"""Libraries that only some functions need: what to install if one is missing."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(extra: str, purpose: str) -> Iterator[None]:
    """Import inside of this; a library that is missing is then told with the extra of pyproject.toml that brings it.

    ``purpose`` is what needs the library, as the subject of a sentence.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = str(error.name).partition(".")[0]
        told = f'{purpose} needs {library}, which is not installed: pip install "bandits-dp[{extra}]"'
        raise ModuleNotFoundError(told, name=error.name) from error
