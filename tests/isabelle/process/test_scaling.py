import pytest
from research.benchmarks.scheduling import START_SECONDS, critical_paths, estimate, schedule

from isarstep.common.errors import UserError
from isarstep.isabelle.process.installation import Sessions, find_installation

COSTS = {"a": 1.0, "b": 5.0, "c": 1.0, "d": 1.0, "e": 2.0}
ABOVE = {"a": (), "b": ("a",), "c": ("a",), "d": ("c", "outside"), "e": ("b", "d")}


def test_critical_path_and_schedules():
    assert critical_paths(COSTS, ABOVE) == {"a": 8.0, "b": 7.0, "c": 4.0, "d": 3.0, "e": 2.0}
    assert schedule(COSTS, ABOVE, 1).makespan == 10.0
    assert schedule(COSTS, ABOVE, 2).makespan == 8.0
    assert schedule(COSTS, ABOVE, 100).makespan == 8.0


def test_more_memory_with_more_workers():
    memory = dict.fromkeys(COSTS, 2.0)
    assert schedule(COSTS, ABOVE, 1, memory).memory == 2.0
    assert schedule(COSTS, ABOVE, 8, memory).memory == 4.0


def test_costs_from_a_journal(fake):
    sessions = Sessions(find_installation())
    size = sessions.theory("Small.A", "test").size
    journal = [
        {"theory": "Small.A", "status": "mined", "load_cpu": 0.1 * size, "mine_cpu": 0.0},
        {"session_run": "Small", "peak_memory": 100},
    ]
    library = estimate(sessions, ["Small", "Small-More", "Other"], journal)
    assert library.measured == 1
    other = sessions.theory("Other.O", "test").size
    assert library.theory_costs["Other.O"] == pytest.approx(0.1 * other)
    # Other rests on Small, whose image holds all it imports.
    assert library.session_costs["Other"] == pytest.approx(0.1 * other + START_SECONDS)
    assert library.session_above["Small-More"] == ("Small",)
    with pytest.raises(UserError, match="no times"):
        estimate(sessions, ["Small"], [])
