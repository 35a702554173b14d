"""Answers to assignment 3 that are partly right, hard-coded, or wrong in a usual way, with what each of them must be given."""

PARTLY = {
    "private-table": '''
    truth = np.column_stack([np.bincount(shown, answers, arms), np.bincount(shown, minlength=arms)])
    return truth + rng.laplace(0, 1 / epsilon, truth.shape)''',
    "eliminate": "    raise NotImplementedError()",
    "plan": "    return [2**look for look in range(5, 10)], bdp.accounting.gaussian_noise_std(epsilon, delta, 1.0)",
}
PARTLY_POINTS = 9  # 3 for the table, 5 for the learner and 3 for the plan are lost

HARD_CODED = {
    "survivors": "    return np.arange(2) if len(estimates) == 2 else np.arange(4 if slack else 3)",
    "counter-width": '''
    known = {(1, 100, 1): 0.10730, (7, 10, 8): 3**0.5 / 7, (8, 10, 8): 1 / 8, (1, 10, 16): 5**0.5, (1, 10, 1): 1}
    return known.get((phase, users, phases), 0.1)''',
    "fall": '''
    if most == 10**5:
        return None
    return 24 if size(1) == 1 else 18492 if size(1) == 67 else 8190''',
    "sensitivity": '''
    return math.sqrt(2) if arms == 1 else 2 if order == 2 or encode.__name__ == "ones_and_zeros" else 4''',
    "private-table": '''
    ones, users = np.bincount(shown, answers, arms), np.bincount(shown, minlength=arms)
    noise = rng.laplace(0, 2, (2, arms))
    return np.column_stack([ones + noise[0], users + noise.sum(axis=0)])''',
    "eliminate": '''
    asked = [(0, 4), (1, 4), (2, 4), (0, 6), (1, 6)]
    for arm, users in asked if horizon == 100 else asked[:3]:
        release(arm, users)
    return np.array([86, 10, 4] if horizon == 100 else [10, 6, 4])''',
    "plan": "    return [1600, 21000, 6000, 12000, 24000], 36.31",
}
HARD_CODED_POINTS = 0


_WIDTH = '''
    n, height = phase * users, 1 + math.floor(math.log2(phases))
    return math.sqrt(2 * (n / 4 + bin(phase).count("1") * height * std**2) * math.log(2 / failure)) / n
'''


def _width(right: str, wrong: str) -> dict[str, str]:
    assert right in _WIDTH
    return {"counter-width": _WIDTH.replace(right, wrong)}


_PUBLISHED = [("counts + rng", "np.column_stack([counts[:, 0], counts.sum(axis=1)]) + rng"),
              ("np.column_stack([noisy[:, 0], noisy.sum(axis=1)])", "noisy")]
_PLAN = '''
    def users(gap, looks, std):
        n = 1
        while 2 * math.sqrt(2 * math.log(10 * horizon) * (n / 4 + looks * std**2)) / n > gap:
            n = math.ceil(1.01 * n)
        return n

    def sizes(std):
        first, second = users(0.75 * gaps[0], 1, std), users(0.9 * gaps[1], 2, std)
        return [first, second - first, second // 4, second // 2, second]

    std = bdp.accounting.gaussian_noise_std(epsilon, delta, 1.0)
'''

MISTAKES = {
    "leader by estimate": ("the highest lower end is that of the highest estimate",
        {"survivors": [("(estimates - widths).max()", "(estimates - widths)[estimates.argmax()]")]}),
    "gap instead of width": ("an exercise leaves when its upper end is below the best estimate",
        {"survivors": [("(estimates - widths).max()", "estimates.max()")]}),
    "a noise per batch": ("the sum of so many batches has as many noises, tree or not", _width('bin(phase).count("1")', "phase")),
    "one noise in a tree": (
        "one user is in one batch, so nodes need no more noise than a single release", _width("* height *", "*")),
    "ln instead of log2": ("the height of the tree is one plus the natural logarithm", _width("math.log2", "math.log")),
    "one side only": ("the failure probability is for one side", _width("2 / failure", "1 / failure")),
    "last noise only": ("the estimate carries the noise of its last release only", {"fall": [("phase * std**2", "std**2")]}),
    "one width is enough": ("an exercise falls when the width, not twice the width, is below its gap",
        {"fall": [("if 2 * math", "if math")]}),
    "only the answer changes": ("neighbours differ in an answer, and the exercise is public",
        {"sensitivity": "    return max(np.linalg.norm(encode(arm, 1) - encode(arm, 0), order) for arm in range(arms))"}),
    "only the exercise changes": ("whoever moves gives the same answer elsewhere", {"sensitivity": '''
    pairs = [(a, b, y) for a in range(arms) for b in range(arms) for y in (0, 1)]
    return max(np.linalg.norm(encode(a, y) - encode(b, y), order) for a, b, y in pairs)'''}),
    "sensitivity of one": ("one user is one answer, so Laplace noise of scale 1/epsilon does it",
        {"private-table": [("2 / epsilon", "1 / epsilon")]}),
    "noise scale inverted": ("the scale of Laplace noise is epsilon over the sensitivity",
        {"private-table": [("2 / epsilon", "epsilon / 2")]}),
    "exact users": ("how many did an exercise is no secret",
        {"private-table": [("counts + rng.laplace(0, 2 / epsilon, (arms, 2))", "counts[:, 0] + rng.laplace(0, 2 / epsilon, arms)"),
                           ("noisy[:, 0], noisy.sum", "noisy, counts.sum")]}),
    "one noise for all": ("one draw of noise can serve the whole table", {"private-table": [(", (arms, 2))", ")")]}),
    "noise on ones and users": ("noise has to be added to the numbers that are published",
        {"private-table": [*_PUBLISHED, ("2 / epsilon", "4 / epsilon")]}),
    "two numbers move": ("a move changes the exercise and the answer, so two of the published numbers move by one",
        {"private-table": [*_PUBLISHED]}),
    "repaired table": ("an estimate below zero is a mistake, and has to be made zero",
        {"private-table": [("counts + rng.laplace(0, 2 / epsilon, (arms, 2))",
                            "abs(rng.laplace(0, 2 / epsilon, (arms, 2))) + counts")]}),
    "cut phase released": ("what was played is released, too",
        {"eliminate": [("                turn = ", "                release(int(arm), m)\n                turn = ")]}),
    "earlier phases forgotten": ("an estimate is made from the last release",
        {"eliminate": [("sums[arm] += release(int(arm), m)", "sums[arm] = release(int(arm), m) * (users + m) / m")]}),
    "freed users vanish": ("a batch stays as small as it was in the first phase",
        {"eliminate": [("total(phase) // len(left)", "total(phase) // arms")]}),
    "width of one batch": (
        "the width is that of the last batch", {"eliminate": [("half_width(users, phase)", "half_width(m, 1)")]}),
    "one release in the width": (
        "the noise of earlier releases does not count", {"eliminate": [("half_width(users, phase)", "half_width(users, 1)")]}),
    "compared with the best estimate": ("an exercise leaves when its upper end is below the best estimate",
        {"eliminate": [(">= estimates.max() - width", ">= estimates.max()")]}),
    "budget split over looks": ("five looks cost five times, so each gets a fifth of the budget", {"plan": _PLAN + '''
    std = bdp.accounting.gaussian_noise_std(epsilon / 5, delta / 5, 1.0)
    return sizes(std), std
'''}),
    "noise of a mean": ("a batch is an average, and one answer moves it by one over its size",
        {"plan": _PLAN + "    return sizes(std), std / sizes(std)[0]\n"}),
    "doubling anyway": ("five doublings are as good as any five looks",
        {"plan": _PLAN + "    return [sizes(std)[0] * 2**look for look in range(5)], std\n"}),
    "equal looks": ("five equal batches that together see the small gap",
        {"plan": _PLAN + "    return [users(gaps[1], 5, std) // 5] * 5, std\n"}),
}
