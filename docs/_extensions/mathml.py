"""Formulas as MathML, which browsers show without a script from the network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util.docutils import SphinxTranslator


def inline(self: SphinxTranslator, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(convert(node.astext(), display="inline"))  # type: ignore[attr-defined]
    raise nodes.SkipNode


def block(self: SphinxTranslator, node: nodes.math_block) -> None:
    """Write a formula on a separate line."""
    self.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')  # type: ignore[attr-defined]
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx of the writer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}
