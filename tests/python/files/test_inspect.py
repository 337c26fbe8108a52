"""`scuttlehouse inspect`: what files are, and what is in them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import forms
from read_files import REPORTED, values
from scuttlehouse.cli import main


def test_inspect_says_what_a_file_is_and_what_is_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = {"type": "\x1b[31mred\nline", "text": "hello"}
    lines = [
        json.dumps(values()[0]),
        json.dumps({"key": "%" + "A" * 43 + "=.sha256", "value": value_of(odd)}),
        "{}",
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    (tmp_path / "b.json").write_bytes(b"PK\x03\x04")
    assert main(["inspect", str(tmp_path / "a.jsonl")]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{tmp_path}/a.jsonl: json_lines, not compressed, utf-8, ")
    assert "\n  2 messages, by type:\n" in said
    assert "           1  (a text of 13 characters)\n" in said
    assert "\x1b" not in said
    assert "  1 line would be rejected:\n           1  not_a_message, first at line 3. " in said
    assert main(["inspect", str(tmp_path), str(tmp_path / "gone"), "/dev/null"]) == 1
    said = capsys.readouterr().out
    assert "b.json: This is a zip archive: unpack it with `unzip`.\n" in said
    assert f"{tmp_path}/gone: There is no such file, or you may not look into its folder.\n" in said
    assert "/dev/null: A device and no file: " in said


def test_inspect_counts_what_is_in_a_file_of_both_sources(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contents: list[Any] = [{"type": f"kind{number % 20:02d}"} for number in range(40)]
    records = [
        {"key": "%" + "A" * 43 + "=.sha256", "value": value_of(content)}
        for content in [*contents, *["AAAA.box", {"a": 1}] * 3]
    ]
    of_pzp = (REPORTED.parent / "f01_pzp_decrypted.jsonl").read_text().splitlines()
    lines = [*map(json.dumps, records), '{"msg": {}}', *of_pzp, "{}", "{}"]
    good, bad = tmp_path / "a.jsonl.gz", tmp_path / "b.json"
    good.write_bytes(gzip.compress("\n".join(lines).encode()))
    bad.write_bytes(b"PK\x03\x04")
    assert main(["inspect", str(good)]) == 0
    first, *said = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{good}: json_lines, gzip, utf-8, ")
    assert said[:5] == [
        "  52 messages, by type:",
        "           3  (encrypted)",
        "           3  (without a type)",
        "           3  pzp set_v1__follows",
        "           2  kind00",
    ]
    assert said[21:-1] == [
        "           9  of 5 more types",
        "  each by itself:",
        "          43  invalid (id_mismatch)",
        "           6  valid",
        "           3  invalid (type_is_malformed)",
        "  3 lines would be rejected:",
    ]
    assert said[-1].startswith("           3  not_a_message, first at line 47. ")
    good.write_bytes(gzip.compress(of_pzp[0].encode()))
    assert main(["inspect", str(bad), str(good)]) == 1
    assert "rejected" not in capsys.readouterr().out


def test_inspect_tells_what_another_line_has_as_ciphertext(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = map(json.loads, (REPORTED.parent / "f01_pzp_decrypted.jsonl").open())
    encrypted = next(record for record in records if "misc" in record)
    ciphertext = encrypted.pop("misc")["originalData"]
    opened = encrypted | {"private": True}
    encrypted |= {"msg": encrypted["msg"] | {"data": ciphertext}}
    path = tmp_path / "a.jsonl"
    for lines in ([opened], [opened, encrypted], [encrypted, opened]):
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        assert main(["inspect", str(path)]) == 0
        said = capsys.readouterr().out
        is_alone = encrypted not in lines
        assert ("1 line would be rejected" in said) == is_alone
        assert ("1  not_checked (ciphertext_not_in_log)\n" in said) != is_alone
        assert f"  {len(lines) - is_alone} message" in said


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "An empty name: There is no such file, or you may not look into its folder."),
        (".", ".: The folder holds no files."),
        ("s3://logs/a.jsonl", "s3://logs/a.jsonl: What is in S3 is not inspected: copy it to "),
    ],
)
def test_inspect_of_no_file_is_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    sentence: str,
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["inspect", name]) == 1
    said = capsys.readouterr().out
    assert said.startswith(sentence)
    assert said.count("\n") == 1


def test_inspect_shows_no_mark_of_direction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name may have one, and a folder."""
    folder = tmp_path / "a\u202eb"
    folder.mkdir()
    (folder / "rtl\u202egnp.jsonl").write_bytes(b"{}\n")
    (folder / "sheet\u2066.csv").write_bytes(b"a,b\n")
    main(["inspect", str(folder), str(folder / "rtl\u202egnp.jsonl"), str(folder / "gone\x1b")])
    said = capsys.readouterr().out
    assert said.count("rtl\\u202egnp.jsonl: json_lines") == 2
    assert not set("\u202e\u2066\x1b") & set(said)


def value_of(content: dict[str, Any]) -> dict[str, Any]:
    return {**values()[0]["value"], "content": content}


def test_inspect_of_a_name_that_is_not_that_of_a_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "export").write_bytes(forms.bipf_log([*values()]))
    assert main(["inspect", str(tmp_path / "export")]) == 0
    said = capsys.readouterr().out
    assert ": bipf_log, not compressed, binary, " in said
    assert "  Its name is not that of a log: " in said
    assert " messages, by type:" in said
    assert "  not_checked (content_signature_only)\n" in said
