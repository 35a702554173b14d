"""What an open notebook says when a reader has changed something and a check of the book no longer holds."""

import ast
import os
import sys
import traceback
from typing import Any

STRICT = "BANDITS_DP_STRICT_ASSERTS"  # set where notebooks are tested and stored: there an assert that fails is an error

BLANK = "`{}` is still to be written: put your own lines where `...` stands, and run this cell again."

UNKNOWN = "`{}` is not known yet: run the cells above first, then this one. (A name of your own? Look how it is written above.)"

TROUBLE = """
try: pass
except Exception as trouble:
    print(f"The book's numbers, which the text shows, are not computed here ({type(trouble).__name__}: {trouble}).")
"""


def explain_asserts() -> None:
    """Let the asserts of this notebook print a sentence in place of stopping the run; elsewhere nothing changes.

    A cell whose first line is an assert with a message shows the book's setting: where the assert does not hold, or cannot be
    evaluated, the cell prints the message and does nothing else. A cell that writes the numbers of the text (`numbers[...] = ...`)
    says so where it fails. A cell that is run before those above it says which name it misses. A cell in which `...` waits for the
    reader's own lines says that, and nothing else, also where an assert
    that fails is an error.

    Examples
    --------
    >>> from bandits_book.asserts import explain_asserts
    >>> explain_asserts()
    """
    ipython = sys.modules.get("IPython")  # loaded already if this is a notebook
    shell: Any = ipython.get_ipython() if ipython else None
    if shell and not any(isinstance(one, _Blanks) for one in shell.ast_transformers):
        shell.ast_transformers.append(_Blanks())
        if not os.environ.get(STRICT):
            shell.ast_transformers.append(_Explained(shell))
            shell.set_custom_exc((NameError,), _out_of_order)


def _out_of_order(shell: Any, kind: type[NameError], error: NameError, trace: Any, tb_offset: int | None = None) -> None:
    """Print which name a cell misses; a name that is missing elsewhere is no matter of order, and is shown as ever."""
    frame = list(traceback.walk_tb(trace))[-1][0]
    if kind is NameError and frame.f_globals is shell.user_ns:
        print(UNKNOWN.format(error.name))
    else:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def _holds(test: ast.expr) -> bool:
    """Evaluate a condition among the names of the open notebook; one that cannot be evaluated does not hold."""
    try:
        return bool(eval(compile(ast.Expression(test), "<setting>", "eval"), sys.modules["IPython"].get_ipython().user_ns))
    except Exception:  # a name, say, of a cell that did nothing
        return False


def _writes_numbers(cell: ast.AST) -> bool:
    """Whether a cell enters numbers of the text: ``numbers[...] = ...`` or ``numbers |= ...``."""
    changed = [node.target if isinstance(node, ast.AugAssign) else node.value for node in ast.walk(cell)
               if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))]
    return any(isinstance(one, ast.Name) and one.id == "numbers" for one in changed)


def blank(cell: ast.AST) -> str:
    """Return the name of the first function or variable of which a cell has only ``...``; empty if there is none."""
    for node in ast.walk(cell):
        if not isinstance(node, ast.FunctionDef | ast.Assign):
            continue
        name, lines = (node.name, node.body) if isinstance(node, ast.FunctionDef) else (ast.unparse(node.targets[0]), [node])
        values = [line.value for line in lines if isinstance(line, ast.Expr | ast.Assign | ast.Return)]
        if any(isinstance(value, ast.Constant) and value.value is ... for value in values):
            return name
    return ""


class _Blanks(ast.NodeTransformer):
    """Turns a cell with a blank into a sentence that says so."""

    def visit_Module(self, node: ast.Module) -> ast.AST:
        if name := blank(node):
            node.body = [ast.Expr(ast.Call(ast.Name("print", ast.Load()), [ast.Constant(BLANK.format(name))], []))]
        return ast.fix_missing_locations(node)


class _Explained(ast.NodeTransformer):
    """Turns ``assert test`` into a question and a sentence, and ends a cell that begins with ``assert test, message``."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell

    def lines_of(self, test: ast.expr) -> str:
        """Return the lines, of all cells so far, that last gave a value to each name of a condition."""
        given: dict[str, str] = {}
        for cell in self.shell.user_ns.get("In", ()):
            try:
                lines = ast.parse(cell).body
            except SyntaxError:
                continue
            for line in lines:
                if isinstance(line, ast.Assign | ast.AugAssign | ast.AnnAssign):
                    written = [one.id for one in ast.walk(line) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
                    given |= dict.fromkeys(written, ast.unparse(line))
        names = [one.id for one in ast.walk(test) if isinstance(one, ast.Name) and one.id in given]
        return ", ".join(f"`{line}`" for line in dict.fromkeys(given[name] for name in names) if len(line) <= 80)

    def visit_Module(self, node: ast.Module) -> ast.AST:
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Assert) and first.msg and not _holds(first.test):
            node.body = [ast.Expr(ast.Call(ast.Name("print", ast.Load()), [first.msg], []))]
            return ast.fix_missing_locations(node)
        self.generic_visit(node)
        if _writes_numbers(node):  # which nothing but the text shows
            rescue = ast.parse(TROUBLE).body[0]
            assert isinstance(rescue, ast.Try)
            node.body = [ast.Try(node.body, rescue.handlers, [], [])]
        return ast.fix_missing_locations(node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        lines = self.lines_of(node.test)
        told = (f"The book's check `{ast.unparse(node.test)}` does not hold here: something above is not as in the book, "
                f"and the numbers in the text may not be yours.{f' It is about {lines}.' if lines else ''}")
        say = ast.Expr(ast.Call(ast.Name("print", ast.Load()), [node.msg or ast.Constant(told)], []))
        return ast.fix_missing_locations(ast.copy_location(ast.If(ast.UnaryOp(ast.Not(), node.test), [say], []), node))
