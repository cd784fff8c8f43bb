"""jitlint in IPython and Jupyter: `%load_ext jitlint`, then `%%jitlint` in a cell, or `%jitlint on` for all cells."""

from __future__ import annotations

from IPython.core.interactiveshell import InteractiveShell

from jitlint_ipython.magics import JitlintMagics


def load(shell: InteractiveShell) -> None:
    """Gives a shell the magics; `%load_ext` calls it."""
    magics = JitlintMagics(shell)
    shell.register_magics(magics)
    shell.events.register("pre_run_cell", magics.before_cell)


def unload(shell: InteractiveShell) -> None:
    """Takes them away; `%unload_ext` calls it."""
    magics = shell.magics_manager.registry.pop(JitlintMagics.__name__)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("jitlint")
    shell.events.unregister("pre_run_cell", magics.before_cell)
    magics.close()
