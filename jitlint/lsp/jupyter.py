"""Tells JupyterLab's extension jupyterlab-lsp how to start the language server.

It asks all packages with an entry point in the group `jupyter_lsp_spec_v1`
(https://jupyterlab-lsp.readthedocs.io/en/latest/Configuring.html).
"""

from __future__ import annotations

import sys
from typing import Any


def specification(manager: object) -> dict[str, dict[str, Any]]:
    """The server's command and languages, in the form that jupyter-lsp wants.

    Args:
        manager: of Jupyter's language servers; not used.
    """
    return {
        "jitlint": {
            "version": 2,
            "display_name": "jitlint",
            "argv": [sys.executable, "-P", "-m", "jitlint", "lsp"],
            "languages": ["python"],
            "mime_types": ["text/python", "text/x-ipython", "text/x-python"],
        }
    }
