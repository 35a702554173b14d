"""Answers to assignment 4 that are partly right, hard-coded, or wrong in a usual way, with what each of them must be given."""


def _estimate(sensitivity: str, weights: str = "(support.T * plays)") -> dict[str, str]:
    return {"phase-estimate": f'''
    n, s = messages.shape
    std = bdp.accounting.gaussian_noise_std(epsilon, delta, {sensitivity})
    released = (2 * messages / (2**bits - 1) - 1).mean(axis=0) + rng.normal(0, std, s)
    return np.linalg.solve({weights} @ support, {weights} @ released)
'''}


def _margin(result: str) -> dict[str, str]:
    return {"laplace-margin": f'''
    x, N = actions[plays > 0], plays[plays > 0]
    C, L = (first - second) @ np.linalg.inv((x.T * N) @ x) @ x.T, math.log(1 / failure)
    rhos = np.concatenate([np.geomspace(1e-6, 0.5, 1500), 1 - np.geomspace(0.5, 1e-6, 500)]) / (scale * abs(C).max())
    return {result}
'''}


def _message(body: str) -> dict[str, str]:
    return {"message": f'''
    s = averages.shape[1]
    bits = budget // s + (np.arange(s) < budget % s)
    place = (averages + 1) / 2 * (2**bits - 1)
    return {body}
'''}


_FLOORED = "    K, best = len(actions), bdp.linear.designs.g_optimal_design(actions, 1.0001).weights\n"
_PLAN = '''
    def margin(plays, n):
        x, N = actions[plays > 0], plays[plays > 0]
        std = bdp.accounting.gaussian_noise_std(epsilon, delta, 2 * math.sqrt(len(x)) / n)
        apart = (actions[:, None] - actions).reshape(-1, actions.shape[1])
        C = apart @ np.linalg.solve((x.T * N) @ x, x.T * N)
        v = C**2 @ (1 / (N * n) + std**2) + client_std**2 * (apart**2).sum(axis=1) / n
        return math.sqrt(2 * log * v.max())

    def whole(share):
        return np.ceil((nights - (share > 0).sum()) * share).astype(int)

    def fewest(plays):
        few, many = 0, 10**6
        while many - few > 1:
            n = (few + many) // 2
            few, many = (few, n) if margin(plays, n) <= target else (n, many)
        return many

    plays = whole(bdp.linear.designs.g_optimal_design(actions).weights)
'''

PARTLY = {
    "floored-design": _FLOORED + "    return least + (1 - K * least) * best\n",
    "laplace-margin": "    raise NotImplementedError()",
    "phase-estimate": _estimate("2 / n")["phase-estimate"],
    "phase-plan": _PLAN + "    return plays, fewest(plays)\n",
}
PARTLY_POINTS = 8  # 2 for the nights, 2 for the messages and 4 for the learner

HARD_CODED = {
    "whole-nights": "    return np.array([4, 0, 3, 3]) if nights == 10 else np.array([16, 15, 1, 1, 1, 1, 1])",
    "floored-design": "    return np.array({0.0: [0.5, 0.5, 0, 0], 0.1: [0.4, 0.4, 0.1, 0.1]}.get(least, [0.25] * 4))",
    "laplace-margin": '''
    return 1.2240 if scale == 0.01 else smallest(np.eye(2)[0], np.eye(2)[1], np.eye(2), np.array([8, 8]), 4.0, 0.05)''',
    "message": '''
    if len(averages) == 1:
        return np.array([[0, 3, 2]])
    low, chance = ([0, 0], [0.6, 0.25]) if budget == 2 else ([4, 0, 2], [0.2, 0.75, 0.85])
    return low + (rng.random(averages.shape) < chance).astype(int)''',
    "phase-estimate": '''
    released = (2 * messages / (2**bits - 1) - 1).mean(axis=0)
    released = released + rng.normal(0, 0.46 if epsilon == 1 else 0, len(released))
    return np.linalg.solve(support, released)''',
    "dpe": '''
    phases = [(range(3), [1] * 3, 2), (range(3), [2] * 3, 2 if population == 4 else 3), (range(2), [4] * 2, 4)]
    for arms, plays, people in phases[: 3 if horizon == 100 and population > 4 else 2]:
        release(np.array(arms), np.array(plays), people)
    return np.array([6, 3, 3] if horizon == 12 else [94, 3, 3] if population == 4 else [90, 7, 3])''',
    "phase-plan": '''
    plays = np.zeros(40, dtype=int)
    plays[[1, 5, 16, 26, 30]] = 40
    return plays, 750''',
}
HARD_CODED_POINTS = 0

MISTAKES = {
    "every share rounded up": ("a share is rounded up, and a few more nights do no harm",
        {"whole-nights": "    return np.ceil(share * nights).astype(int)"}),
    "rounded to the nearest": ("shares are rounded to the nearest number, and the largest one makes up for it",
        {"whole-nights": [("(nights - used.sum()) * share - 1e-9", "share * nights"), ("np.ceil", "np.rint")]}),
    "nights drawn at random": ("a design is a distribution, so nights are drawn from it",
        {"whole-nights": "    return np.random.default_rng(1).multinomial(nights, share)"}),
    "a floor under the optimum": ("the best design with a floor is the best design, mixed with equal shares",
        {"floored-design": PARTLY["floored-design"]}),
    "lifted and rescaled": (
        "shares below the floor are lifted to it, and the others shrink in proportion", {"floored-design": _FLOORED + '''
    low = best <= least
    for _ in range(K):
        scale = (1 - least * low.sum()) / best[~low].sum() if (~low).any() else 1.0
        low |= best * scale < least
    return np.where(low, least, best * scale)
'''}),
    "floor forgotten": ("the floor is a detail", {"floored-design": _FLOORED + "    return best\n"}),
    "Gaussian formula": ("only the variance of the noise matters", _margin("math.sqrt(2 * L * C**2 @ (N + 2 * scale**2))")),
    "scale as deviation": (
        "the scale of Laplace noise is its standard deviation", _margin("math.sqrt(2 * L * C**2 @ (N + scale**2))")),
    "weights not squared with plays": ("a sum of N answers is one error, whatever N is",
        _margin("min((L + r**2 / 2 * (C**2).sum() - np.log1p(-((r * scale * C) ** 2)).sum()) / r for r in rhos)")),
    "one noise in a difference": ("a difference of two actions has one noise, the largest",
        _margin("min((L + r**2 / 2 * C**2 @ N - np.log1p(-((r * scale * C) ** 2)).min()) / r for r in rhos)")),
    "both sides": ("the failure probability is for both sides together",
        _margin("min((math.log(2) + L + r**2 / 2 * C**2 @ N - np.log1p(-((r * scale * C) ** 2)).sum()) / r for r in rhos)")),
    "rounded to the nearest value": ("the nearest value is the most accurate", _message("np.rint(place).astype(int)")),
    "one coin for all": (
        "one coin is enough for a whole diary", _message("np.floor(place + rng.random((len(place), 1))).astype(int)")),
    "fair coin": ("a coin between two neighbours is fair",
        _message("np.where(rng.random(place.shape) < 0.5, np.floor(place), np.ceil(place)).astype(int)")),
    "2 to the bits values and one": ("numbers go from 0 to 2 to the power of bits",
        _message("np.floor((averages + 1) / 2 * 2**bits + rng.random(place.shape)).astype(int)")),
    "spare bits unused": ("every number gets the same number of bits, and what is left over is not sent", {"message": '''
    place = (averages + 1) / 2 * (2 ** (budget // averages.shape[1]) - 1)
    return np.floor(place + rng.random(place.shape)).astype(int)'''}),
    "one number of a diary": ("one client moves the average by 2 over n, however long her diary is", _estimate("2 / n")),
    "sensitivity of one instead of two": ("an average moves by 1 at most", _estimate("math.sqrt(s) / n")),
    "noise of a sum": ("noise is that of a sum of vectors, though an average is published", _estimate("2 * math.sqrt(s)")),
    "l1 instead of l2": ("s numbers move by 2 each, so the sensitivity is 2 s", _estimate("2 * s / n")),
    "noise averages out": ("with n clients the noise may be smaller by another root of n", _estimate("2 * math.sqrt(s) / n**1.5")),
    "plays forgotten": ("least squares of averages needs no weights", _estimate("2 * math.sqrt(s) / n", "support.T")),
    "phases start at 0": (
        "the first phase has one night to share out", {"dpe": [("2**phase * weights", "2**(phase - 1) * weights")]}),
    "clients asked again": ("the population never ends", {"dpe": [("min(clients(phase), population - asked)", "clients(phase)")]}),
    "cut phase released": ("what was played is released, too",
        {"dpe": [("if plays.sum() >= rest:", "if plays.sum() >= rest:\n            release(arms, plays, people)")]}),
    "margin twice": ("a difference of two estimates has two margins",
        {"dpe": [("margin(apart, apart @ B, plays, people)", "2 * margin(apart, apart @ B, plays, people)")]}),
    "earlier phases added up": ("estimates of all phases are averaged",
        {"dpe": [("theta = B @ released", "theta = (theta * (phase - 1) + B @ released) / phase")]}),
    "the package's own design": ("a near-optimal design cannot be improved by much", {"phase-plan": PARTLY["phase-plan"]}),
    "the better design": ("the smaller the worst leverage, the fewer people are needed", {"phase-plan": _PLAN + '''
    plays = whole(bdp.linear.designs.g_optimal_design(actions, 1.001).weights)
    return plays, fewest(plays)
'''}),
    "noise of one number": ("the noise does not depend on how many numbers a client sends",
        {"phase-plan": PARTLY["phase-plan"].replace("2 * math.sqrt(len(x)) / n", "2 / n")}),
}
