"""Prompts in files, with a header, a section for each role, and `$variables` to fill in.

---
name: judge-simple
version: 1
inputs: source, response, labels
paper: the paper that describes the method
reply_tokens: 120
---
# system
You compare $response with ...
# user
...

Texts are filled in between fences, so that nothing inside a text can end its part of the prompt.
More fields of the header say in which form the model replies: see `forms.py`.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import cast

from assay.core.errors import InputError
from assay.core.labels import Taxonomy
from assay.llm.client import Message, Role
from assay.llm.replies.forms import HEADER_FIELDS, OWN_FORM, ReplyForm, read_form

_FILE = re.compile(r"\A---\n(?P<header>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_SECTION = re.compile(r"^# (system|user|assistant)[ \t]*$", re.MULTILINE)
_FIELDS = {"name", "version", "inputs", "paper", "reply_tokens", *HEADER_FIELDS}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation with gaps; `inputs` names them, `reply_tokens` is a typical reply length.

    `form` is the form of the reply, if it is not the one that the method's own prompt asks for.
    `brought` names a prompt that the user brought in place of ours.
    """

    name: str
    version: str
    inputs: frozenset[str]
    sections: tuple[tuple[Role, str], ...]
    reply_tokens: int = 200
    fixed: Mapping[str, str] = field(default_factory=dict)
    form: ReplyForm = OWN_FORM
    brought: str = ""

    def render(self, **values: str) -> tuple[Message, ...]:
        """The conversation with its gaps filled; what is filled in is not searched for gaps."""
        given = {**self.fixed, **values}
        if self.inputs != set(given):
            wrong = ", ".join(sorted(self.inputs ^ set(given)))
            raise InputError(f"the prompt '{self.name}' and its method have other inputs: {wrong}")
        return tuple(Message(role, _fill(text, given)) for role, text in self.sections)

    def fix(self, **values: str) -> "Prompt":
        """The prompt with some gaps filled once and for all, such as the menu of labels."""
        return replace(self, fixed={**self.fixed, **values})

    @property
    def digest(self) -> str:
        """A short digest of the whole prompt, to tell whether two runs asked the same."""
        parts: list[object] = [self.sections, sorted(self.fixed.items())]
        if self.form != OWN_FORM:
            parts.append(sorted(asdict(self.form).items()))
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def read_prompt(path: str | Path) -> Prompt:
    """The prompt in a file; raises if it cannot be used."""
    text = _text(path)
    found = _FILE.match(text.replace("\r\n", "\n"))
    if not found:
        raise InputError(
            f"{path} is not a prompt: it must begin with a header between lines of ---"
        )
    header = _header(found["header"], path)
    sections = _sections(found["body"], path)
    inputs = frozenset(filter(None, (each.strip() for each in header["inputs"].split(","))))
    _check_gaps(path, inputs, sections)
    tokens = header.get("reply_tokens", "200")
    if not tokens.isdecimal() or int(tokens) == 0:
        raise InputError(f"{path}: reply_tokens must be a whole number above 0, not '{tokens}'")
    form = read_form(header, path)
    return Prompt(header["name"], header["version"], inputs, sections, int(tokens), form=form)


def _fill(text: str, values: Mapping[str, str]) -> str:
    pieces = list(_pieces(text))
    pieces[1::2] = [values[name] for name in pieces[1::2]]
    return "".join(pieces)


@lru_cache(maxsize=256)
def _pieces(text: str) -> tuple[str, ...]:
    """Plain text and the names of gaps by turns; prompts are filled in thousands of times."""
    pieces, at = [""], 0
    for gap in Template.pattern.finditer(text):
        pieces[-1] += text[at : gap.start()]
        at = gap.end()
        if gap["escaped"] is None:
            pieces += [gap["named"] or gap["braced"], ""]
        else:
            pieces[-1] += "$"
    pieces[-1] += text[at:]
    return tuple(pieces)


def label_menu(taxonomy: Taxonomy) -> str:
    """The labels with their meanings, one per line, from the most to the least faithful."""
    return "\n".join(f"- {label.name}: {label.meaning}" for label in reversed(taxonomy.labels))


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read the prompt {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"the prompt {path} is not UTF-8 text: {error.reason}") from None


def _sections(body: str, path: str | Path) -> tuple[tuple[Role, str], ...]:
    first, *pieces = _SECTION.split(body)
    roles, texts = pieces[::2], [text.strip() for text in pieces[1::2]]
    if first.strip():
        raise InputError(f"{path}: all text must be below '# system', '# user' or '# assistant'")
    if not roles or roles[-1] != "user":
        raise InputError(f"{path}: the last section must be '# user', with the question")
    if not all(texts):
        raise InputError(f"{path}: there is no text below '# {roles[texts.index('')]}'")
    return tuple((cast(Role, role), text) for role, text in zip(roles, texts, strict=True))


def _header(text: str, path: str | Path) -> dict[str, str]:
    header = {}
    for line in filter(str.strip, text.splitlines()):
        name, colon, value = line.partition(":")
        if not colon or name.strip() not in _FIELDS:
            fields = ", ".join(sorted(_FIELDS))
            raise InputError(f"{path}: the header may contain only {fields}, not '{line}'")
        if name.strip() in header:
            raise InputError(f"{path}: the header has '{name.strip()}' twice")
        header[name.strip()] = value.strip()
    for name in ("name", "version", "inputs"):
        if not header.get(name) and not (name == "inputs" and name in header):
            raise InputError(f"{path}: the header has no '{name}'")
    return header


def _check_gaps(
    path: str | Path, inputs: frozenset[str], sections: tuple[tuple[Role, str], ...]
) -> None:
    gaps: set[str] = set()
    for _, text in sections:
        if not Template(text).is_valid():
            line = next(line for line in text.splitlines() if not Template(line).is_valid())
            problem = f"a $ without a name in '{line.strip()[:60]}'"
            raise InputError(f"{path}: {problem}; write $$ for a dollar sign")
        gaps.update(Template(text).get_identifiers())
    if gaps != inputs:
        wrong = ", ".join(f"${name}" for name in sorted(gaps ^ inputs))
        raise InputError(f"{path}: the inputs in the header and in the text differ: {wrong}")
