"""The usual small changes of a program: what else could stand where an operator, a number, a condition or a call does.

A change replaces a piece of the text and keeps every line where it is. What is no behaviour stays: docstrings, annotations,
strings (so the text of errors, and ``__all__``), ``__repr__``, decorators, and imports for types.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.trees import ROOT

COMPARISONS = {
    ast.Lt: ("<", "<=", ">="), ast.LtE: ("<=", "<", ">"), ast.Gt: (">", ">=", "<="), ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"), ast.IsNot: (r"is\s+not", "is"),
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"), ast.Pow: ("**", "*"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"), ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}  # fmt: skip
PAIRS = (
    ("min", "max"), ("minimum", "maximum"), ("floor", "ceil"), ("any", "all"), ("argmin", "argmax"), ("zeros", "ones"),
    ("expm1", "exp"), ("log1p", "log"), ("fmin", "fmax"), ("amin", "amax"),
)  # fmt: skip
SWAPPED = {**dict(PAIRS), **{second: first for first, second in PAIRS if first not in ("expm1", "log1p")}}
UNWRAPPED = {
    "abs", "sqrt", "ceil", "floor", "round", "rint", "permutation", "permuted", "clip", "minimum", "maximum", "cumsum", "copy",
}  # fmt: skip
CHECKS = "_checks"  # the module whose functions check a value and return it
TEXT = {"__repr__", "__str__", "_repr_html_"}


@dataclass(frozen=True)
class Mutant:
    """One change.

    ``before`` and ``after`` are the lines that it touches, on one line; ``start`` and ``end`` say which bytes ``text`` replaces;
    the lines from ``first`` to ``last`` are those that a test must execute to see it.
    """

    file: str
    line: int
    before: str
    after: str
    start: int
    end: int
    text: str
    first: int
    last: int

    def source(self, original: bytes) -> bytes:
        """Return the file with the change."""
        return original[: self.start] + self.text.encode() + original[self.end :]


class _Finder:
    """Finds all changes of one file."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[Mutant] = []

    def begin(self, node: ast.AST) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.AST) -> int:
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.AST) -> str:
        return self.source[self.begin(node) : self.end(node)].decode()

    def add(self, start: int, end: int, text: str) -> None:
        """Keep a change if the file still compiles."""
        text += "\n" * (self.source.count(b"\n", start, end) - text.count("\n"))
        line = self.source.count(b"\n", 0, start) + 1
        last = self.source.count(b"\n", 0, end) + 1
        low, high = self.starts[line - 1], self.starts[last]
        before = " ".join(self.source[low:high].decode().split())
        after = " ".join((self.source[low:start] + text.encode() + self.source[end:high]).decode().split())
        mutant = Mutant(self.file, line, before, after, start, end, text, *self.lines)
        try:
            compile(mutant.source(self.source), self.file, "exec", dont_inherit=True)
        except SyntaxError:
            return
        if before != after:
            self.found.append(mutant)

    def replace(self, node: ast.AST, text: str) -> None:
        self.add(self.begin(node), self.end(node), text)

    def between(self, left: ast.AST, right: ast.AST, token: str, others: tuple[str, ...], *, pattern: bool = False) -> None:
        """Replace the operator that stands between two nodes."""
        start = self.end(left)
        at = re.search(token if pattern else re.escape(token), self.source[start : self.begin(right)].decode())
        for other in others if at else ():
            self.add(start + at.start(), start + at.end(), other)

    def block(self, statements: list[ast.stmt], inside: str) -> None:
        """Go through statements; ``inside`` is "function" in the body of a function, and else ""."""
        for statement in statements:
            self.statement(statement, inside)

    def statement(self, node: ast.stmt, inside: str) -> None:
        body = getattr(node, "body", None)
        last = body[0].lineno - 1 if body else node.end_lineno
        self.lines = (node.lineno, max(node.lineno, last)) if inside else (1, 10**9)
        match node:
            case ast.FunctionDef():
                if node.name in TEXT:
                    return
                self.lines = (body[0].lineno, node.end_lineno)
                self.defaults(node.args)
                self.block(body, "function")
            case ast.ClassDef():
                self.block(body, "")
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Global() | ast.Nonlocal() | ast.Assert():
                return
            case ast.Expr(value=ast.Constant()):
                return
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                return
            case ast.Raise():
                if inside and node.exc is not None:
                    self.replace(node, "pass")
            case ast.If() | ast.While():
                self.condition(node.test)
                self.block(body, inside)
                self.block(node.orelse, inside)
            case ast.For() | ast.With():
                for part in [node.iter] if isinstance(node, ast.For) else [item.context_expr for item in node.items]:
                    self.expression(part)
                self.block(body, inside)
                self.block(getattr(node, "orelse", []), inside)
            case ast.Try():
                for part in (body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody):
                    self.block(part, inside)
            case ast.Match():
                for case in node.cases:
                    self.block(case.body, inside)
            case _:
                self.simple(node, inside)

    def simple(self, node: ast.stmt, inside: str) -> None:
        """Find the changes of a statement without a body."""
        match node:
            case ast.Expr(value=ast.Call()):
                self.replace(node, "pass")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]) if inside:
                self.replace(node, "pass")
            case ast.AugAssign():
                for kind, (token, *others) in ARITHMETIC.items():
                    if isinstance(node.op, kind):
                        self.between(node.target, node.value, token + "=", tuple(other + "=" for other in others))
                self.replace(node, "pass")
            case ast.Return() if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
                self.replace(node.value, "None")
            case ast.Break():
                self.replace(node, "continue")
            case ast.Continue():
                self.replace(node, "break")
        for part in ast.iter_child_nodes(node):
            if part is not getattr(node, "annotation", None) and isinstance(part, ast.expr):
                self.expression(part)

    def defaults(self, arguments: ast.arguments) -> None:
        """Drop defaults, and change them."""
        positional = arguments.posonlyargs + arguments.args
        offered = list(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True))
        for argument, value in offered[:1] + list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)):
            if value is not None:
                self.add(self.end(argument), self.end(value), "")
        for value in (*arguments.defaults, *arguments.kw_defaults):
            if value is not None:
                self.expression(value)

    def condition(self, node: ast.expr) -> None:
        """Negate a condition, and go through it."""
        self.replace(node, f"(not ({self.of(node)}))")
        self.expression(node)

    def expression(self, node: ast.expr) -> None:
        """Find the changes of an expression and of all its parts."""
        match node:
            case ast.JoinedStr() | ast.FormattedValue():
                return
            case ast.Lambda():
                self.defaults(node.args)
            case ast.Constant():
                self.constant(node)
            case ast.Compare():
                for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                    token, *others = COMPARISONS[type(operator)]
                    self.between(left, right, token, tuple(others), pattern=True)
            case ast.BoolOp():
                token, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in zip(node.values, node.values[1:], strict=False):
                    self.between(left, right, token, (other,))
            case ast.BinOp() if type(node.op) in ARITHMETIC and not isinstance(node.left, ast.JoinedStr):
                token, *others = ARITHMETIC[type(node.op)]
                self.between(node.left, node.right, token, tuple(others))
            case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
                self.replace(node, f"({self.of(node.operand)})")
            case ast.IfExp():
                self.replace(node.test, f"(not ({self.of(node.test)}))")
            case ast.Call(func=ast.Name(id="zip")):  # its ``strict`` guards what never happens
                for part in node.args:
                    self.expression(part)
                return
            case ast.Call():
                self.call(node)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.comprehension):
                self.expression(part.iter)
                for test in part.ifs:
                    self.condition(test)
            elif isinstance(part, ast.keyword):
                self.expression(part.value)
            elif isinstance(part, ast.expr):
                self.expression(part)

    def constant(self, node: ast.Constant) -> None:
        """Change a number or a truth value."""
        value = node.value
        if isinstance(value, bool):
            self.replace(node, str(not value))
        elif isinstance(value, int):
            self.replace(node, str(value + 1))
            self.replace(node, str(value - 1) if value else "(-1)")
        elif isinstance(value, float):
            factor = 2.0 if value >= 1e-3 else 1000.0  # smaller ones are tolerances
            for other in (1.0,) if value == 0 else (value * factor, value / factor):
                self.replace(node, repr(other))

    def call(self, node: ast.Call) -> None:
        """Swap a function, skip it, or drop an argument that has a name."""
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in SWAPPED:
            self.add(self.end(node.func) - len(name), self.end(node.func), SWAPPED[name])
        module = node.func.value if isinstance(node.func, ast.Attribute) else None
        values = [value for value in node.args if not isinstance(value, (ast.Starred, ast.JoinedStr))]
        if isinstance(module, ast.Name) and module.id == CHECKS:
            values = [value for value in values if not (isinstance(value, ast.Constant) and isinstance(value.value, str))]
        elif name not in UNWRAPPED:
            values = []
        if values:
            self.replace(node, f"({self.of(values[0])})")
        arguments = sorted([*node.args, *node.keywords], key=self.begin)
        for number, argument in enumerate(arguments):
            if isinstance(argument, ast.keyword) and argument.arg is not None:
                if number:
                    self.add(self.end(arguments[number - 1]), self.end(argument), "")
                else:
                    end = self.begin(arguments[1]) if len(arguments) > 1 else self.end(argument)
                    self.add(self.begin(argument), end, "")


def mutants_of(file: str) -> list[Mutant]:
    """Return all changes of a file of the repository, in the order of their places."""
    source = (ROOT / file).read_bytes()
    finder = _Finder(file, source)
    finder.block(ast.parse(source).body, "")
    return sorted(set(finder.found), key=lambda mutant: (mutant.start, mutant.end, mutant.text))


def files_of(folder: str) -> Iterator[str]:
    """List the files of one folder of the package."""
    for path in sorted((ROOT / "bandits_dp" / folder).rglob("*.py")):
        yield Path(path).relative_to(ROOT).as_posix()
