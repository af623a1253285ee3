"""How far a reader walks through the code of a command, and how large the code is.

Each command runs in a process of its own, with a model on loopback, and every call of a function of
`assay` is noted, in all threads. What runs while a module is imported is left out.

  modules    modules of which a function was called
  functions  functions that were called; comprehensions belong to the function they stand in
  switches   from one call or return to the next, how often another module goes on
  main       switches of the main thread alone

The code is that of the `assay` that Python imports, so PYTHONPATH=FOLDER/src measures another one.

Run: python benchmarks/walks.py [NAME ...] [--pairs N] [--tree] [--json FILE] [--compare FILE]
"""

import argparse
import ast
import builtins
import contextlib
import importlib.util
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

from llm_processes import Server, write_examples

Figures = dict[str, int | float]
Report = dict[str, dict[str, Figures]]

COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
IS_FUNCTION = 0x01  # inspect.CO_OPTIMIZED: the body of a module or class does not have it
MODEL = "--model loopback --base-url $URL"
RUN = f"run examples.jsonl --detector judge-simple {MODEL} --name walk"
# By name: the command, and the one that has to come before it, if any.
COMMANDS = {
    "check overlap": ("check examples.jsonl --detector overlap", ""),
    "check judge": (f"check examples.jsonl --detector judge-simple {MODEL}", ""),
    "run": (RUN, ""),
    "evaluate run:": ("evaluate run:walk --dataset examples.jsonl", RUN),
    "evaluate 4": ("evaluate overlap --dataset 4.jsonl", ""),
    "evaluate 40": ("evaluate overlap --dataset 40.jsonl", ""),  # enough for every bootstrap
    "board build 4": ("board build 4.jsonl overlap", ""),
    "localize evaluate": (f"localize evaluate localize-cot --dataset ragtruth {MODEL}", ""),
}


def source_folder() -> Path:
    """The folder of the `assay` that would be imported."""
    spec = importlib.util.find_spec("assay")
    if spec is None or spec.origin is None:
        sys.exit("there is no assay to measure: set PYTHONPATH to its src folder")
    return Path(spec.origin).parent


@dataclass(slots=True)
class Walk:
    """The calls of functions below a folder, and the ways from module to module."""

    folder: str
    functions: set[CodeType] = field(default_factory=set)
    ways: Counter[tuple[str, str]] = field(default_factory=Counter)
    main: int = 0
    thread: threading.local = field(default_factory=threading.local)

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """For `sys.setprofile`: notes a call or return unless a module is being imported."""
        if event not in ("call", "return"):
            return
        code = frame.f_code
        if code.co_name == "<module>":
            depth = getattr(self.thread, "importing", 0)
            self.thread.importing = depth + (1 if event == "call" else -1)
        elif self._counts(code) and not getattr(self.thread, "importing", 0):
            if code.co_name not in COMPREHENSIONS:
                self.functions.add(code)
            last = getattr(self.thread, "module", code.co_filename)
            if last != code.co_filename:
                self.ways[last, code.co_filename] += 1
                self.main += threading.current_thread() is threading.main_thread()
            self.thread.module = code.co_filename

    def figures(self) -> Figures:
        """Modules, functions and switches."""
        return {
            "modules": len({code.co_filename for code in self.functions}),
            "functions": len(self.functions),
            "switches": self.ways.total(),
            "main": self.main,
        }

    def pairs(self) -> list[tuple[str, str, int]]:
        """Two modules, and how often the walk goes from one to the other, most often first."""
        found: Counter[tuple[str, str]] = Counter()
        for way, times in self.ways.items():
            first, second = sorted(name.removeprefix(self.folder) for name in way)
            found[first, second] += times
        return [(*pair, times) for pair, times in found.most_common()]

    def _counts(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self.folder) and bool(code.co_flags & IS_FUNCTION)


def trace(arguments: list[str]) -> None:
    """Runs a command in this process and prints the figures of its walk."""
    folder = source_folder()
    from assay.cli import main as assay

    walk = Walk(f"{folder}{os.sep}")
    sys.argv = ["assay", *arguments]
    said, complained, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        threading.setprofile(walk.note)
        sys.setprofile(walk.note)
        try:
            assay()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        finally:
            sys.setprofile(None)
    if code:
        output = said.getvalue() + complained.getvalue()
        sys.exit(f"assay {' '.join(arguments)}\nended with {code}:\n{output}")
    print(json.dumps({"figures": walk.figures(), "pairs": walk.pairs()}))


def write_labelled(path: Path, count: int) -> None:
    """Labelled responses of two LLMs, every other one with an error."""
    rows = [json.loads(line) for line in write_examples(path, count).open(encoding="utf-8")]
    for number, row in enumerate(rows):
        row |= {"label": "faithful", "model": f"llm-{number // 2 % 2}"}
        if number % 2:
            row["label"] = "unfaithful"
            row["response"] = row["response"].replace("closed", "painted blue by three sailors")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_inputs(folder: Path) -> None:
    """One labelled example as a file, the same in RAGTruth's form, and files of several."""
    for count in (4, 40):
        write_labelled(folder / f"{count}.jsonl", count)
    path = write_examples(folder / "examples.jsonl", 1)
    row = {**json.loads(path.read_text(encoding="utf-8")), "label": "faithful"}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    words, text = "million euros", row["response"]
    start = text.index(words)
    mark = {"start": start, "end": start + len(words), "text": words, "meta": "The sum is wrong."}
    source = {"source_id": "1", "task_type": "Summary", "source_info": row["source"]}
    response = {"id": "1", "source_id": "1", "model": "m", "split": "test", "response": text}
    response["labels"] = [{**mark, "label_type": "Evident Conflict"}]
    corpus = folder / "ragtruth"
    corpus.mkdir()
    (corpus / "source_info.jsonl").write_text(json.dumps(source), encoding="utf-8")
    (corpus / "response.jsonl").write_text(json.dumps(response), encoding="utf-8")


def measure(name: str, server: Server, pairs: int) -> Figures:
    """The walk of a command, in a process and a folder of its own; prints its busiest pairs."""
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(Path(folder))
        places = {"XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder, "ASSAY_DATA": folder}
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ASSAY_", "OPENAI_"))}
        environment = {**kept, **places, "OPENAI_API_KEY": "none", "NO_PROXY": "127.0.0.1"}
        command, before = COMMANDS[name]
        for line in filter(None, (before, command)):
            arguments = line.replace("$URL", server.base_url(0)).split()
            done = subprocess.run(
                [sys.executable, __file__, "--trace", *arguments],
                capture_output=True,
                text=True,
                cwd=folder,
                env=environment,
            )
            if done.returncode:
                sys.exit(done.stderr)
            if MODEL.split()[0] in arguments and not server.calls():
                sys.exit(f"assay {' '.join(arguments)}\nasked no model")
    found = json.loads(done.stdout)
    for first, second, times in found["pairs"][:pairs]:
        print(f"{name}: {times:,} between {first} and {second}")
    figures: Figures = found["figures"]
    return figures


def tree() -> dict[str, Figures]:
    """How much code there is, and how often it asks what type something has."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(source_folder().rglob("*.py"))]
    lengths = [len(text.splitlines()) for text in texts]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    ours = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    asked = [types_asked(node) for node in nodes if isinstance(node, ast.Call) and is_probe(node)]
    figures: Figures = {
        "modules": len(texts),
        "lines": sum(lengths),
        "median": statistics.median(lengths),
        "longest": max(lengths),
        "isinstance": len(asked),
        "not built in": sum(not types <= vars(builtins).keys() for types in asked),
        "of ours": sum(not types.isdisjoint(ours) for types in asked),
    }
    return {"all": figures}


def is_probe(call: ast.Call) -> bool:
    """Whether it is a call of `isinstance`."""
    return isinstance(call.func, ast.Name) and call.func.id == "isinstance"


def types_asked(probe: ast.Call) -> set[str]:
    """The names of the types that a call of `isinstance` asks about, of `m.A` the last part."""
    modules = {id(n.value) for n in ast.walk(probe.args[1]) if isinstance(n, ast.Attribute)}
    return {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(probe.args[1])
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in modules
    }


def show(title: str, found: dict[str, Figures], earlier: dict[str, Figures]) -> None:
    """A table; with an earlier one, each figure stands after what it was."""
    heads = list(next(iter(found.values())))
    rows = [[title, *heads]]
    for name, figures in found.items():
        before = earlier.get(name, {})
        rows.append([name, *(cell(figures[head], before.get(head)) for head in heads)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        aligned = (f"{text:>{width}}" for text, width in zip(cells, widths[1:], strict=True))
        print(f"{name:{widths[0]}}  " + "  ".join(aligned))


def cell(now: float, before: float | None) -> str:
    """A figure, with what it was and by how much it has changed."""
    return f"{now:,g}" if before is None else f"{before:,g} -> {now:,g} ({now - before:+,g})"


def main() -> None:
    """Measures, prints, writes and compares as the options say."""
    if sys.argv[1:2] == ["--trace"]:
        trace(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(COMMANDS))
    parser.add_argument("--pairs", type=int, default=0, metavar="N", help="show the busiest pairs")
    parser.add_argument("--tree", action="store_true", help="measure the code, not the walks")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="show changes since FILE")
    options = parser.parse_args()
    print(f"assay in {source_folder()}")
    if options.tree:
        report: Report = {"tree": tree()}
    else:
        with Server() as server:
            names = options.names or COMMANDS
            report = {"command": {name: measure(name, server, options.pairs) for name in names}}
    earlier: Report = json.loads(options.compare.read_text()) if options.compare else {}
    for title, found in report.items():
        show(title, found, earlier.get(title, {}))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
