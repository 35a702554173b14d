"""IPython's settings for the kernels of `make notebooks` and `make test`: a cell's failed assert says the numbers that it compared.

A reader's own kernels are as they were. `kernels.neutralise` puts this file where IPython looks for it.
"""

import ast


class TellNumbers(ast.NodeTransformer):
    """Rewrite the asserts of a cell as pytest does those of a test."""

    def visit_Module(self, cell: ast.Module) -> ast.Module:
        """Rewrite in place; a cell without asserts stays as it is."""
        if any(isinstance(node, ast.Assert) for node in ast.walk(cell)):
            from _pytest.assertion.rewrite import rewrite_asserts

            rewrite_asserts(cell, b"")
            for node in cell.body:  # pytest's own imports have no last line; below a comment, Python would guess a wrong one
                if isinstance(node, ast.Import) and node.end_lineno is None:
                    node.end_lineno = node.lineno
        return cell


c = get_config()  # noqa: F821
c.InteractiveShell.ast_transformers = [TellNumbers()]
