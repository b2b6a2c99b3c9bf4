"""Markdown: where code stands, what is in it, and what is left without it."""

import pytest

from raglab.text.markdown import code_blocks, code_spans, without_code


def test_code_spans_do_not_overlap() -> None:
    assert code_spans("`a` b `c`") == [(0, 3), (6, 9)]
    assert code_spans("```\nx\n```\n`y`\n```\nz\n```") == [(0, 9), (10, 13), (14, 23)]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("No code, but `some` of it.", []),
        ("```sh\nls\n```", ["ls"]),
        ("~~~\nls\n\npwd\n~~~\n\n```\ncd\n```", ["ls\n\npwd", "cd"]),
        ("1. ```sh\n   ls\n   ```", ["   ls"]),
        ("> ```\n> ls\n> ```\n\nor `cd`", ["ls"]),
        ("```\nnever closed", ["never closed"]),
        ("```\n```", [""]),
        ("``over\ntwo lines``", []),
    ],
)
def test_code_blocks(text: str, blocks: list[str]) -> None:
    assert code_blocks(text) == blocks


@pytest.mark.parametrize(
    ("text", "bare", "with_inline"),
    [
        ("No code.", "No code.", "No code."),
        ("Use `ls` here.", "Use   here.", "Use `ls` here."),
        ("Use ``over\ntwo`` here.", "Use   here.", "Use ``over\ntwo`` here."),
        ("Run\n```\nls\n```\nnow.", "Run\n\n\n\nnow.", "Run\n\n\n\nnow."),
        ("```\nls\n```", "\n\n", "\n\n"),
        ("`a` ```\nb", "  ```\nb", "`a` ```\nb"),
        ("Run `it`:\n~~~\nls", "Run  :\n\n\n", "Run `it`:\n\n\n"),
    ],
)
def test_without_code(text: str, bare: str, with_inline: str) -> None:
    assert without_code(text) == bare
    assert without_code(text, keep_inline=True) == with_inline
