"""Several shufflers open at once: which batches close, and which of them a running count is made of."""

from collections.abc import Mapping, Sequence
from typing import Any

from bandits_book.plots import Bar, Dot, MovingScene, Text
from bandits_book.plots.marks import Mark

USERS, NOOR = 27, 4  # how many there are, and which of them she is, from 0
HEIGHT = {1: 14, 3: 27, 9: 40}  # of the row of each batch size
ALT = ("Rows of batches above 27 phones, one row for each shuffler. Messages rise from each phone into the open batch of every "
       "row; a batch that closes turns solid, and thick frames mark the batches in the count.")


def noises(many: int) -> str:
    """Return so many noises in words."""
    return f"{many} noise" + "s" * (many != 1)


def counted(users: int, design: Sequence[int]) -> list[tuple[int, int]]:
    """Return where each batch in the count ends, and its size, from the last to the first."""
    end, used = users - users % design[0], []
    while end:
        used.append((end, max(m for m in design if end % m == 0)))
        end -= used[-1][1]
    return used


def row(m: int, bigger: int, users: int, waiting: int) -> list[Mark]:
    """Draw all batches of one shuffler, and the messages in those that are open."""
    marks: list[Mark] = []
    for stop in range(m, USERS + 1, m):
        kept, closed = stop % bigger > 0, stop <= users
        color = "shuffle" if closed and kept else "soft"
        marks.append(Bar(f"batch {m} {stop}", 3.3 + 3.5 * (stop - m), HEIGHT[m], color, not kept, width=3.5 * m - 0.6, height=9,
                         hollow=color == "soft"))
        for u in range(stop - m, min(stop, users + 1)) if kept and not closed else ():
            place = 4.75 + 3.5 * u, HEIGHT[m] + 4.5 if u < users else 6.5  # the next one still lies at its phone
            marks.append(Dot(f"message {m} {u}", *place, "secret" if u == NOOR else "shuffle", u < users - waiting))
    return marks


def open_batches(answers: Any, designs: Mapping[str, Sequence[int]], screens: Mapping[str, Any]) -> MovingScene:
    """Show 27 users, for each design the batches that are open, closed and counted, and what its screen shows."""
    def draw(users: int, shufflers: str) -> tuple[list[Mark], str]:
        design, marks = designs[shufflers], list[Mark]()
        used, waiting, shown = counted(users, design), users % design[0], screens[shufflers][users]
        for m, bigger in zip(design, (*design[1:], USERS + 1), strict=True):
            marks += row(m, bigger, users, waiting)
        for key, (stop, m) in enumerate(reversed(used)):
            marks.append(Bar(f"frame {key}", 3 + 3.5 * (stop - m), HEIGHT[m] - 0.4, width=3.5 * m, height=9.8, hollow=True))
        marks += [Dot(f"phone {u}", 4.75 + 3.5 * u, 6.5, "secret" if u == NOOR else "soft", size=1.1, hollow=u >= users)
                  for u in range(USERS)]
        parts = " + ".join(str(m) for _, m in reversed(used))
        marks += [Text("Noor", 18.75, 1, "secret", words="Noor"),
                  Text("users", 3, 63, words=f"users {users}, waiting {waiting}", bold=True, anchor="start"),
                  Text("true", 97, 63, "secret", words=f"true count {answers[:users].sum()}", anchor="end"),
                  Text("shown", 3, 57.5, "shuffle", words=f"shown {shown:.1f}: {noises(len(used))}", anchor="start"),
                  Text("alone", 97, 57.5, "soft", words=f"in 3s alone: {noises(users // 3)}", anchor="end"),
                  Text("parts", 3, 52, words=f"counted users: {parts or 'none'}", anchor="start"),
                  Text("key", 97, 1, "soft", words="full: closed; thick frame: counted", anchor="end")]
        return marks, (f"Users: {users}; waiting: {waiting}; noises in the count: {len(used)}; "
                       f"messages that Noor has sent: {len(design) * (users > NOOR)} of {len(design)} at most.")

    return MovingScene(
        draw, {"users": range(USERS + 1), "shufflers": list(designs)}, {"users": 14, "shufflers": "3 and 9"}, play="users",
        title="Large batches save noises, small ones save waiting", size=(100, 66), labels={"shufflers": "batches of"}, alt=ALT)
