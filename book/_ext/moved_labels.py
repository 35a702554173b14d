"""Sphinx extension: an old link to a box, a figure or an object finds it on the page that holds it now.

The build writes `labels.js`, which says for every label and every object of the package where it stands. Pages do not load it;
`anchors.js` does, when the part of an address behind `#` is nowhere on the page.
"""

import json
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

FILE = "labels.js"


def places(env: BuildEnvironment) -> dict[str, tuple[str, str]]:
    """Say of every label and object on which page it stands, and under which anchor."""
    found = {label: (docname, anchor) for label, (docname, anchor) in env.get_domain("std").anonlabels.items()}  # type: ignore[attr-defined]
    for registry in ("proof_list", "sphinx_exercise_registry"):
        found |= {label: (known["docname"], label) for label, known in getattr(env, registry, {}).items()}
    python = env.get_domain("py")
    for name, known in {**python.data["objects"], **{f"module-{key}": one for key, one in python.data["modules"].items()}}.items():
        found[name] = (known.docname, known.node_id)
    return {label: place for label, place in found.items() if place[1]}


def write(app: Sphinx, failure: Exception | None) -> None:
    """Write the file: pages, each with its labels; a label has an anchor of its own only if that differs."""
    if failure or app.builder.format != "html":
        return
    addresses = {}
    for label, (docname, anchor) in sorted(places(app.env).items()):
        page = app.builder.get_target_uri(docname)
        addresses[label] = page if anchor == label else f"{page}#{anchor}"
    text = json.dumps(addresses, ensure_ascii=False, separators=(",", ":"))
    (Path(app.outdir) / "_static" / FILE).write_text(f"window.bookLabels = {text};\n", "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register it for the end of the build, when every label is known."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
