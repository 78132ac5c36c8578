"""Sphinx's configuration of the site; `tox -e docs` builds it."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

project = "dalembert"
author = "the dalembert authors"
project_copyright = "2026, the dalembert authors"
version = release = version_of("dalembert")
extensions = ["myst_parser", "sphinx.ext.autodoc", "pages"]
root_doc = "index"
source_suffix = {".md": "markdown"}
exclude_patterns = ["site", "ci"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = "dalembert"
html_theme_options = {"light_css_variables": {"color-code-background": "#f3f4f6"}}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
# Summaries are fetched, which browsers refuse to pages that are files.
html_show_search_summary = False
html_show_sphinx = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
