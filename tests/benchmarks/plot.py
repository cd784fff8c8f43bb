"""Draws the bars that standard input tells, as JSON, into the SVG file that is named. Runs where matplotlib is."""

from __future__ import annotations

import json
import sys

import matplotlib
import matplotlib.pyplot as plt

INK, OTHERS, OURS = "#7d8590", "#7d8590", "#3b82f6"  # all of them readable on white and on black

matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "jitlint", "font.family": "sans-serif", "font.size": 10,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
})  # fmt: skip

bars, yardstick = json.load(sys.stdin)
bars.reverse()
names, seconds = zip(*bars, strict=True)
figure, axes = plt.subplots(figsize=(7.2, 0.32 * len(bars) + 0.7))
colours = [OURS if name.startswith("jitlint") else OTHERS for name in names]
drawn = axes.barh(names, seconds, color=colours, height=0.62)
axes.bar_label(drawn, [f"{second:.3g}" for second in seconds], padding=4)
axes.axvline(dict(bars)[yardstick], color=INK, linewidth=0.8, linestyle=":")
axes.set_xscale("log")
axes.set_xlim(min(seconds) / 2, max(seconds) * 3)
axes.set_xlabel("CPU seconds for 100,000 lines (less is better, logarithmic)")
axes.spines[["top", "right", "left"]].set_visible(False)
axes.tick_params(axis="y", length=0)
figure.tight_layout()
figure.savefig(sys.argv[1], transparent=True, metadata={"Date": None})
