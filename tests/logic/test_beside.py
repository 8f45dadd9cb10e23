"""Made once, kept as long as its owner and no longer."""

import gc
import pickle
import weakref

from isarstep.logic.beside import beside


class Owner:
    pass


class Table:
    def __init__(self, owner: Owner) -> None:
        self.owner = owner


def test_it_is_made_once_for_each_owner() -> None:
    one, other = Owner(), Owner()
    assert beside(one, Table) is beside(one, Table)
    assert beside(one, Table).owner is one
    assert beside(other, Table).owner is other


def test_different_things_of_one_owner() -> None:
    owner = Owner()
    assert beside(owner, id) == id(owner)
    assert isinstance(beside(owner, Table), Table)


def test_it_goes_with_its_owner_although_it_refers_to_it() -> None:
    owner = Owner()
    table = weakref.ref(beside(owner, Table))
    del owner
    gc.collect()
    assert table() is None


def test_it_is_not_sent_to_other_processes() -> None:
    owner = Owner()
    beside(owner, lambda _: open)  # could not be sent
    copy = pickle.loads(pickle.dumps(owner))
    assert beside(copy, Table).owner is copy
