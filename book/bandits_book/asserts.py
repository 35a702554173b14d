"""What an open notebook says when a reader has changed something and a check of the book no longer holds."""

import ast
import os
import sys
from typing import Any

STRICT = "BANDITS_DP_STRICT_ASSERTS"  # set where notebooks are tested and stored: there an assert that fails is an error

TROUBLE = """
try: pass
except Exception as trouble:
    print(f"The book's numbers, which the text shows, are not computed here ({type(trouble).__name__}: {trouble}).")
"""


def explain_asserts() -> None:
    """Let the asserts of this notebook print a sentence in place of stopping the run; elsewhere nothing changes.

    A cell whose first line is an assert with a message shows the book's setting: where the assert does not hold, or cannot be
    evaluated, the cell prints the message and does nothing else. A cell that writes the numbers of the text (`numbers[...] = ...`)
    says so where it fails.

    Examples
    --------
    >>> from bandits_book.asserts import explain_asserts
    >>> explain_asserts()
    """
    ipython = sys.modules.get("IPython")  # loaded already if this is a notebook
    shell: Any = ipython.get_ipython() if ipython else None
    if shell and not os.environ.get(STRICT) and not any(isinstance(one, _Explained) for one in shell.ast_transformers):
        shell.ast_transformers.append(_Explained())


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


class _Explained(ast.NodeTransformer):
    """Turns ``assert test`` into a question and a sentence, and ends a cell that begins with ``assert test, message``."""

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
        told = (f"The book's check `{ast.unparse(node.test)}` does not hold here: something above is not as in the book, "
                "and the numbers in the text may not be yours.")
        say = ast.Expr(ast.Call(ast.Name("print", ast.Load()), [ast.Constant(told)], []))
        return ast.fix_missing_locations(ast.copy_location(ast.If(ast.UnaryOp(ast.Not(), node.test), [say], []), node))
