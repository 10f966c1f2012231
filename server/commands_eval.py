"""The command that measures a model: eval extract."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..store.errors import BadInput

# So much may one run cost, where nothing else is said: 40 turns take about 60,000.
TOKENS = 1_000_000


def register(commands: Any) -> None:
    """Add this command to the parser."""
    evaluate = commands.add_parser("eval", help="how well a model extracts, on labelled turns")
    what = evaluate.add_subparsers(metavar="WHAT", dest="what", required=True)
    extract = what.add_parser(
        "extract", help="precision, recall, evidence and cost of extraction; nothing is kept"
    )
    extract.add_argument(
        "--endpoint",
        metavar="URL",
        help="an OpenAI-compatible base URL or a preset's name; default: model_url",
    )
    extract.add_argument("--model", help="the model's name there; default: the setting model")
    extract.add_argument("--key-variable", help="the environment variable that holds its key")
    extract.add_argument(
        "--set", metavar="FILE", type=Path, help="labelled turns (JSON lines); default: ours, 40 turns"
    )
    extract.add_argument("--tokens", type=int, default=TOKENS, help="stop when so many are spent")
    extract.add_argument("--price-in", type=float, help="for a million tokens of prompt")
    extract.add_argument("--price-out", type=float, help="for a million tokens of answer")
    extract.add_argument("--json", action="store_true")
    extract.set_defaults(run=_extract)


def _extract(args: argparse.Namespace) -> int:
    from .. import configs
    from ..pipelines.llm import open_model
    from ..store import clock
    from ..store.db import Database
    from . import eval_extract

    options = configs.load(
        mode="pro", model_url=args.endpoint, model=args.model, model_extract=args.model,
        model_key_variable=args.key_variable, model_tokens_a_day=args.tokens,
    )  # fmt: skip
    # What is measured here is no part of anybody's memory, nor of the day's budget.
    db = Database.open(":memory:")
    try:
        model = open_model(options, db, key=configs.model_key(options))
        if model is None:
            raise BadInput("No model is named; say --endpoint URL --model NAME, or set model in config.toml.")
        return eval_extract.run(
            model, path=args.set, now=clock.now(), price_in=args.price_in, price_out=args.price_out,
            in_json=args.json,
        )  # fmt: skip
    finally:
        db.close()
