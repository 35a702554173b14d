"""The moments of the phase, and what the scene says at each of them."""

import numpy as np

from bandits_book.scenes.feedback.phase import Floats, Played

MOMENTS = ["ask", "1 night", *[f"{n} nights" for n in (2, 4, 8, 16)],
           "pack", "send", "release", "estimate", "drop"]


def two(numbers: Floats) -> str:
    """Return two numbers in words."""
    return "{:.2f} and {:.2f}".format(*numbers).replace("-", "−")


def so_far(run: Played, k: int) -> Floats:
    """Return the averages of every client after 1, 2, 4, 8, 16 nights of each mix."""
    return np.asarray(run.nights[:, : 2 ** min(k - 1, 4)].mean(axis=1).T)


def notes(trust: str, run: Played) -> list[str]:
    """Say what is seen at each moment."""
    out, exact, bits = two(run.released), two(run.averages.mean(axis=0)), int(run.bits)
    noise, own = (f"noise of standard deviation {x:.2f}" for x in (run.noise, run.noise * 6**0.5))
    plain = "Every phone packs its two averages in a message: 6 messages for 192 answers."
    unread = "The 6 messages are on their way, and Eve cannot read them."
    pack, send, release = {
        "none": (plain, unread, f"The server publishes the average of the messages: {out}."),
        "central": (plain, unread, f"The server averages to {exact}, adds {noise}, and publishes {out}."),
        "shuffle": (f"Every phone makes {bits} bits of its two averages and of noise: its message.",
                    f"The shuffler mixes {6 * bits:,} bits; nobody can tell which are Noor's.",
                    f"The server counts ones and gets {out}: the averages, {exact}, plus {noise}."),
        "local": (f"Every phone adds {own} to its averages: Noor's message says {two(run.sent[0])}.",
                  "The 6 messages are on their way, and Eve may read them.",
                  f"The server averages to {out}: the true averages, {exact}, plus {noise}."),
    }[trust]
    gone = 8 - len(run.left)
    drop = f"{gone} of 8 mixes are behind the leader by more than their margin, and leave." if gone else (
        "No mix is behind the leader by more than its margin: all 8 stay.")
    settle = [f"Noor's averages are {two(so_far(run, k)[0])}; {12 * 2 ** (k - 1)} answers so far, and "
              "none has left a phone." for k in range(1, 6)]
    return ["Phase 5 plays two mixes, 16 nights each, for six new clients. Noor is one.", *settle, pack, send,
            release, "Two numbers give estimates of all 8 mixes (dots). A line is as long as the margin.",
            f"6 messages spoke for 192 answers, and Eve sees only what is right of the wall. {drop}"]
