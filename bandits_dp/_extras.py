"""Optional libraries: errors that say how to install a missing one."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(extra: str, purpose: str) -> Iterator[None]:
    """Context for imports: the error for a missing library names the extra that installs it.

    ``purpose`` is the subject of the sentence "... needs LIBRARY".
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = str(error.name).partition(".")[0]
        told = (f'{purpose} needs {library}, which is not installed: '
                f'pip install "bandits-dp[{extra}]"')
        raise ModuleNotFoundError(told, name=error.name) from error
