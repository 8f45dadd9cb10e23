"""A small Isabelle of our own: folders, ROOT files and theories that look real, and a program in place of Poly/ML that does what
Driver.ML does. What a theory's text says decides what happens to it there: CRASH, FAIL, SLOW, HANG. Who hangs leaves the number of
the process in `<theory>.hangs`, and goes on when there is a file `<theory>.go`."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

FAKE_POLY = r"""#!{python}
import hashlib, json, os, re, socket, sys, time
if "-v" in sys.argv:
    print("Poly/ML 5.9.2 Release    RTS version: X86_64_32-5.9.2")
    sys.exit(0)
sys.path.insert(0, {source!r})
from isarstep.isabelle.process import yxml
from isarstep.isabelle.process.external_programs import read_message, write_message

if "ROOT.ML" in sys.argv:  # the bootstrap of Pure
    open(re.search(r'save_child "([^"]+)"', sys.argv[-1]).group(1), "w").write("image of Pure")
    sys.exit(0)
images = re.search(r"loadHierarchy \[(.*?)\]", sys.argv[sys.argv.index("--eval") + 1]).group(1)
for name in re.findall(r'"([^"]+)"', images):
    assert os.path.isfile(name), name
address, password = sys.stdin.readline().split()
host, port = address.split(":")
stream = socket.create_connection((host, int(port))).makefile("rwb")
stream.write(password.encode() + b"\n")
def event(name, **properties):
    pairs = [("function", "isarstep"), ("event", name), *properties.items()]
    write_message(stream, [b"protocol", str(len(pairs)).encode(), *(f"{{k}}={{v}}".encode() for k, v in pairs)])
write_message(stream, [b"init", b"0", b"Welcome"])
# a Scala call, whose answer must come back
write_message(stream, [b"protocol", b"3", b"function=invoke_scala", b"name=echo", b"id=7", b"hello"])
command, *arguments = read_message(stream)
got = {{command: arguments}}
command, *arguments = read_message(stream)
got[command] = arguments
assert got[b"Scala.result"] == [b"7", b"1", b"hello"], got
if os.environ.get("ISARSTEP_TEST_MISFIT"):
    write_message(stream, [b"system", b"0", b'Isabelle protocol command failure: "isarstep_session"'])
    time.sleep(1000)
head, rest = yxml.decode_pair(yxml.parse(got[b"isarstep_session"][0]))
session, image = (yxml.content(part) for part in yxml.decode_pair(head))
numbers, theories = yxml.decode_pair(rest)
folders = yxml.decode_list(yxml.decode_pair(yxml.decode_pair(yxml.parse(open(os.environ["ISABELLE_INIT_SESSION"], "rb").read()))[1])[0])
places = {{}}
for item in folders:
    folder, owner = (yxml.content(part) for part in yxml.decode_pair(item))
    places.setdefault(owner, []).append(folder)
failed = set()
for item in yxml.decode_list(theories):
    first, second = yxml.decode_pair(item)
    name, owner = (yxml.content(part) for part in yxml.decode_pair(first))
    files, flags = yxml.decode_pair(second)
    file, digest = (yxml.content(part) for part in yxml.decode_pair(files))
    imports = [yxml.content(i) for i in yxml.decode_list(yxml.decode_pair(flags)[0])]
    base = name.rpartition(".")[2]
    path = next(p for p in (os.path.join(f, base + ".thy") for f in places[owner]) if os.path.isfile(p))
    text = open(path).read()
    timing = dict(elapsed="0.5", cpu="0.25", gc="0")
    if failed & set(imports):
        failed.add(name); event("failed", theory=name, reason="imports failed"); continue
    event("loading", theory=name)
    if "SLOW" in text: time.sleep(0.2)
    if "CRASH" in text:
        print("the sky is falling", flush=True); os._exit(9)
    if "HANG" in text:
        open(path[:-4] + ".hangs", "w").write(str(os.getpid()))
        for _ in range(20_000):
            if os.path.exists(path[:-4] + ".go"): break
            time.sleep(0.05)
    if "FAIL" in text:
        failed.add(name); event("failed", theory=name, reason="it \x05\x06position\x06line=3\x05does not\x05\x06\x05 load", **timing); continue
    event("loaded", theory=name, failures="0", **timing)
    if "SOLVER" in text:
        event("no_solver", theory=name, line="9")
        event("failure", theory=name, reason='line 9: lemma skipped: exception Option raised (line 84 of "General/basics.ML")')
    if "BROKEN" in text: event("failure", theory=name, reason="line 7: lemma skipped: no solver")
    if file:
        with open(file, "w") as out:
            out.write(json.dumps({{"format": 1, "isabelle": "Isabelle2025-1", "session": owner, "theory": name, "parents": imports, "hash": digest}}) + "\n")
            out.write('{{"types":[["HOL.bool"],["prop"],["fun",0,1]]}}\n{{"terms":[["c","HOL.Trueprop",2],["c","HOL.True",0],["a",0,1]]}}\n')
            out.write('{{"proof":{{"ordinal":0,"command":"lemma","name":null,"line":3,"variables":[],"steps":[[0,"lemma",null,0,0,null,[]],[1,"by",0,0,0,null,[]]],"facts":[["goal",0,null,2,[["method","c","simps"]]]],"complete":true,"unresolved":["1: nonsense: no such fact"]}}}}\n')
            if "TRUNCATED" not in text:
                out.write('{{"end":{{"failures":[]}}}}\n')
        event("mined", theory=name, **timing)
event("finished")
while True:
    message = read_message(stream)
    if message is None or message[0] == b"Prover.stop": break
if image:
    open(image, "w").write("image of " + session)
"""


class FakeIsabelle:
    def __init__(self, folder: Path) -> None:
        self.home = folder / "Isabelle2025-1"
        self.poly = folder / "poly"
        pure = self.home / "src" / "Pure"
        pure.mkdir(parents=True)
        (pure / "ROOT.ML").write_text("")
        (pure / "ROOT").write_text(
            "chapter Pure session Pure = theories Pure (global) theories ML_Bootstrap (global) Sessions"
        )
        (self.home / "etc").mkdir()
        (self.home / "etc" / "options").write_text(
            'section "All"\npublic option threads : int = 0 for build\n  -- "workers"\noption document : string = "" (standard "true")\noption limit : real = -1.5\n'
        )
        (self.home / "ROOTS").write_text("src/Pure\nsrc/Small\n")
        (self.home / "ANNOUNCE").write_text("Subject: Announcing Isabelle2025-1\n\nIsabelle2025-1 is now available.\n")
        source = str(Path(__file__).resolve().parents[3] / "src")
        self.poly.mkdir()
        program = self.poly / "poly"
        program.write_text(FAKE_POLY.format(python=sys.executable, source=source))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        small = self.home / "src" / "Small"
        small.mkdir()
        (small / "ROOT").write_text(
            "chapter Small\n"
            "session Small (main) = Pure + theories A B C (* the last *)\n"
            'session "Small-More" in More = Small + sessions Small theories [condition = ISARSTEP_NO_SUCH] X theories Y Z\n'
            "session Other in Other = Pure + sessions Small theories O\n"
        )
        for name, imports in (("A", "Pure"), ("B", "A"), ("C", "A B")):
            self.write("Small", name, imports)
        for name, imports in (("X", "Small.C"), ("Y", "Small.C"), ("Z", "Y")):
            self.write("Small/More", name, imports)
        self.write("Small/Other", "O", '"Small.B"')

    def write(self, folder: str, name: str, imports: str, body: str = "") -> Path:
        path = self.home / "src" / folder / f"{name}.thy"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"section \\<open>Theory {name}\\<close>\n\ntheory {name}\n  imports {imports}\nbegin\n{body}\nend\n"
        )
        return path


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeIsabelle:
    isabelle = FakeIsabelle(tmp_path)
    monkeypatch.setenv("ISABELLE_HOME", str(isabelle.home))
    monkeypatch.setenv("ML_HOME", str(isabelle.poly))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ISABELLE_HEAPS", raising=False)
    os.environ.pop("ISARSTEP_NO_SUCH", None)
    return isabelle
