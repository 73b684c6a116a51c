"""Select the members of a class for the reference: of budgetrs, and the usual ones of scikit-learn.

It also mends docstrings and signatures for the site, and folds the details of methods on small screens.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes

SHOWN = {"score", "get_params", "set_params"}  # inherited from scikit-learn
DIAGNOSTICS = {
    "n_queries_",
    "n_maintenances_",
    "mean_weight_degradation_",
}  # in their own section of docs/api
HIDDEN = DIAGNOSTICS | {
    "get_metadata_routing",
    "set_fit_request",
    "set_partial_fit_request",
    "set_score_request",
}


def skip(_app: Any, _what: str, name: str, member: Any, skipped: bool, _options: Any) -> bool | None:
    """Skip what comes from other packages."""
    if name in HIDDEN:
        return True
    module = getattr(getattr(member, "fget", member), "__module__", None) or "budgetrs"
    if not module.startswith(("budgetrs", "builtins")) and name not in SHOWN:
        return True
    return skipped or None


def escape(_app: Any, _what: str, _name: str, member: Any, _options: Any, lines: list[str]) -> None:
    """Make text of what reStructuredText would take for links.

    Attributes of fitted models end in an underscore. References in scikit-learn's docstrings lead out of
    this site.
    """
    if (getattr(member, "__module__", None) or "").startswith("sklearn"):
        lines[:] = [re.sub(r":\w+:`~?([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", line) for line in lines]
    else:
        lines[:] = [
            line
            if line.lstrip().startswith((">>>", "..."))
            else re.sub(r"(?<![`\w.])(\w+)_(?![`\w(])", r"\1\\_", line)
            for line in lines
        ]


def link(_app: Any, _what: str, _name: str, _member: Any, _options: Any, lines: list[str]) -> None:
    """Link the page that docstrings name in words."""
    named = r'the\s+page\s+"Parameters"\s+of\s+the\s+documentation'
    lines[:] = re.sub(named, ":doc:`Parameters </parameters>`", "\n".join(lines)).split("\n")


def sign(_app: Any, _what: str, _name: str, member: Any, _options: Any, text: str, returned: str) -> Any:
    """Keep the signature of a class method: numpydoc would add the `$cls` of PyO3."""
    return (text, returned) if "$cls" in (getattr(member, "__text_signature__", None) or "") else None


def fold(_app: Any, _domain: str, kind: str, content: Any) -> None:
    """Put all of a method but its first paragraph into an element that is closed on small screens."""
    rest = [node for node in content.children[1:] if not isinstance(node, nodes.Invisible)]
    if kind == "method" and rest:
        content.insert(1, nodes.raw("", '<details class="more"><summary>Details</summary>', format="html"))
        content.append(nodes.raw("", "</details>", format="html"))


def setup(app: Any) -> dict[str, bool]:
    """Connect the functions to Sphinx."""
    app.connect("object-description-transform", fold, priority=900)
    app.connect("autodoc-process-docstring", link, priority=100)
    app.connect("autodoc-process-docstring", escape, priority=100)
    app.connect("autodoc-process-signature", sign, priority=400)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True}
