"""What students hand in for set 5: partly right, hard-coded, and with the usual mistakes. Plain data."""

NIGHTS = '''
    stds = np.asarray(stds, dtype=float)
    {}
'''
LEARNER = '''
class NightlyLinUCB:
    def __init__(self, d, radius, ridge):
        self.d, self.radius, self.ridge, self.nights = d, radius, ridge, 0
        self.sums = np.zeros(d + d * (d + 1) // 2)
        self.theta, self.V = model(self.sums, d, ridge)

    def choose(self, features):
        squares = ((features @ np.linalg.inv(self.V)) * features).sum(axis=-1)
        return (features @ self.theta + self.radius * {width}).argmax(axis=-1)

    def tell(self, release):
        if release is not None:
            self.nights += 1
            self.sums = {sums}
            self.theta, self.V = model(self.sums, self.d, {ridge})
'''
SUSPICION = '''
    d = a.shape[1]
    released = symmetric(outputs[:, :-1], d)
    {}
'''
MENDED = '''
    d = features.shape[1]
    exact = (features.T @ features)[np.triu_indices(d)]
    noise = rng.normal(0, {std}, (runs, len(exact)))
    shift = {shift}
    return np.column_stack([exact + noise, shift])
'''

PARTLY = {
    "half-width": [(" + ridge * math.sqrt(\n        z @ z\n    )", "")],
    "learner": LEARNER.format(width="np.sqrt(squares)", sums="release", ridge="self.ridge"),
    "quiet": "def quiet_release(features, answers, epsilon, delta, rng, runs):\n    return None\n",
}
PARTLY_POINTS = 11

HARD_CODED = {
    "model": '''
    if d == 1:
        return np.array([1 / 3]), np.array([[3.0]])
    return np.zeros(2), np.array([[5.0, 1], [1, 4]]) if released[2] == 4 else np.diag([0.5, 8.5])''',
    "half-width": "    return 0.9 if noise_std else 0.6 if ridge > 1 else 0.14",
    "nights": "    return {(20, False): 1, (20, True): 4, (3, True): 2, (3, False): 0, (5, True): 5}[len(stds), bool(stds[0] > 2)]",
    "learner": '''
class NightlyLinUCB:
    def __init__(self, d, radius, ridge):
        self.nights = 0

    def choose(self, features):
        return np.full(len(features), int(self.nights == 1))

    def tell(self, release):
        self.nights += release is not None
''',
    "suspicion": '''
    full = np.zeros((len(outputs), 3, 3))
    full[:, *np.triu_indices(3)] = outputs[:, :6]
    noise = full + np.triu(full, 1).transpose(0, 2, 1) - [[1.36, 0, 0.48], [0, 1.36, 0.48], [0.48, 0.48, 1.28]]
    return -np.abs(5 - np.linalg.eigvalsh(noise)[:, 0] - outputs[:, 6])''',
    "mended": "    return np.column_stack([rng.normal(0, std, (runs, 6)), np.full(runs, 1000.0)])",
    "quiet": '''
    exact = bdp.privatizers.LinearStatistics(3).encode(features, answers).sum(axis=0)
    return exact + 2.8 * rng.normal(size=(runs, 9))''',
}
HARD_CODED_POINTS = 0

MISTAKES = {
    "ridge always on top": ("the shift is added whether it is needed or not",
        {"model": [("if least < ridge / 2:\n        V = V + (ridge / 2 - least)", "V = V + ridge / 2")]}),
    "half a matrix": ("the upper triangle is the matrix", {"model": [("V + np.triu(V, 1).T", "V")]}),
    "eigenvalues clipped": ("only the small eigenvalues are raised, which is not a shift",
        {"model": [("least = np.linalg.eigvalsh(V)[0]", "least, turn = np.linalg.eigh(V)"), ("least <", "least[0] <"),
                   ("V + (ridge / 2 - least) * np.eye(d)", "(turn * np.maximum(least, ridge / 2)) @ turn.T")]}),
    "noise left out of the width": ("the width of LinUCB without privacy is still right",
        {"half-width": [(" + noise_std**2 * (z @ z)", "")]}),
    "ridge without bias": (
        "a regularizer costs nothing, so the width needs the two random parts only", {"half-width": PARTLY["half-width"]}),
    "noise once per user": ("every answer has its own noise, as in the local model",
        {"half-width": [("noise_std**2", "len(features) * noise_std**2")]}),
    "epsilons added": (
        "the nights' epsilons add up, and delta is that of one night", {"nights": NIGHTS.format('''from scipy.optimize import brentq
    def own(std):
        low = gaussian_delta(std, 1e-6, moved) - delta
        return brentq(lambda eps: gaussian_delta(std, eps, moved) - delta, 1e-6, 200) if low > 0 else 0.0
    return int(sum(np.cumsum([own(std) for std in stds]) <= epsilon))''')}),
    "shifts added": ("a user who comes M times moves one release M times as far",
        {"nights": NIGHTS.format("return int(sum(gaussian_delta(1.0, epsilon, s) <= delta for s in np.cumsum(moved / stds)))")}),
    "last night only": ("a release holds the running sums already", {"learner": PARTLY["learner"]}),
    "ridge every night": ("the ridge is part of each release, so it is added with each",
        {"learner": LEARNER.format(width="np.sqrt(squares)", sums="self.sums + release", ridge="self.ridge * self.nights")}),
    "squared width": ("the width is the quadratic form, without the root",
        {"learner": LEARNER.format(width="squares", sums="self.sums + release", ridge="self.ridge")}),
    "matrix alone": ("the best score is the likelihood ratio of the noisy matrix",
        {"suspicion": SUSPICION.format("return (released * (a.T @ a - b.T @ b)).sum(axis=(1, 2))")}),
    "shift alone": ("if the shift gives something away, its size does", {"suspicion": SUSPICION.format("return outputs[:, -1]")}),
    "shift of the noise, rounded": ("what leaks is the last digits of the shift, so rounding it is enough",
        {"mended": MENDED.format(std="std", shift="np.round(ridge - np.linalg.eigvalsh(symmetric(noise, d))[:, 0], 1)")}),
    "noise on the shift": ("every number that is released needs noise of its own", {"mended": MENDED.format(std="std",
        shift="np.maximum(ridge - np.linalg.eigvalsh(symmetric(exact + noise, d))[:, 0], 0) + np.abs(rng.normal(0, std, runs))")}),
    "a budget for each part": ("vector and matrix are two releases, and each may use all of epsilon and delta",
        {"quiet": [("math.sqrt(57 / 32)", "1.0"),
                   ("    xc,", "    noisy[:, d:] += (math.sqrt(17 / 16) - 1) * (noisy[:, d:] - sums[d:])\n    xc,")]}),
    "one number moves by one": ("no entry moves by more than 1, so the sensitivity is 1",
        {"quiet": [("math.sqrt(57 / 32)", "1.0")]}),
    "as careful as for everybody": ("the package's noise on every number that is not known is little enough",
        {"quiet": [("math.sqrt(57 / 32)", "3 / math.sqrt(2)")]}),
}
