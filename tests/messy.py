"""An export of accounts and transfers as databases write them: nothing in it is prepared for a graph.

Unicode ids with blanks, gzip, `;` with decimal commas in one file and tabs in the other, missing numbers, dates in two
layouts, timestamps, free text, a category of hundreds of values, a numbering, a constant, repeated rows, amounts of
zero, labels that are missing in two spellings. `--label risk --id Konto --column weight=amount` names what cannot be
guessed; everything else is.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

FIRST_NAMES = ("Zoë", "José", "Łukasz", "Ann Marie", "Ørjan", "李 伟")
COUNTRIES = ("DE", "FR", "PL", "NO")
SHOPS = 320  # more than get a column each
QUIET = ["regular", "salary", "and", "rent", "paid", "on", "time", "every", "month"]
ODD = ["urgent", "crypto", "voucher", "resold", "abroad", "after", "several", "chargebacks"]
HEADER = "Konto;customer id;opened;last login;birthday;balance;age;vip;country;shop;note;currency;risk"


@dataclass(frozen=True)
class Export:
    """Where the files are, and the words of a command line that name what no reader could guess."""

    accounts: Path
    transfers: Path
    new_accounts: Path
    new_transfers: Path
    first_id: str

    @property
    def columns(self) -> list[str]:
        return ["--label", "risk", "--id", "Konto", "--column", "weight=amount"]

    @property
    def tables(self) -> list[str]:
        return ["--edges", str(self.transfers), "--nodes", str(self.accounts), *self.columns]


def write_export(folder: Path, n: int = 400, seed: int = 0) -> Export:
    """Writes n accounts and the transfers between them, and a few accounts that opened later."""
    random = np.random.default_rng(seed)
    risky = random.random(n + 5) < 0.35
    ids = [f"Konto {i} {FIRST_NAMES[i % len(FIRST_NAMES)]}" for i in range(n + 5)]
    rows = [_account(random, i, ids[i], bool(risky[i])) for i in range(n)]
    rows[n // 2 : n // 2] = rows[:3]  # the export was resumed, and repeats itself
    new = [_account(random, i, ids[i], bool(risky[i]), shop="a shop nobody knew") for i in range(n, n + 5)]
    transfers = [_transfer(random, e, ids, risky, n) for e in range(4 * n)]
    arrivals = [f"{ids[i]}\t{ids[int(random.integers(n))]}\t{random.integers(1, 90)}" for i in range(n, n + 5)]
    export = Export(
        accounts=folder / "accounts.csv.gz",
        transfers=folder / "transfers.csv",
        new_accounts=folder / "new accounts.csv",
        new_transfers=folder / "new transfers.tsv",
        first_id=ids[0],
    )
    with gzip.open(export.accounts, "wt", encoding="utf-8") as file:
        file.write("\n".join([HEADER, *rows]) + "\n")
    export.new_accounts.write_text("\n".join([HEADER, *new]) + "\n", "utf-8")
    export.transfers.write_text("\n".join(["from\tto\tamount", *transfers]) + "\n", "utf-8")
    export.new_transfers.write_text("\n".join(["from\tto\tamount", *arrivals]) + "\n", "utf-8")
    return export


def _account(random: np.random.Generator, i: int, id: str, risky: bool, shop: str = "") -> str:
    opened = datetime(2015, 1, 1) + timedelta(days=int(random.integers(0, 3000)) + 600 * risky)
    login = datetime(2024, 1, 1) + timedelta(seconds=int(random.integers(0, 31_000_000)))
    born = datetime(1950, 1, 1) + timedelta(days=int(random.integers(0, 18_000)))
    balance = f"{random.normal(900 - 500 * risky, 400):.2f}".replace(".", ",")
    words = random.choice(ODD if risky and random.random() < 0.7 else QUIET, 6)
    cells = [
        id,
        str(100_000 + 7 * i),
        "" if i % 11 == 5 else f"{opened:%Y-%m-%d}",
        f"{login:%Y-%m-%d %H:%M:%S}",
        f"{born:%d/%m/%Y}",
        ("NA", "")[i % 2] if i % 7 == 3 else balance,
        "" if i % 9 == 4 else str(int(random.integers(18, 90))),
        ("true", "false")[int(random.integers(2))],
        "" if i % 13 == 6 else str(random.choice(COUNTRIES)),
        shop or f"shop-{random.integers(SHOPS) if i >= SHOPS else i}",
        "" if i % 17 == 9 else " ".join(words),
        "EUR",
        ("NA", "")[i % 2] if i % 5 == 2 else ("no", "yes")[risky],
    ]
    return ";".join(cells)


def _transfer(random: np.random.Generator, e: int, ids: list[str], risky: np.ndarray, n: int) -> str:
    """Mostly to one's like; one in forty is of nothing."""
    source, target = (int(end) for end in random.integers(0, n, 2))
    for _ in range(3):
        if risky[source] == risky[target] and source != target:
            break
        target = int(random.integers(0, n))
    return f"{ids[source]}\t{ids[target]}\t{0 if e % 40 == 0 else random.integers(1, 500)}"
