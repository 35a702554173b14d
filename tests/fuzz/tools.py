"""What scripts of sequences are written with: `from tests.fuzz.tools import *`."""

import io
import json as _json
import pickle as _pickle
from copy import copy, deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd

import bandits_dp as bdp
from tests.fuzz.cases import World, made

nan, inf = np.nan, np.inf


def world(name):
    """Return what makes a learner, what its users are shown, what they answer, and whether the learner can be pickled."""
    one = World(name)

    try:
        _pickle.dumps(made(name))
        pickles = True
    except Exception:
        pickles = False
    return one.fresh, one.shown, one.answer, pickles


def counters(name):
    """Return what makes a counter."""
    return lambda *_: deepcopy(made(name))


def npz(state):
    """Return a state that went through a file of numpy's."""
    file = io.BytesIO()
    np.savez(file, **state)
    file.seek(0)
    return np.load(file)


def json(state):
    """Return a state that went through JSON, with the shapes and kinds of its entries."""
    text = _json.dumps({key: (value.tolist(), value.dtype.str, value.shape) for key, value in state.items()})
    return {key: np.array(value, dtype=kind).reshape(shape) for key, (value, kind, shape) in _json.loads(text).items()}


def plain(state):
    """Return a copy of a state, to be changed."""
    return {key: value.copy() for key, value in state.items()}


def as_saved(state):
    """Return a state as arrays; None if that cannot be."""
    try:
        return {key: np.array(value) for key, value in state.items()}
    except Exception:
        return None


def pickle(thing):
    """Return what comes back from a pickle."""
    return _pickle.loads(_pickle.dumps(thing))


def spoilt(*things):
    """Change arrays in place, as far as that is possible."""
    for thing in things:
        if isinstance(thing, np.ndarray) and thing.dtype.kind in "biufc" and thing.flags.writeable:
            thing[...] = 99 if thing.dtype.kind in "iu" else 1 if thing.dtype.kind == "b" else np.nan
        elif isinstance(thing, list):
            thing[:] = [np.nan] * len(thing)
        elif isinstance(thing, (pd.Series, pd.DataFrame)):
            thing.iloc[:] = 0


def ragged(shown):
    """Let the number of arms vary."""
    return [own[: 2 + row % 2] for row, own in enumerate(shown)]


__all__ = ["World", "as_saved", "bdp", "copy", "counters", "deepcopy", "inf", "json", "made", "nan", "np", "npz", "pd", "pickle",
           "plain", "ragged", "replace", "spoilt", "world"]
NAMES = {name: globals()[name] for name in __all__}
