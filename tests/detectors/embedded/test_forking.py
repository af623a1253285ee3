"""Processes that are forked after a first check, as web servers and process pools do it."""

import os
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes"),
]

BEGINNING = """
import multiprocessing, os, sys, threading, warnings
from assay import check, check_each

warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside threads
ROW = {"source": "Ada was born in 1815.", "response": "Ada was born in 1852. She was born."}

def first_label(_=None):
    return check(ROW).sentences[0].label.name
"""


def labels_said_by(script: str) -> list[str]:
    """What a script of its own process prints; one that hangs is killed and fails the test."""
    done = subprocess.run(
        [sys.executable, "-c", BEGINNING + script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_pool_of_processes_checks_after_its_parent_did() -> None:
    said = labels_said_by("""
print(first_label())
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(*pool.map(first_label, range(4)))
""")
    assert len(said) == 5
    assert len(set(said)) == 1


def test_a_child_checks_though_its_parent_was_forked_in_the_middle_of_a_check() -> None:
    """Every lock may be held by a thread that the child does not have."""
    said = labels_said_by("""
first_label()
done = threading.Event()

def work():
    while not done.is_set():
        first_label()

workers = [threading.Thread(target=work) for _ in range(2)]
for worker in workers:
    worker.start()
for _ in range(6):
    child = os.fork()
    if not child:
        print(first_label(), flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
done.set()
for worker in workers:
    worker.join()
""")
    assert len(said) == 6
    assert len(set(said)) == 1


def test_a_check_that_was_begun_before_a_fork_does_not_hang_the_child() -> None:
    said = labels_said_by("""
results = check_each([ROW] * 9)
next(results)
child = os.fork()
if not child:
    try:
        list(results)
    except RuntimeError as error:
        print("refused" if "fork" in str(error) else error, flush=True)
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
print(len(list(results)))
""")
    assert said == ["refused", "8"]


def test_a_child_that_leaves_a_check_of_its_parent_ends() -> None:
    said = labels_said_by("""
results = check_each([ROW] * 9)
next(results)
child = os.fork()
if not child:
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
print(len(list(results)))
""")
    assert said == ["8"]
