"""The site: `make docs` builds it into out/docs."""

import sys
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

import budgetrs

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "budgetrs"
author = "the budgetrs developers"
copyright = author  # noqa: A001
version = release = budgetrs.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "looks",
    "mathml",
    "printed",
    "members",
]
exclude_patterns = [
    "_*",
    "gallery/*.py",
    "gallery/*.ipynb",
    "gallery/*.json",
    "gallery/sg_execution_times.rst",
]
templates_path = ["_templates"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3

# Every class and function has a separate page, written at each build.
autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"  # the docstrings name the types
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False  # the template shows them in full
default_role = "autolink"
nitpick_ignore_regex = [
    ("py:obj", r"(sklearn|river|skl2onnx)\..*"),  # pages of other sites
    ("py:obj", r"\w+"),  # parameters, which are class attributes without an entry
]
toc_object_entries_show_parents = "hide"
pygments_style = "friendly"
smartquotes_action = "qe"  # two hyphens begin an option

ORDER = [
    "checkerboard.py",
    "drift.py",
    "budgets.py",
    "intervals.py",
    "importances.py",
    "with_river.py",
    "to_onnx.py",
    "labels.py",
]
sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": ExplicitOrder(ORDER),
    "abort_on_example_error": True,
    "run_stale_examples": True,  # they show what the package does now
    "only_warn_on_example_error": False,
    "reset_modules": ("matplotlib", "looks.reset"),
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "image_scrapers": ("looks.scrape",),
    "image_srcset": ["2x"],
    "capture_repr": ("_repr_html_",),
    "plot_gallery": True,
}
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_math_renderer = "mathml"
html_title = "budgetrs"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
