"""The usual small changes of a program: what else could stand where an operator, a number, a condition or a call does.

A change replaces a piece of the text and keeps every line where it is. What is no behaviour stays: docstrings, annotations,
strings (so the text of errors, and ``__all__``), ``__repr__``, decorators, and imports for types.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OPERATORS = {
    ast.Lt: ("<", "<=", ">="), ast.LtE: ("<=", "<", ">"), ast.Gt: (">", ">=", "<="), ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"), ast.And: ("and", "or"), ast.Or: ("or", "and"),
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"), ast.Pow: ("**", "*"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"), ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}  # fmt: skip
PAIRS = {"min": "max", "minimum": "maximum", "floor": "ceil", "any": "all", "argmin": "argmax", "zeros": "ones", "fmin": "fmax",
         "amin": "amax"}
SWAPPED = PAIRS | {second: first for first, second in PAIRS.items()} | {"expm1": "exp", "log1p": "log"}
UNWRAPPED = {"abs", "sqrt", "ceil", "floor", "round", "rint", "permutation", "permuted", "clip", "minimum", "maximum", "cumsum",
             "copy"}
CHECKS = "_checks"  # the module whose functions check a value and return it
TEXT = {"__repr__", "__str__", "_repr_html_"}


@dataclass(frozen=True)
class Mutant:
    """One change."""

    file: str
    line: int
    before: str  # the lines that it touches, on one line
    after: str
    start: int  # which bytes the text replaces
    end: int
    text: str
    first: int  # the lines that a test must execute to see it
    last: int

    def source(self, original):
        return original[: self.start] + self.text.encode() + original[self.end :]


class _Finder:
    def __init__(self, file, source):
        self.file, self.source, self.lines, self.found, self.starts = file, source, (1, 10**9), set(), [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.visit(ast.parse(source), False)

    def begin(self, node):
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def add(self, start, end, text):
        """Keep a change if the file still compiles."""
        text += "\n" * (self.source.count(b"\n", start, end) - text.count("\n"))
        line = self.source.count(b"\n", 0, start) + 1
        low, high = self.starts[line - 1], self.starts[self.source.count(b"\n", 0, end) + 1]
        before = " ".join(self.source[low:high].decode().split())
        after = " ".join((self.source[low:start] + text.encode() + self.source[end:high]).decode().split())
        mutant = Mutant(self.file, line, before, after, start, end, text, *self.lines)
        try:
            compile(mutant.source(self.source), self.file, "exec", dont_inherit=True)
        except SyntaxError:
            return
        if before != after:
            self.found.add(mutant)

    def replace(self, node, text, part=None):
        own = self.source[self.begin(part) : self.end(part)].decode() if part else ""
        self.add(self.begin(node), self.end(node), text.replace("{}", own))

    def between(self, left, operator, right, more=""):
        token, *others = OPERATORS.get(type(operator), ("",))
        start = self.end(left)
        pattern = re.escape(token + more).replace(r"\ ", r"\s+")
        at = re.search(pattern, self.source[start : self.begin(right)].decode())
        for other in others if at else ():
            self.add(start + at.start(), start + at.end(), other + more)

    def visit(self, node, inside):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno
            self.lines = (node.lineno, max(node.lineno, last)) if inside else (1, 10**9)
        parts = list(ast.iter_child_nodes(node))
        match node:
            case ast.FunctionDef():
                self.lines = (node.body[0].lineno, node.end_lineno)
                parts, inside = [] if node.name in TEXT else [node.args, *node.body], True
            case ast.ClassDef():
                parts, inside = node.body, False
            case (ast.Import() | ast.ImportFrom() | ast.Assert() | ast.JoinedStr() | ast.Expr(value=ast.Constant())
                  | ast.If(test=ast.Name(id="TYPE_CHECKING"))):
                return
            case ast.Raise():
                if inside and node.exc is not None:
                    self.replace(node, "pass")
                return
            case ast.If() | ast.While() | ast.IfExp():
                self.replace(node.test, "(not ({}))", node.test)
            case ast.comprehension():
                for test in node.ifs:
                    self.replace(test, "(not ({}))", test)
            case ast.Expr(value=ast.Call()):
                self.replace(node, "pass")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]) if inside:
                self.replace(node, "pass")
            case ast.AnnAssign():
                parts.remove(node.annotation)
            case ast.AugAssign():
                self.between(node.target, node.op, node.value, "=")
                self.replace(node, "pass")
            case ast.Return() if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
                self.replace(node.value, "None")
            case ast.Break() | ast.Continue():
                self.replace(node, "continue" if isinstance(node, ast.Break) else "break")
            case ast.arguments():
                parts = self.defaults(node)
            case ast.Constant():
                self.constant(node)
            case ast.Compare():
                for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                    self.between(left, operator, right)
            case ast.BoolOp():
                for left, right in zip(node.values, node.values[1:], strict=False):
                    self.between(left, node.op, right)
            case ast.BinOp() if not isinstance(node.left, ast.JoinedStr):
                self.between(node.left, node.op, node.right)
            case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
                self.replace(node, "({})", node.operand)
            case ast.Call(func=ast.Name(id="zip")):  # its ``strict`` guards what never happens
                parts = node.args
            case ast.Call():
                self.call(node)
        for part in parts:
            self.visit(part, inside)

    def defaults(self, arguments):
        positional = arguments.posonlyargs + arguments.args
        offered = list(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True))
        for argument, value in offered[:1] + list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)):
            if value is not None:
                self.add(self.end(argument), self.end(value), "")
        return [value for value in (*arguments.defaults, *arguments.kw_defaults) if value is not None]

    def constant(self, node):
        value, others = node.value, ()
        if isinstance(value, bool):
            others = (str(not value),)
        elif isinstance(value, int):
            others = (str(value + 1), str(value - 1) if value else "(-1)")
        elif isinstance(value, float):
            factor = 2.0 if value >= 1e-3 else 1000.0  # smaller ones are tolerances
            others = map(repr, (1.0,) if value == 0 else (value * factor, value / factor))
        for other in others:
            self.replace(node, other)

    def call(self, node):
        """Swap a function, skip it, or drop an argument that has a name."""
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in SWAPPED:
            self.add(self.end(node.func) - len(name), self.end(node.func), SWAPPED[name])
        values = [value for value in node.args if not isinstance(value, (ast.Starred, ast.JoinedStr))]
        if isinstance(getattr(node.func, "value", None), ast.Name) and node.func.value.id == CHECKS:
            values = [value for value in values if not (isinstance(value, ast.Constant) and isinstance(value.value, str))]
        elif name not in UNWRAPPED:
            values = []
        if values:
            self.replace(node, "({})", values[0])
        arguments = sorted([*node.args, *node.keywords], key=self.begin)
        for number, argument in enumerate(arguments):
            if isinstance(argument, ast.keyword) and argument.arg is not None:
                if number:
                    self.add(self.end(arguments[number - 1]), self.end(argument), "")
                else:
                    self.add(self.begin(argument), self.begin(arguments[1]) if arguments[1:] else self.end(argument), "")


def mutants_of(file):
    found = _Finder(file, (ROOT / file).read_bytes()).found
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.text))
