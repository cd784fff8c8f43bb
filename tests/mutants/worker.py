"""The process that imports packages and runs JAX: one JSON request per line in, one answer per line out."""

from __future__ import annotations

import json
import os
import sys
import warnings
from dataclasses import asdict
from typing import Any


def answer(request: dict[str, Any]) -> Any:
    """What a request's `do` asks for."""
    from tests.mutants import harvest, judge

    match request["do"]:
        case "harvest":
            return [asdict(recipe) for recipe in harvest.harvest(request["module"])]
        case "survey":
            return judge.survey(request["path"], request["name"], request["driver"])
        case "judge":
            return judge.judge(
                request["path"], request["name"], tuple(request["changed"]), request["second"], request["silent"]
            )
    raise ValueError(request["do"])


def main() -> None:
    """Serves until the input ends. What the packages print goes nowhere."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(3000)
    for line in requests:
        try:
            reply: Any = {"answer": answer(json.loads(line))}
        except Exception as error:  # noqa: BLE001 - a package may raise anything; the asker decides
            reply = {"error": f"{type(error).__name__}: {error}"}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
