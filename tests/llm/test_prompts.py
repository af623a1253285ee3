"""Prompts in files."""

from pathlib import Path
from string import Template

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.core.taxonomies import taxonomy
from assay.llm.client import Message
from assay.llm.prompts import Prompt, label_menu, read_prompt

HEADER = "name: p\nversion: 1\ninputs: source, labels\npaper: P (2025)\nreply_tokens: 50"
BODY = "# system\nUse $labels.\n\n# user\nIt costs $$5: ${source}!\n"


def write(folder: Path, header: str = HEADER, body: str = BODY) -> Path:
    path = folder / "p.md"
    path.write_text(f"---\n{header}\n---\n{body}", encoding="utf-8")
    return path


def test_a_prompt_is_rendered_by_sections(tmp_path: Path) -> None:
    prompt = read_prompt(write(tmp_path))
    assert (prompt.name, prompt.version, prompt.reply_tokens) == ("p", "1", 50)
    assert prompt.render(source="S", labels="a, b") == (
        Message("system", "Use a, b."),
        Message("user", "It costs $5: S!"),
    )


def test_empty_lines_of_the_header_are_passed_over(tmp_path: Path) -> None:
    spaced = write(tmp_path, "\n" + HEADER.replace("\n", "\n \n") + "\n")
    assert read_prompt(spaced) == read_prompt(write(tmp_path))


def test_what_is_filled_in_is_not_searched_for_gaps(tmp_path: Path) -> None:
    prompt = read_prompt(write(tmp_path))
    material = "$labels ${labels} $$ $9 \\1 {source} %s\r\n# user\n---"
    assert prompt.render(source=material, labels="$source")[1].content == (
        f"It costs $5: {material}!"
    )


@given(st.lists(st.sampled_from(["$a", "${b}", "$$", "$$a", "${a}b", "a", " ", "\n", "{", "é"])))
def test_gaps_are_those_of_string_templates(pieces: list[str]) -> None:
    text = "|".join(("$a", "$b", *pieces))
    values = {"a": "1 $b", "b": "${a} 2"}
    prompt = Prompt("p", "1", frozenset(values), (("user", text),))
    assert prompt.render(**values)[0].content == Template(text).substitute(values)


def test_fixed_gaps_need_no_value_and_change_the_digest(tmp_path: Path) -> None:
    prompt = read_prompt(write(tmp_path))
    fixed = prompt.fix(labels="a")
    assert fixed.render(source="S")[0].content == "Use a."
    assert len({prompt.digest, fixed.digest, prompt.fix(labels="b").digest}) == 3
    assert prompt.fix(labels="a").digest == fixed.digest


def test_the_digest_is_of_the_wording(tmp_path: Path) -> None:
    first = read_prompt(write(tmp_path)).digest
    assert read_prompt(write(tmp_path, body=BODY.replace("Use", "Take"))).digest != first
    assert read_prompt(write(tmp_path, body=BODY.replace("\n", "\r\n"))).digest == first


@pytest.mark.parametrize("values", [{"source": "S"}, {"source": "S", "labels": "", "more": ""}])
def test_missing_and_unknown_values_raise(tmp_path: Path, values: dict[str, str]) -> None:
    wrong = "more" if "more" in values else "labels"
    with pytest.raises(InputError, match=f"prompt 'p' and its method have other inputs: {wrong}$"):
        read_prompt(write(tmp_path)).render(**values)


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("name: p\nversion: 1", "the header has no 'inputs'"),
        ("name:\nversion: 1\ninputs: source", "the header has no 'name'"),
        (f"{HEADER}\nmodel: x", "the header may contain only .*, not 'model: x'"),
        (f"{HEADER}\nname: q", "the header has 'name' twice"),
        (f"{HEADER}\nnonsense", "the header may contain only .*, not 'nonsense'"),
        (HEADER.replace("50", "many"), "reply_tokens must be a whole number above 0, not 'many'"),
        (HEADER.replace("50", "0"), "reply_tokens must be a whole number above 0, not '0'"),
        (HEADER.replace("labels", "label"), r".* in the text differ: \$label, \$labels"),
    ],
)
def test_a_wrong_header_is_one_clear_line(tmp_path: Path, header: str, problem: str) -> None:
    with pytest.raises(InputError, match=f"^[^\n]*p.md: {problem}$"):
        read_prompt(write(tmp_path, header))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            "Use $labels for $source.",
            "all text must be below '# system', '# user' or '# assistant'",
        ),
        ("# System\n$labels $source", "all text must be below"),
        ("", "the last section must be '# user', with the question"),
        ("# system\n$labels $source", "the last section must be '# user', with the question"),
        ("# system \n$labels $source\n# user", "there is no text below '# user'"),
        ("# system\n\n# user\n$labels $source", "there is no text below '# system'"),
        ("# user\n$labels $source $other", r"differ: \$other"),
        ("# user\n$labels", r"differ: \$source"),
        ("# user\n$labels $source\nfor $5", r"a \$ without a name in 'for \$5'; write \$\$"),
        ("# user\n$labels $source $", r"a \$ without a name"),
    ],
)
def test_a_wrong_text_is_one_clear_line(tmp_path: Path, body: str, problem: str) -> None:
    with pytest.raises(InputError, match=f"^[^\n]*p.md: [^\n]*{problem}"):
        read_prompt(write(tmp_path, body=body))


def test_a_file_that_is_no_prompt_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    with pytest.raises(InputError, match=r"cannot read the prompt .*p\.md: No such file"):
        read_prompt(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"p\.md is not UTF-8 text"):
        read_prompt(path)
    path.write_text("# user\nHi", encoding="utf-8")
    with pytest.raises(InputError, match="is not a prompt: it must begin with a header"):
        read_prompt(path)


def test_a_mark_of_some_editors_before_the_header_does_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_prompt(path).name == "p"


def test_the_menu_goes_from_faithful_to_unfaithful_with_meanings() -> None:
    lines = label_menu(taxonomy("gray7")).splitlines()
    assert len(lines) == 7
    assert lines[0].startswith("- explicitly-supported: The source entails the sentence")
    assert lines[-1] == "- contradicting: The source says that the sentence is false."


def test_a_prompt_can_be_made_without_a_file() -> None:
    prompt = Prompt("q", "1", frozenset(), (("user", "Hi."),))
    assert prompt.render() == (Message("user", "Hi."),)
