"""What an open notebook says when a reader has changed something and a check of the book no longer holds."""

import ast
import os
import sys
from typing import Any

STRICT = "BANDITS_DP_STRICT_ASSERTS"  # set where notebooks are tested and stored: there an assert that fails is an error


def explain_asserts() -> None:
    """Let the asserts of this notebook print a sentence in place of stopping the run; elsewhere nothing changes.

    Examples
    --------
    >>> from bandits_book.asserts import explain_asserts
    >>> explain_asserts()
    """
    ipython = sys.modules.get("IPython")  # loaded already if this is a notebook
    shell: Any = ipython.get_ipython() if ipython else None
    if shell and not os.environ.get(STRICT) and not any(isinstance(one, _Explained) for one in shell.ast_transformers):
        shell.ast_transformers.append(_Explained())


class _Explained(ast.NodeTransformer):
    """Turns ``assert test`` into a question and a sentence."""

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        told = (f"The book's check `{ast.unparse(node.test)}` does not hold here: something above is not as in the book, "
                "and the numbers in the text may not be yours.")
        say = ast.Expr(ast.Call(ast.Name("print", ast.Load()), [ast.Constant(told)], []))
        return ast.fix_missing_locations(ast.copy_location(ast.If(ast.UnaryOp(ast.Not(), node.test), [say], []), node))
