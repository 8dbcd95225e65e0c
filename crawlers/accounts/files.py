"""Account of one file: its name, bytes, format and what a reader made of it in, where each of its characters is out."""

from crawlers.accounts.characters import Account
from crawlers.accounts.leaves import SHEETS, leaves_of
from crawlers.accounts.papers import PaperAccount
from crawlers.accounts.records import account_of_records
from crawlers.importers.exchange import EXCHANGES
from crawlers.importers.formats import TABLE, Known
from crawlers.importers.layout_files import shipped_layouts
from crawlers.importers.reading import Reading, Text
from crawlers.text.fields import text_of


def account_of(name: str, body: bytes, format_name: str, reading: Reading, known: Known | None = None) -> Account:
    """Return the account of a file that was read.

    Raises:
        ValueError: the sums do not add up, which is a fault of the account.
    """
    if reading.source is not None:
        account = PaperAccount(reading.source, reading.items).result()
    elif format_name in EXCHANGES:
        lines = [line for leaf in leaves_of(name, body) for line in text_of(leaf.text).split("\n")]
        account = PaperAccount(Text(lines), reading.items, "text").result()
    else:
        shape = reading.shape if format_name == TABLE else (shipped_layouts() if known is None else known)[format_name]
        leaves = leaves_of(name, body, shape.array if shape else ())
        unused = [*shape.unread, *(shape.entity.skip if shape.entity else ())] if shape else []
        account = account_of_records(leaves, reading, unused, name.lower().endswith(SHEETS))
    if account.difference:
        raise ValueError(
            f"{name}: {account.difference} of {account.characters} characters are counted twice or not at all: report this file"
        )
    return account
