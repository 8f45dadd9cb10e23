"""Made once, kept as long as its owner and no longer."""

import gc
import pickle
import weakref

from isarstep.common.memo import memo


class Owner:
    pass


class Table:
    def __init__(self, owner: Owner) -> None:
        self.owner = owner


def test_it_is_made_once_for_each_owner() -> None:
    one, other = Owner(), Owner()
    assert memo(one, Table) is memo(one, Table)
    assert memo(one, Table).owner is one
    assert memo(other, Table).owner is other


def test_different_things_of_one_owner() -> None:
    owner = Owner()
    assert memo(owner, id) == id(owner)
    assert isinstance(memo(owner, Table), Table)


def test_it_goes_with_its_owner_although_it_refers_to_it() -> None:
    owner = Owner()
    table = weakref.ref(memo(owner, Table))
    del owner
    gc.collect()
    assert table() is None


def test_it_is_not_sent_to_other_processes() -> None:
    owner = Owner()
    memo(owner, lambda _: open)  # could not be sent
    copy = pickle.loads(pickle.dumps(owner))
    assert memo(copy, Table).owner is copy
