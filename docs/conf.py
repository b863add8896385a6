"""Sphinx configuration. Nothing is fetched: no inventories of other projects, no fonts, no script for formulas."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # generated.py and mathml.py
sys.path.insert(0, str(HERE.parent / "src"))

import lsgnn  # noqa: E402

project = "lsgnn"
author = "The lsgnn developers"
version = release = lsgnn.__version__
copyright = "The lsgnn developers, Apache-2.0"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "generated", "mathml"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

smartquotes = False  # they turn --option into –option
default_role = "literal"  # docstrings write `name` for code
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 100
napoleon_custom_sections = ["Shapes"]

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_title = f"lsgnn {release}"
html_math_renderer = "mathml"
html_copy_source = False
