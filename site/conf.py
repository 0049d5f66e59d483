"""How Sphinx builds the site. The sources are put together by make.py, which has to be run: see there."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

project = "remora"
copyright = "the authors of remora"
extensions = ["myst_parser", "extension"]
source_suffix = {".md": "markdown"}
root_doc = "index"
nitpicky = True

# Links to headings, as GitHub has them.
myst_heading_anchors = 4

# A block without a language is what it looks like: a program, commands, a message (extension.py).
highlight_language = "remora-any"

html_theme = "pydata_sphinx_theme"
html_title = "remora"
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_static_path = [str(Path(__file__).resolve().parent / "static")]
html_css_files = ["remora.css"]
html_sidebars = {"index": []}
html_theme_options = {
    "header_links_before_dropdown": 9,
    "show_prev_next": True,
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
