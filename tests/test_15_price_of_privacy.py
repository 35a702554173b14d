"""Chapter 15: its scene shows the stored contest."""

import math

import numpy as np

import bandits_dp as bdp
from bandits_book import contest
from tests.chapters import stored_scene

SETTINGS = {"arms": "arms", "linear": "linear", "clients": "clients", "contexts": "contextual"}


def test_the_scene_shows_the_contest():
    """Every learner's dot stands at its mean share of random play, at every epsilon, and the least of each kind is named."""
    frames, rows, lost = stored_scene("15_price_of_privacy", "scene"), contest.results()["rows"], contest.losses()
    assert len(frames) == len(SETTINGS) * len(contest.EPSILONS)
    seen, dashed = set(), {}
    for (epsilon, setting), (marks, note) in frames.items():
        here = [one for one in rows if one["setting"] == SETTINGS[setting] and not one["tuned"]
                and one["epsilon"] in (None, float(epsilon)) and not one["trust"].startswith("pure")]
        assert {one["system"] for one in here} == {key.removeprefix("band ") for key in marks if key.startswith("band ")}
        least = {}
        for one in here:
            assert len(one["regret"]) == contest.INSTANCES and not one["note"]
            share = np.mean(np.array(one["regret"]) / lost[SETTINGS[setting]])
            assert abs(marks[one["system"]]["x"] - (4 + 27.2 * math.log10(min(max(share, 5e-4), 1.2) / 5e-4))) < 0.01
            assert bool(marks[one["system"]].get("hollow")) == one["trust"].endswith("rewards")
            model = one["trust"].split()[0]
            least[model] = min(least.get(model, (math.inf, "")), (share, one["system"]))
        assert set(least) == {"none", "central", "shuffle", "local"} and all(name in note for _, name in least.values())
        for model, (share, name) in least.items():
            digits = ".0f" if share >= 0.1 else ".2g"
            assert f"{name} loses {100 * share:{digits}}%" in marks[model]["words"]
        for line, end in (("strong", min(contest.EPSILONS)), ("weak", max(contest.EPSILONS))):
            corners = np.array(marks[line]["points"])
            assert f"{end:g} {'left' if line == 'weak' else 'right'}" in marks["ends"]["words"]
            if float(epsilon) == end:
                assert (corners == np.array(marks["stairs"]["points"])).all()
            dashed.setdefault((setting, line), set()).add(str(corners))
        assert (np.array(marks["weak"]["points"])[:, 0] <= np.array(marks["strong"]["points"])[:, 0]).all()
        seen |= {one["system"] for one in here}
    assert seen == {system.name for system in bdp.systems()} and all(len(lines) == 1 for lines in dashed.values())
