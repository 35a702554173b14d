"""What stands between a submission and the machine: limits, refused acts, and names that tests rely on.

This is no sandbox. It stops accidents and ordinary tricks of Python code; who means harm finds a way around it.
"""

import builtins
import contextlib
import os
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
# Audit events that change files, and which of their arguments are paths; the last ones may be descriptors of folders.
CHANGES = {
    "os.remove": (0,), "os.rmdir": (0,), "os.mkdir": (0,), "os.rename": (0, 1), "os.link": (0, 1), "os.symlink": (1,),
    "os.truncate": (0,), "os.chmod": (0,), "os.chown": (0,), "os.utime": (0,), "os.setxattr": (0,), "os.removexattr": (0,),
    "shutil.rmtree": (0,), "shutil.move": (0, 1), "shutil.chown": (0,),
}  # fmt: skip
LOOKS = {"os.listdir", "os.scandir"}
# Other programs would not be bound by these rules; and nothing that is graded needs a network.
REFUSED = {
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.startfile", "pty.spawn",
    "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
}  # fmt: skip
KILLS = {"os.kill", "os.killpg"}
HARMLESS = {os.devnull}
# Packages whose functions the tests and the grader use, apart from builtins.
RELIED_ON = ("math", "itertools", "functools", "json", "numpy", "scipy", "bandits_dp", "bandits_book")
DEEPEST = 1000  # characters in the path of a folder: what is nested more deeply can hardly be removed
MEGABYTE = 1 << 20


def limit(megabytes: int, seconds: int) -> None:
    """Bound memory, processor time and the size of a file, where the system can."""
    used = 0
    with contextlib.suppress(OSError):  # what the package and its libraries have reserved already
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    wanted = {"RLIMIT_AS": used + megabytes * MEGABYTE, "RLIMIT_CPU": seconds, "RLIMIT_FSIZE": 64 * MEGABYTE, "RLIMIT_CORE": 0}
    for name, value in wanted.items():
        with contextlib.suppress(ValueError, OSError, AttributeError):  # macOS has no such limit of memory
            resource.setrlimit(getattr(resource, name), (value, value))


def refuse(writable: Path, private: Sequence[str], tell: Callable[[str], None]) -> None:
    """From now on refuse what changes files outside `writable`, looks into `private` folders, or starts programs."""
    realpath, decode = os.path.realpath, os.fsdecode  # a submission may replace them
    ours, hidden = os.path.realpath(writable), tuple(os.path.realpath(path) for path in private)

    def within(path: str, folders: tuple[str, ...]) -> bool:
        return any(path == folder or path.startswith(folder + os.sep) for folder in folders)

    def no(what: str) -> None:
        tell(what[:200])
        raise PermissionError(f"while grading, this is refused: {what}")

    def place(path: Any, arguments: tuple[Any, ...]) -> str:
        """Resolve a path, relative to the descriptor of a folder if one came along."""
        name = decode(path)
        folders = [value for value in arguments[1:] if isinstance(value, int) and value > 2]
        if folders and not os.path.isabs(name):
            try:
                name = os.path.join(os.readlink(f"/proc/self/fd/{folders[-1]}"), name)
            except OSError:
                no(f"changing {name!r} in another folder")
        return realpath(name)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, flags = arguments[0], arguments[2]
            if not isinstance(path, (str, bytes)):
                return
            where = realpath(decode(path))
            outside = not within(where, (ours,))
            if isinstance(flags, int) and flags & WRITING and where not in HARMLESS and outside:
                no(f"writing {decode(path)}")
            # What is opened relative to a folder's descriptor is not told as such.
            if within(where, hidden) or (arguments[1] is None and outside and os.path.isdir(where)):
                no(f"reading {decode(path)}")
        elif event == "sqlite3.connect":
            name = decode(arguments[0])
            if name != ":memory:" and (name.startswith("file:") or not within(realpath(name), (ours,))):
                no(f"writing {name}")
        elif event in CHANGES:
            for index in CHANGES[event]:
                path = arguments[index]
                if isinstance(path, (str, bytes, os.PathLike)):
                    folders = () if event.startswith("os.ch") or event in ("os.truncate", "os.setxattr") else arguments
                    where = place(path, arguments[1:] if event == "os.mkdir" else folders)  # its second argument is a mode
                    if not within(where, (ours,)) or (event == "os.mkdir" and len(where) > DEEPEST):
                        no(f"changing {decode(path)}")
        elif event in LOOKS:
            path = arguments[0]
            if isinstance(path, (str, bytes)) and within(realpath(decode(path)), hidden):
                no(f"reading {decode(path)}")
        elif event in REFUSED or (event in KILLS and arguments[0] not in (0, os.getpid())):
            no(event)

    with contextlib.suppress(ImportError):  # the one way to start a program that no hook is told of
        import _posixsubprocess

        _posixsubprocess.fork_exec = lambda *_: no("starting a program")
    sys.addaudithook(hook)


class Names:
    """What the given cells and the libraries defined, kept while a submission runs, and put back before each test."""

    def __init__(self) -> None:
        """Keep the functions of the libraries that are loaded now, and those of their classes and distributions."""
        self.names: dict[str, Any] = {}
        self.builtins = functions(builtins)
        self.modules = {name: module for name, module in sys.modules.items() if name.split(".")[0] in RELIED_ON}
        modules = [module for module in self.modules.values() if isinstance(module, ModuleType)]
        values = {id(value): value for module in modules for value in vars(module).values() if theirs(value)}
        self.spaces = [(space, functions(space)) for space in (*modules, *values.values())]
        bodies = {id(value): value for _, kept in self.spaces for value in kept.values() if isinstance(value, FunctionType)}
        self.bodies = [(function, function.__code__) for function in bodies.values()]

    def put_back(self, names: dict[str, Any]) -> list[str]:
        """Undo replacements, and name them."""
        replaced = [f"builtins.{key}" for key, value in self.builtins.items() if builtins.__dict__.get(key) is not value]
        builtins.__dict__.update(self.builtins)  # first: the rest needs them
        replaced += [name for name, value in self.names.items() if names.get(name) is not value]
        names.update(self.names)
        replaced += [name for name, module in self.modules.items() if sys.modules.get(name) is not module]
        sys.modules.update(self.modules)
        for function, body in self.bodies:
            if function.__code__ is not body:
                replaced.append(function.__qualname__)
                function.__code__ = body
        for space, kept in self.spaces:
            now = vars(space)
            wrong = {key: value for key, value in kept.items() if now.get(key) is not value}
            added = [] if isinstance(space, ModuleType) else [key for key in functions(space) if key not in kept]
            for key in (*wrong, *added):
                replaced.append(f"{getattr(space, '__name__', type(space).__name__)}.{key}")
                with contextlib.suppress(TypeError, AttributeError):
                    setattr(space, key, wrong[key]) if key in wrong else delattr(space, key)
        return replaced


def theirs(value: Any) -> bool:
    """Say whether this is a class of a library, or one of scipy's distributions."""
    kind = value if isinstance(value, type) else type(value)
    if str(getattr(kind, "__module__", "")).split(".")[0] not in RELIED_ON:
        return False
    return isinstance(value, type) or (hasattr(kind, "cdf") and hasattr(value, "__dict__"))


def functions(space: Any) -> dict[str, Any]:
    """Return what can be called in a module, class or object, and a module's modules."""
    kinds = (property, staticmethod, classmethod, ModuleType)
    return {name: value for name, value in vars(space).items() if callable(value) or isinstance(value, kinds)}
