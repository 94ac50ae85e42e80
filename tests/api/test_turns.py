import asyncio
import gc

from config.turns import Turns

MOST = 3


async def served(turns: Turns, authorization: str, began: list[str], done: asyncio.Event) -> None:
    async with turns.of(authorization):
        began.append(authorization)
        await done.wait()


async def serve(turns: Turns, *authorizations: str) -> tuple[list[str], list[str]]:
    """Who was let in at once, and who in the end."""
    began: list[str] = []
    done = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for each in authorizations:
            group.create_task(served(turns, each, began, done))
        await asyncio.sleep(0.01)
        first = list(began)
        done.set()
    return first, began


def test_one_key_never_has_all_places_and_nobody_elses_waits_for_it():
    busy, other, nobody = "Bearer mp_busy_secret_with_a_mark", "Bearer mp_other_secret", "Basic bWFyYTpwdw=="
    turns = Turns(MOST)

    first, began = asyncio.run(serve(turns, *[busy] * 10, other, *[nobody] * 10, *[""] * 10))

    assert (first.count(busy), first.count(other), first.count(nobody), first.count("")) == (MOST, 1, 10, 10)
    assert began.count(busy) == 10


def test_nothing_is_kept_of_keys_that_wait_for_nothing():
    turns = Turns(MOST)
    asyncio.run(serve(turns, *(f"Bearer mp_{number}_secret" for number in range(100))))
    gc.collect()

    assert len(turns._of_keys) == 0
