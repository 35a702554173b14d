"""States that no `save` returned: each is text that changes a state, with which a learner or a counter is then to be restored."""

import numpy as np

HUGE = "10**400"
WORDS = ("'many'", "'1'", "b'1'", "None", "object()", "[]", "{}", "''", "[[1], [1, 2]]", "np.datetime64('2026-01-01')",
         "np.ma.masked", "1j", "np.zeros((2, 9))", "[[[1.5]]]", "np.array(['x', 'y'])", "np.array([None])", HUGE, "'9' * 5000",
         "np.array([(1, 2)], dtype='i4,i4')", "'[' * 9999", "set()", "lambda: None")
NUMBERS = ("nan", "inf", "-inf", "-1", "0", "1", "7", "0.5", "1e9", "1e300", "-1e300", "1e149", "2**31", "2**62", "2**63", "True",
           "1e-320", "-0.0", "np.float32(2)")
CHANGES = ("{} + 1", "{} - 1", "{} + 1000", "{} * 2", "-{}", "{} * 1e9", "{} * 1e149", "{} * 1e-300", "{} + 0.5", "{} + 2**40",
           "{}[:-1]", "{}[1:]", "{}[None]", "np.append({}, 0)", "np.append({}, {})", "np.zeros_like({})", "{}[::-1]", "{}.T",
           "np.sort({})", "np.roll({}, 1)", "{} + 1j", "{}.astype(complex)", "{}.astype(str)", "{}.astype(object)", "{}.tolist()",
           "{}.astype(np.float32)", "{}.astype(np.float16)", "{}.astype(np.int8)", "{}.astype(bool)", "{}.astype(float)",
           "{}.astype(np.longdouble)", "{}.astype(np.uint64)", "{}.astype('>f8')", "np.ma.array({}, mask=True)", "np.ravel({})[:0]")
COUNTS = ("played", "numbers", "steps", "pulls", "phase", "users", "batch", "filled", "answered", "stage", "rounds", "visits")


def altered(state, rng):
    """Return lines that change the dict `state`, given one to choose from, and the names of the entries that they change.

    `theirs` is the state of another learner that was made in the same way.
    """
    keys = sorted(key for key in state)
    key = str(rng.choice(keys))
    entry = f"state[{key!r}]"
    kind = rng.integers(9)
    if kind == 0:
        return [f"del {entry}"], [key]
    if kind == 1:
        extra = str(rng.choice(["'more'", "7", "None", "('learner',)", "''"]))
        return [f"state[{extra}] = {rng.choice([*WORDS, *NUMBERS])}"], [extra]
    if kind == 2:
        return [f"{entry} = {rng.choice(WORDS)}"], [key]
    if kind == 3:
        return [f"{entry} = {rng.choice(NUMBERS)}"], [key]
    if kind == 4:
        return [f"{entry} = {str(rng.choice(CHANGES)).replace('{}', entry)}"], [key]
    if kind in (5, 6) and np.ndim(state[key]) and np.size(state[key]):
        places = ", ".join(str(rng.integers(size)) for size in np.shape(state[key]))
        return [f"{entry}[{places}] = {rng.choice(NUMBERS)}"], [key]
    if kind == 7:
        start = key[: key.find("_") + 1] or key
        return [f"state |= {{key: theirs[key] for key in theirs if key.startswith({start!r})}}"], keys
    more = str(rng.choice(["1", "-1", "1000", "2**20", "2**31"]))
    return [f"state |= {{key: state[key] + {more} for key in state if key.endswith({COUNTS!r})}}"], keys
