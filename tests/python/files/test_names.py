"""Names of files: as they are, escaped, or a token where a key may be in them."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pieces import each_line, ledger_of, splits_of
from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.names import kept_name, looks_like_key, shown_name
from scuttlehouse.landing.logs import read_lines
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.texts import TOKEN

RING = KeyRing(b"pepper")
SPELLINGS = {
    "hex": lambda key: key.hex(),
    "capital hex": lambda key: key.hex().upper(),
    "hex with blanks": lambda key: key.hex(" "),
    "hex with dots": lambda key: key.hex(".", 4),
    "base64url": lambda key: base64.urlsafe_b64encode(key).decode(),
    "base64, in folders": lambda key: base64.b64encode(key).decode(),
    "base32": lambda key: base64.b32encode(key).decode(),
    "wide hex": lambda key: "".join(chr(ord(one) + 0xFEE0) for one in key.hex()),
    "a number": lambda key: str(int.from_bytes(key)),
    "entities": lambda key: "".join(f"&#{ord(one)};" for one in base64.b64encode(key).decode()),
    "hex with marks of direction": lambda key: shown_name("\u202e".join(key.hex())),
    "hex with bytes that are no text": lambda key: shown_name("\udcff".join(key.hex())),
    "bytes that are no text": lambda key: shown_name(
        "".join(chr(0xDC80 + byte % 128) for byte in key)
    ),
    "Braille": lambda key: "".join(chr(0x2800 + byte) for byte in key),
}


# Keys are random: a few of a million look like words, as 32 zeros do.
@given(
    seed=st.integers(0, 2**32),
    spelling=st.sampled_from([*SPELLINGS]),
    frame=st.sampled_from(
        ["{}", "key {} of alice", "{}.jsonl.gz", "logs/{}.json", "@{}.ed25519.jsonl"]
    ),
)
def test_no_name_holds_a_key(seed: int, spelling: str, frame: str) -> None:
    key = random_key(seed)
    name = frame.format(SPELLINGS[spelling](key))
    kept = kept_name(name, RING)
    assert TOKEN in kept, name
    bare = "".join(filter(_is_spelling, SPELLINGS[spelling](key)))
    assert bare[:10] not in "".join(filter(_is_spelling, kept))
    assert kept == kept_name(name, RING) != kept_name(name, KeyRing(b"other"))


def _is_spelling(one: str) -> bool:
    return one.isalnum() or one > "\u2800"


def random_key(seed: int) -> bytes:
    return hashlib.sha256(str(seed).encode()).digest()


@pytest.mark.parametrize(
    "name",
    [
        "alice.jsonl",
        "log.bipf",
        "ssb-db2/flume/log.offset",
        "Export 10.20 PM.jsonl",
        "Export of 2023-10-10T10.10.10Z to 2024-01-01T10.10.10Z of my phone.jsonl",
        "Session_2023-10-10T10-10-10Z_A1B2.jsonl",
        "patchwork-export-2023-10-10.json",
        "manyverse-2024-01-31T23:59:59.123Z.json",
        "2023/10/10/alice/export-2.jsonl",
        "a16 sp ace [br]{a,b} #1 50%25 q?x=1 it's.jsonl",
        "a12_other_suffixes/a12_other_suffix.json.gz",
        "\u65e5\u672c\u8a9e.jsonl",
        "2023-10-10 10:10:10.123456 +0200 123.jsonl",
        "planetary/PostWithAltText.json",
        "FeedReplicationTests/PostWithAltTextAndMentions.json",
        "ssb/2019-01-Log-Of-My-Phone.json",
        "ManyVerseOldPhoneLog.json",
        "testdata/MsgWithBlobRefsAndURLs.json",
        "RAFAEL-MacBook-Pro-2 SSB LOG.json",
        shown_name("\u202elog of\nAnn \udce9t\udce9.jsonl"),
        "",
    ],
)
def test_names_that_people_give_stay(name: str) -> None:
    assert kept_name(name, RING) == name


@given(st.text(max_size=30))
def test_a_name_without_key_is_kept_as_it_is(name: str) -> None:
    shown = shown_name(name)
    assert (kept_name(shown, RING) == shown) == (not looks_like_key(shown))


def test_few_keys_in_base32_look_like_words() -> None:
    """Blanks make pieces of them that are as short as words."""
    spelled = [base64.b32encode(random_key(seed)).decode().lower() for seed in range(300)]
    names = [" ".join(key[at : at + 4] for at in range(0, 52, 4)) for key in spelled]
    assert sum(map(looks_like_key, names)) > 270


@pytest.mark.parametrize("digits", [1, 3])
def test_folders_hold_no_key_beside_another_key(digits: int) -> None:
    """Short names of folders are words, each by itself."""
    folders, last = random_key(1).hex(), random_key(2).hex()
    parts = [folders[at : at + digits] for at in range(0, 64, digits)]
    kept = kept_name("/".join([*parts, f"{last}.jsonl"]), RING)
    assert kept.startswith(TOKEN)
    assert kept.endswith(".jsonl")


def test_a_mark_of_direction_is_shown_and_the_log_is_read(tmp_path: Path) -> None:
    (tmp_path / "a\u202elnosj.jsonl").write_bytes(b'{"key":1}\n')
    [log] = list_logs(tmp_path, RING)
    assert (log.source_file, log.problem) == ("a\\u202elnosj.jsonl", None)
    assert texts_that_a_build_reads(tmp_path) == {"a\\u202elnosj.jsonl": [b'{"key":1}']}


@given(
    st.sets(
        st.text(st.sampled_from("a\\u02e\u061c\u200e\u202e\u2069\ufeffש"), max_size=12),
        max_size=6,
    ),
    st.booleans(),
)
def test_a_build_reads_each_log_under_the_name_that_is_shown(
    names: set[str], has_key: bool
) -> None:
    """Names that are escaped, those that look as if they were, and two that are shown as one."""
    with TemporaryDirectory() as folder:
        files = [f"{name}.jsonl" for name in [*names, *[random_key(1).hex()] * has_key]]
        texts = {name: b'{"key":%d}' % number for number, name in enumerate(files)}
        for name, text in texts.items():
            Path(folder, name).write_bytes(text)
        logs = list_logs(folder, RING)
        assert texts_that_a_build_reads(Path(folder)) == {
            log.source_file: [texts[Path(log.path).name]] for log in logs
        }
        assert len(logs) == len(texts)


def texts_that_a_build_reads(folder: Path) -> dict[str, list[bytes | None]]:
    """The lines that come of each log, if all of them are new in the ledger."""
    splits = splits_of(folder, RING, ledger_of(folder, RING))
    return {
        split.source_file: [line.text for line in each_line(read_lines(split))] for split in splits
    }


def test_the_file_is_listed_with_its_token_and_its_path(tmp_path: Path) -> None:
    """Its folder and its ending stay: what it is, and where, is told."""
    name = f"{random_key(1).hex()}.jsonl"
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice" / name).write_bytes(b"{}\n")
    [log] = list_logs(tmp_path, RING)
    assert log.path == str(tmp_path / "alice" / name)
    assert log.source_file.startswith(f"alice/{TOKEN}64-")
    assert log.source_file.endswith(".jsonl")
    assert [log.source_file for log in list_logs(tmp_path)] == [f"alice/{name}"]
    [again] = list_logs(tmp_path, RING)
    assert again.source_file == log.source_file


def test_of_two_names_that_are_shown_as_one_the_same_has_the_mark(tmp_path: Path) -> None:
    """In every build, whatever the order in which the disk lists them."""
    for number in range(20):
        for name in (f"{number}\n.jsonl", f"{number}\\n.jsonl"):
            (tmp_path / name).touch()
    shown = {Path(log.path).name: log.source_file for log in list_logs(tmp_path)}
    for number in range(20):
        assert shown[f"{number}\n.jsonl"] == f"{number}\\n.jsonl"
        assert shown[f"{number}\\n.jsonl"] == f"{number}\\n.jsonl~"


def test_many_names_that_are_shown_as_one_cost_little(tmp_path: Path) -> None:
    """Each had one mark more than the one before: thousands in an archive took minutes."""
    signs = ("\x01", "\\x01")
    for number in range(256):
        parts = [signs[number >> bit & 1] for bit in range(8)]
        (tmp_path / f"{''.join(parts)}.jsonl").touch()
    name = "\\x01" * 8 + ".jsonl"
    # It is listed before most of them.
    (tmp_path / f"{signs[0] * 8}.jsonl~7").touch()
    logs = list_logs(tmp_path)
    assert len({log.path for log in logs}) == 257
    assert {log.source_file for log in logs} == {name, f"{name}~"} | {
        f"{name}~{mark}" for mark in range(2, 257)
    }
