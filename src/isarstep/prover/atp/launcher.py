"""The process that starts provers: a small program of its own, run by `provers` with a socket as standard input.

It imports cvc5 once and forks for each query, so a query starts in a few milliseconds with a fresh solver. Every
query has its own process group and hard limits. When the socket closes, for whatever reason, every process it ever
started is killed: no orphans after ctrl-C or kill -9. It imports nothing of isarstep and nothing slow.

Messages are JSON lines. In: {"start": id, "argv": [...], "options": {...}, "cpu": s, "memory": bytes}, with two
descriptors (the problem to read as standard input, the pipe to answer on); {"stop": pid}. Out: {"started": id,
"pid": pid}, {"stopped": pid, "status": n, "cpu": s}. With an empty argv the query is cvc5's: the problem is SMT-LIB
text.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
import sys

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def main() -> None:
    with contextlib.suppress(ImportError):
        import cvc5  # noqa: F401  imported here so that every fork has it
    # Grandchildren that leave their process group come back to us when their parent ends, and are killed then.
    process_control(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = socket.socket(fileno=0)
    alive: set[int] = set()
    buffer = b""
    descriptors: list[int] = []
    try:
        while True:
            data, received, _, _ = socket.recv_fds(channel, 65536, 16)
            if not data:
                break
            buffer += data
            descriptors += received
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                message = json.loads(line)
                if "start" in message:
                    source, sink = descriptors.pop(0), descriptors.pop(0)
                    pid = _start(message, source, sink, channel)
                    alive.add(pid)
                    os.close(source)
                    os.close(sink)
                    reply: dict[str, float] = {"started": message["start"], "pid": pid}
                else:
                    pid = message["stop"]
                    # Only what was started here: any other number is another's process group.
                    status, seconds = _stop(pid) if pid in alive else (-1, 0.0)
                    alive.discard(pid)
                    reply = {"stopped": pid, "status": status, "cpu": seconds}
                    _kill_strays(alive)
                channel.sendall(json.dumps(reply).encode() + b"\n")
    except (OSError, ValueError):
        pass  # the other side is gone or broken: end everything below
    finally:
        for pid in alive:
            _stop(pid)
        _kill_strays(set())


def process_control(option: int, value: int) -> None:
    """Only Linux has the call; elsewhere a prover may outlive a launcher that is killed."""
    call = getattr(ctypes.CDLL(None), "prctl", None)
    if call is not None:
        call(option, value, 0, 0, 0)


def _start(message: dict[str, object], source: int, sink: int, channel: socket.socket) -> int:
    pid = os.fork()
    if pid:
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)  # in both processes, whoever comes first
        return pid
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        process_control(PR_SET_PDEATHSIG, signal.SIGKILL)
        channel.close()
        os.dup2(source, 0)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        os.closerange(3, 256)
        memory, cpu = int(str(message["memory"])), float(str(message["cpu"]))
        with contextlib.suppress(ValueError, OSError):  # macOS knows the limit and refuses to set it
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        # The timer outlives exec and kills to the millisecond; the limit behind it cannot be caught or reset.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, cpu)
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        argv = message["argv"]
        assert isinstance(argv, list)
        if argv:
            os.execvp(argv[0], argv)
        options = message["options"]
        assert isinstance(options, dict)
        _solve(options)
    except BaseException as error:
        os.write(1, f"\n; failed: {type(error).__name__}: {error}\n".encode(errors="replace"))
        os._exit(1)
    os._exit(0)


def _solve(options: dict[str, str]) -> None:
    """Answer one SMT-LIB problem: `unsat`, then the labels of the assertions that were needed."""
    import cvc5

    with open(0, encoding="utf-8") as source:
        text = source.read()
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("produce-unsat-cores", "true")
    for name, value in options.items():
        solver.setOption(name, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "problem")
    symbols = parser.getSymbolManager()
    answer = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        answer = command.invoke(solver, symbols).strip()
        if answer.startswith("(error"):
            os.write(1, f"; failed: {answer}\n".encode())
            return
    os.write(1, f"{answer}\n".encode())
    if answer == "unsat":
        by_term = symbols.getNamedTerms()
        core = [by_term.get(term, "?") for term in solver.getUnsatCore()]
        version = str(solver.getVersion(), "ascii").partition("-")[0]
        os.write(1, ("; core " + " ".join(core) + f"\n; version {version}\n").encode())


def _stop(pid: int) -> tuple[int, float]:
    """Kill the whole process group and say how its leader ended after how much processor time. It is reaped only
    here, so its number cannot have been given to another process.
    """
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    try:
        _, status, usage = os.wait4(pid, 0)
    except ChildProcessError:
        return -1, 0.0
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def _kill_strays(alive: set[int]) -> None:
    """Children that we never started were left behind by a prover; those still in the group of a running query may
    live on.
    """
    for _ in range(100):
        try:
            with open("/proc/self/task/" + str(os.getpid()) + "/children", encoding="ascii") as file:
                children = [int(pid) for pid in file.read().split()]
        except OSError:
            return
        strays = []
        for pid in children:
            with contextlib.suppress(OSError):
                if pid not in alive and os.getpgid(pid) not in alive:
                    strays.append(pid)
        if not strays:
            return
        for pid in strays:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
