"""
A year of daily use, simulated: what is recalled, what fades and why, and whether anything dominates.

    python bench/year.py [--days 365] [--seed 5] [--embedder none|hash]

The real store, the real rules, recall and upkeep, under a clock that is moved: two sessions a day in two workspaces,
with standing orders, preferences that change, plans for one day, facts that are said again and facts that never are,
work, agents' notes, chatter, and one memory that matches nearly everything. Prompts ask about the last days and about
long ago. The year is lived twice: with strength off (no nudges, nothing fades), and as it comes.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backstory import Memory
from backstory.pipelines import recall, remember, tend
from backstory.pipelines.occasions import (
    PromptSubmitted,
    Replied,
    Sender,
    SessionEnded,
    SessionStarted,
    ToolUsed,
)
from backstory.server import packing
from backstory.store import cutter, memories, workspaces
from backstory.store.clock import DAY_US, SECOND_US
from backstory.store.filters import Filter
from backstory.store.models import Located, Scope
from backstory.store.models import Memory as Row
from backstory.store.rows import fetch

BEGINS_AT = int(datetime(2026, 1, 5, 9, tzinfo=UTC).timestamp()) * SECOND_US
OFF = {
    "nudge_recency": 0.0, "nudge_importance": 0.0, "nudge_trust": 0.0, "nudge_branch": 0.0, "nudge_file": 0.0,
    "archive_after_half_lives": 1000.0, "temporary_days": 36_500.0, "loud_uses": 10_000,
}  # fmt: skip
# Of memory handed out unasked with one prompt.
LIMIT, CHARS = 8, 6000

ORDERS = (
    "Always run the tests before you commit.", "Never push to main without asking me.",
    "From now on answer in short sentences.", "以后提交信息都用英文写。", "以后不要动 vendor 目录。",
    "Always use spaces, never tabs.",
)  # fmt: skip
CHANGES = (
    ("I prefer dark mode.", "I prefer light mode.", "I prefer dark mode."),
    ("We use npm in this project.", "We use pnpm now.", "We use bun now."),
    ("I live in Hangzhou.", "I live in Beijing now.", "I live in Hangzhou now."),
)
PLANS = ("demo the {} export", "renew the certificate of {}", "review the {} module", "演示 {} 的导出")
SERVICES = (
    "ledger", "billing", "catalog", "courier", "pricing", "search", "archive", "signup", "reports", "gateway",
    "结算服务", "对账服务", "库存服务", "通知服务", "配置中心", "审计日志",
)  # fmt: skip
ASPECTS = (
    ("listens on port {}", "Which port does {} listen on?", "监听 {} 端口", "{} 监听哪个端口？"),
    ("keeps its logs for {} days", "For how many days does {} keep its logs?", "的日志保留 {} 天",
     "{} 的日志保留多少天？"),
    ("retries {} times before it gives up", "How often does {} retry before it gives up?", "重试 {} 次才放弃",
     "{} 重试几次才放弃？"),
    ("runs {} workers in production", "How many workers does {} run in production?", "在生产环境有 {} 个工作进程",
     "{} 在生产环境有几个工作进程？"),
    ("times out after {} seconds", "After how many seconds does {} time out?", "等 {} 秒就超时", "{} 几秒超时？"),
    ("is limited to {} requests a minute", "To how many requests a minute is {} limited?", "每分钟限 {} 个请求",
     "{} 每分钟限多少请求？"),
)  # fmt: skip
LOUD = (
    "Remember that notes.md tells of "
    + ", ".join(SERVICES)
    + " on which port each listens, for how many days it keeps "
    "logs, how often it retries, how many workers run in production, when it times out, its requests a minute, and "
    "what handles an empty answer."
)
CHATTER = (
    "Thanks, that looks good to me, let us go on with the next one when you are ready.",
    "That took longer than I had thought, but it was worth it, the office is quiet today.",
    "哈哈，今天下雨，先喝杯咖啡再继续吧。", "The train was late again and my tea is cold already.",
)  # fmt: skip
FILES = ("src/{}/port.py", "src/{}/retry.py", "src/{}/worker.py")


@dataclass
class Known:
    """A fact as the user said it, what would ask for it, and of which project it is."""

    text: str
    asks: str
    said_at: int
    place: int


@dataclass
class Told:
    """What came of a year."""

    prompts: int = 0
    injected: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    upkeep_s: float = 0.0
    shares: dict[str, float] = field(default_factory=dict)


class Year:
    """One life of the year, from one seed."""

    def __init__(self, folder: Path, *, seed: int, embedder: str, **settings: Any) -> None:
        self.now = BEGINS_AT
        self.chance = random.Random(seed)
        self.memory = Memory.open(
            folder / "backstory.db", embedder=embedder, now=lambda: self.now, **settings
        )
        self.db, self.cut = self.memory.db, cutter.load()
        self.embedder = self.memory.vectors.load()
        self.places = [
            self.db.write(workspaces.register, [("folder", f"/repo/{name}")], name, now=1)
            for name in ("shop", "tools")
        ]
        self.facts: list[Known] = []
        self.told = Told()
        self.turn = 0

    def live(self, days: int) -> Told:
        began = time.perf_counter()
        orders, changes = list(ORDERS), [list(one) for one in CHANGES]
        for day in range(days):
            self.now = BEGINS_AT + day * DAY_US
            for half in range(2):
                self.now = BEGINS_AT + day * DAY_US + half * DAY_US // 6
                self.session(f"d{day}.{half}", self._said(day, half, orders, changes, days))
            work = time.perf_counter()
            tend.once(
                self.db, self.embedder, cut=self.cut, clock=lambda: self.now, place=self.memory.upkeep_place()
            )
            self.told.upkeep_s += time.perf_counter() - work
        self.told.seconds = time.perf_counter() - began
        return self.told

    def _said(
        self, day: int, half: int, orders: list[str], changes: list[list[str]], days: int
    ) -> Iterator[tuple[str, str]]:
        """What is said in one session: (what sort of turn, the words)."""
        if half == 0 and day % 5 == 2 and orders:
            yield "says", orders.pop(0)
        for n, one in enumerate(changes):
            if half == 1 and one and day == (n * 7 + 10) + (3 - len(one)) * days // 3:
                yield "says", one.pop(0)
        if half == 0 and day == 3:
            yield "says", LOUD
        yield from self._done(day, half)

    def _done(self, day: int, half: int) -> Iterator[tuple[str, str]]:
        chance = self.chance
        if half == 0 and day % 4 == 1:
            when = datetime.fromtimestamp(self.now / 1e6 + 86_400 * chance.randint(2, 9), UTC).date()
            yield "says", f"I will {chance.choice(PLANS).format(chance.choice(SERVICES))} on {when}."
        if chance.random() < 0.45:
            yield "fact", ""
        if self.facts and chance.random() < 0.08:
            yield "again", ""
        if half == 1 and chance.random() < 0.6:
            yield "work", ""
        for _ in range(chance.choice((1, 2, 2, 3))):
            yield "asks", ""
        if chance.random() < 0.5:
            yield "chat", chance.choice(CHATTER)

    def session(self, name: str, said: Iterator[tuple[str, str]]) -> None:
        scope = Scope("me", None, name, "claude-code", self.chance.choice(self.places), "main")
        self._tell(SessionStarted(self._sender(scope), "startup"), scope)
        found = recall.digest(
            user="me", workspace=scope.workspace, source="claude-code", session=name, how="startup", unfinished_days=7,
            db=self.db, now=self.now, branch="main",
        )  # fmt: skip
        block = packing.digest_block(found, budget=2500, now=self.now)
        listed = (*found.profile, *found.intentions, *found.latest)
        self._handed([m for m in listed if m.short in block.shown], "digest", len(block.text), scope)
        for sort, words in said:
            match sort:
                case "fact":
                    self._fact(scope)
                case "again":
                    self._again(scope)
                case "work":
                    self._work(scope)
                case "asks":
                    self._asks(scope)
                case _:
                    self._turn(scope, words)
        if self.chance.random() < 0.5:
            text = f"Run {self.turn} of the {self.chance.choice(SERVICES)} job left {self.chance.randint(2, 90)} rows."
            at = Memory(self.db, home=self.memory.home, options=self.memory.options, at=Located(scope, "/repo"),
                        vectors=self.memory.vectors, now=lambda: self.now)  # fmt: skip
            at.add(text, importance=0.3)
        self._tell(SessionEnded(self._sender(scope), "exit"), scope)

    def _fact(self, scope: Scope) -> None:
        service, (says, asks, says_zh, asks_zh) = self.chance.choice(SERVICES), self.chance.choice(ASPECTS)
        number = self.chance.randint(2, 9000)
        if service.isascii():
            text, question = f"Remember that {service} {says.format(number)}.", asks.format(service)
        else:
            text, question = f"记住{service}{says_zh.format(number)}。", asks_zh.format(service)
        # A new value of the same thing replaces the old one, also here.
        place = scope.workspace or 0
        self.facts = [one for one in self.facts if (one.asks, one.place) != (question, place)]
        self.facts.append(Known(text, question, self.now, place))
        self._turn(scope, text)

    def _again(self, scope: Scope) -> None:
        if known := [one for one in self.facts if one.place == scope.workspace][-20:]:
            self._turn(scope, self.chance.choice(known).text)

    def _work(self, scope: Scope) -> None:
        service = self.chance.choice([one for one in SERVICES if one.isascii()])
        path = self.chance.choice(FILES).format(service)
        self._prompt(scope, f"Make {service} handle an empty answer in {path}.")
        tool = ToolUsed(self._sender(scope), f"c{self.turn}", "Edit", {"file_path": f"/repo/{path}"}, "", True,
                        paths=(f"/repo/{path}",), edits=True)  # fmt: skip
        self._tell(tool, scope)
        self._tell(Replied(self._sender(scope), f"{path} now handles an empty answer.", ends=True), scope)

    def _asks(self, scope: Scope) -> None:
        """Mostly about the last days, sometimes about long ago."""
        known = [
            one for one in self.facts if one.said_at < self.now - DAY_US and one.place == scope.workspace
        ]
        if not known:
            return
        shares = [(0.6, 14), (0.85, 90), (1.0, 400)]
        draw = self.chance.random()
        within = next(days for share, days in shares if draw <= share)
        near = [one for one in known if one.said_at >= self.now - within * DAY_US] or known
        if within > 90:
            near = [one for one in known if one.said_at < self.now - 90 * DAY_US] or known
        asked = self.chance.choice(near)
        days = (self.now - asked.said_at) // DAY_US
        band = (
            "14 days" if days <= 14 else "90 days" if days <= 90 else "180 days" if days <= 180 else "longer"
        )
        handed = self._prompt(scope, asked.asks)
        self.told.asked[band] += 1
        value = asked.text.removeprefix("Remember that ").removeprefix("记住").rstrip(".。")
        found = any(value in one.text for one in handed) or value in self._holds(scope)
        self.told.found[band] += found
        reply = f"As far as I know {value}." if found else "I do not know that."
        self._tell(Replied(self._sender(scope), reply, ends=True), scope)

    def _holds(self, scope: Scope) -> str:
        """All that the session has been given so far."""
        rows = self.db.read(
            fetch,
            "select memory.text from delivery join memory on memory.root = delivery.root"
            " where delivery.source = ? and delivery.session = ?",
            (scope.source, scope.session),
        )
        return "\n".join(text for (text,) in rows)

    def _turn(self, scope: Scope, words: str) -> list[Row]:
        handed = self._prompt(scope, words)
        self._tell(Replied(self._sender(scope), "Understood.", ends=True), scope)
        return handed

    def _prompt(self, scope: Scope, words: str) -> list[Row]:
        self.turn += 1
        self.told.prompts += 1
        family = tuple(self.db.read(workspaces.family, scope.workspace or 0))
        wanted = Filter("me", self.now, family, branch=scope.branch)
        packet = recall.for_prompt(
            words, wanted, source="claude-code", session=scope.session or "", db=self.db, ask=self.memory.vectors.ask,
            cut=self.cut, limit=LIMIT,
        )  # fmt: skip
        self._tell(PromptSubmitted(self._sender(scope), words), scope)
        block = packing.prompt_block(packet, budget=CHARS)
        shown = [hit.memory for hit in packet.hits if hit.memory.short in block.shown]
        self.told.injected.update(one.root for one in shown)
        self._handed(shown, "hook", len(block.text), scope)
        return shown

    def _handed(self, shown: Sequence[Row], how: Any, chars: int, scope: Scope) -> None:
        handed = remember.Handed(tuple(shown), how, chars)
        remember.note_handed(handed, scope, db=self.db, now=self.now)

    def _sender(self, scope: Scope) -> Sender:
        self.now += 20 * SECOND_US
        return Sender("claude-code", scope.session or "", f"p{self.turn}", "/repo", None, self.now)

    def _tell(self, occasion: Any, scope: Scope) -> None:
        remember.remember(occasion, Located(scope, "/repo"), db=self.db, now=self.now, cut=self.cut)


def sort_of(one: Row) -> str:
    """Of which sort a memory is, as the tables have it."""
    if "notes.md" in one.text:
        return "the loud one"
    if one.data.get("predicate") == "asks for":
        return "standing order"
    if one.kind == "fact" and one.data.get("planned_until"):
        return "plan that is over"
    if one.kind == "fact" and str(one.slot or "").startswith("did:"):
        return "work done"
    if one.kind == "fact" and one.origin == "agent":
        return "agent's note"
    return {"profile": "preference, identity", "intention": "open plan", "fact": "fact", "turn": "turn"}.get(
        one.kind, one.kind
    )


def shelf(year: Year) -> str:
    """What became of each sort of memory, by the reasons in the log."""
    rows = rows_of(year)
    why = dict(
        year.db.read(fetch, "select json_extract(memories, '$[0]'), reason from run where step = 'fade'")
    )
    lines = [
        f"{'':22}{'written':>9}{'live':>7}{'archived':>10}{'over':>10}   why archived (of the last 90 days)"
    ]
    sorts: dict[str, list[Row]] = {}
    for one in rows:
        sorts.setdefault(sort_of(one), []).append(one)
    for sort, ones in sorted(sorts.items()):
        over = [one for one in ones if one.retired_at is not None or (one.valid_to or year.now) < year.now]
        faded = [one for one in ones if one not in over and one.archived_at is not None]
        reasons = Counter(
            str(why[one.id]).partition(":")[0].partition("(")[0].strip() for one in faded if one.id in why
        )
        told = ", ".join(f"{reason} {n}" for reason, n in reasons.most_common())
        live = len(ones) - len(over) - len(faded)
        lines.append(f"{sort:22}{len(ones):>9}{live:>7}{len(faded):>10}{len(over):>10}   {told}")
    example = next((reason for reason in why.values() if reason.startswith("faded")), "")
    return "\n".join([*lines, f"for example: {example}"])


def table(before: Year, after: Year) -> str:
    """The share of injected items by memory, and how often what was asked about was handed over."""
    lines = [f"{'':44}{'strength off':>14}{'on':>10}"]

    def row(name: str, values: Sequence[str]) -> None:
        lines.append(f"{name:44}{values[0]:>14}{values[1]:>10}")

    both = (before, after)
    injected = [one.told.injected for one in both]
    totals = [sum(one.values()) for one in injected]
    row("prompts", [f"{one.told.prompts:,}" for one in both])
    row("items injected", [f"{one:,}" for one in totals])
    row("different memories among them", [f"{len(one):,}" for one in injected])
    ranked = [one.most_common() for one in injected]
    for n in (1, 5, 20):
        row(f"share of the {n} most injected", [
            f"{sum(count for _, count in one[:n]) / total:.1%}" for one, total in zip(ranked, totals, strict=True)
        ])  # fmt: skip
    names = [dict(one.db.read(fetch, "select root, max(id) from memory group by root")) for one in both]
    for year, known, counts, total in zip(both, names, injected, totals, strict=True):
        by_id = year.db.read(memories.by_ids, list(known.values()))
        for root, count in counts.items():
            sort = sort_of(by_id[known[root]])
            year.told.shares[sort] = year.told.shares.get(sort, 0.0) + count / total
    for sort in sorted(set(before.told.shares) | set(after.told.shares)):
        row(f"share: {sort}", [f"{year.told.shares.get(sort, 0.0):.1%}" for year in both])
    for band in ("14 days", "90 days", "180 days", "longer"):
        shares = [
            f"{year.told.found[band] / year.told.asked[band]:.0%} of {year.told.asked[band]}" if year.told.asked[band]
            else "-" for year in both
        ]  # fmt: skip
        row(
            f"handed over: what was said within {band}"
            if band != "longer"
            else "handed over: said longer ago",
            shares,
        )
    row("seconds, of them background", [f"{one.told.seconds:.0f}, {one.told.upkeep_s:.0f}" for one in both])
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--embedder", choices=("none", "hash"), default="none")
    options = parser.parse_args(arguments)
    years = []
    for settings in (OFF, {}):
        with tempfile.TemporaryDirectory() as folder:
            year = Year(Path(folder), seed=options.seed, embedder=options.embedder, **settings)
            year.live(options.days)
            years.append(year)
            print(
                f"\nStrength {'on' if not settings else 'off'}, after {options.days} days:\n{shelf(year)}",
                flush=True,
            )
    print(f"\n{table(*years)}")
    standing = [
        one for one in rows_of(years[1]) if sort_of(one) == "standing order" and one.retired_at is None
    ]
    kept = sum(one.archived_at is None for one in standing)
    print(f"\nStanding orders in recall at the end: {kept} of {len(standing)}.")


def rows_of(year: Year) -> list[Row]:
    return [memories.from_row(row) for row in year.db.read(fetch, f"select {memories.COLUMNS} from memory")]


if __name__ == "__main__":
    main()
