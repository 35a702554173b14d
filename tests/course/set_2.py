"""Answers to assignment 2 that are partly right, hard-coded, or wrong in a usual way, with what each of them must be given."""

_SPLIT = '''
    back = np.subtract.outer(np.arange(T), np.arange(T))
    A = ((back >= 0) & (back < W)).astype(float)
'''

PARTLY = {
    "block-counts": "    return math.floor(math.log(T) / math.log(b)) + 1, (b - 1) * math.ceil(math.log(T) / math.log(b))",
    "forgetting-counter": '''
    counts = np.zeros(len(answers))
    for t in range(len(answers)):
        counts[t] = answers[t] + gamma * counts[t - 1] if t else answers[0]
    sigma = bdp.accounting.gaussian_noise_std(epsilon, delta, 1.0)
    return counts + rng.normal(0, sigma, (runs, len(answers)))''',
    "batches": [("any(delta_of(m, yes) > delta for yes in range(m))", "delta_of(m, m // 2) > delta")],
    "window-factors": "    raise ValueError('I do not know')",
}
PARTLY_POINTS = 11  # 3 for ten fingers, 2 for the error of the count that forgets, 1, 2 and 3 for the pile

HARD_CODED = {
    "block-counts": "    return (1, 9) if T == 9 else (3, 18)",
    "finger-counter": '''
    noise, sigma = np.zeros((runs, 101)), bdp.accounting.gaussian_noise_std(1.0, 1e-3, math.sqrt(3))
    for t in range(1, 101):
        noise[:, t] = noise[:, t - (1 if t % 10 else 10 if t < 100 else 100)] + rng.normal(0, sigma, runs)
    return np.cumsum(answers) + noise[:, 1:]''',
    "forgetting-errors": "    return math.sqrt(1.25), 1.0625",
    "forgetting-counter": '''
    C = np.array([[1, 0, 0], [1 / 4, 1, 0], [3 / 32, 1 / 4, 1]])
    sigma = bdp.accounting.gaussian_noise_std(1.0, 1e-3, np.linalg.norm(C[:, 0]))
    return np.array([1, 1.5, 0.75]) + rng.normal(0, sigma, (runs, 3)) @ C.T''',
    "pile-estimate": "    return 70",
    "pile-std": "    return 17.75 if lost else 5 * math.sqrt(3)",
    "pile-delta": "    return {1: 0.5 * (1 - lost), 5: 0.0}.get(users, 1 / users)",
    "batches": "    return 16, 62, math.sqrt(992) / (2 * math.sinh(0.5))",
    "window-factors": '''
    f = np.zeros(T)
    f[0] = 1.0
    for k in range(1, T if T in (60, 365) else 1):
        f[k] = ((k < W) - f[1:k] @ f[k - 1 : 0 : -1]) / 2
    back = np.subtract.outer(np.arange(T), np.arange(T))
    return 2 * (np.where(back >= 0, f[np.maximum(back, 0)], 0.0),)''',
}
HARD_CODED_POINTS = 0

MISTAKES = {
    "no plus one": ("there are log_b T lengths (and the one of b^0 = 1 is forgotten)",
        {"block-counts": [("blocks, max", "math.ceil(math.log(T) / math.log(b)), max")]}),
    "a logarithm in floating point": ("math.floor(math.log(T, b)) is the largest exponent",
        {"block-counts": [("blocks, max", "math.floor(math.log(T, b)) + 1, max")]}),
    "the last count is the worst": ("the last count needs most blocks",
        {"block-counts": [("max(digit_sum(t) for t in range(1, T + 1))", "digit_sum(T)")]}),
    "noise for one block": ("every block is one release of sensitivity 1", {"finger-counter": [("math.sqrt(levels)", "1.0")]}),
    "levels, not their root": (
        "an answer in so many blocks needs so many times the noise", {"finger-counter": [("math.sqrt(levels)", "levels")]}),
    "fresh noise for every count": ("noise has to be drawn anew whenever a block is used", {"finger-counter": '''
    T, levels = len(answers), 1
    while b**levels <= T:
        levels += 1
    sigma = bdp.accounting.gaussian_noise_std(epsilon, delta, math.sqrt(levels))

    def digit_sum(t):
        return t % b + digit_sum(t // b) if t else 0

    pieces = np.array([digit_sum(t) for t in range(1, T + 1)])
    return np.cumsum(answers) + rng.normal(0, sigma, (runs, T)) * np.sqrt(pieces)'''}),
    "the tree of two": ("all trees are binary", {"finger-counter": [("    T, levels", "    b = 2\n    T, levels")]}),
    "gamma not squared": ("the squares of the coefficients fade with gamma, as the coefficients do",
        {"forgetting-errors": [("(f**2).sum()", "(f**2 / gamma ** np.arange(T)).sum()")]}),
    "half of gamma": ("the root of the powers of gamma has the coefficients gamma^k / 2",
        {"forgetting-errors": [("gamma * (1 - 0.5 / k)", "np.where(k == 1, gamma / 2, gamma)")]}),
    "one answer, one count": (
        "each answer is new in one count, so the sensitivity is 1", {"forgetting-counter": [("np.linalg.norm(f)", "1.0")]}),
    "the noise that forgets nothing": ("the noise of the plain counter is needed here, too",
        {"forgetting-counter": [("np.linalg.norm(f)", "np.linalg.norm(f / gamma ** np.arange(T))")]}),
    "z drawn for every count": ("each count gets noise of the right size, drawn anew",
        {"forgetting-counter": [("(runs, T)) @ C.T", "(runs, T)) * np.linalg.norm(C, axis=1)")]}),
    "losses at the end": ("the estimate without losses, divided by the share that arrives",
        {"pile-estimate": [("ones / (1 - lost)", "ones"), ("(2 * q - 1)", "(2 * q - 1) / (1 - lost)")]}),
    "not debiased": ("dividing the ones by the share that arrives is enough", {"pile-estimate": "    return ones / (1 - lost)"}),
    "the error without losses": ("losses only divide the error by the share that arrives",
        {"pile-std": "    return math.sqrt(users) / (2 * math.sinh(eps0 / 2)) / (1 - lost)"}),
    "a smaller crowd": ("a crowd of which some are lost is a smaller crowd",
        {"pile-std": "    return math.sqrt(users / (1 - lost)) / (2 * math.sinh(eps0 / 2))"}),
    "ones only": ("the ones tell all, as without losses",
        {"pile-delta": [("a - math.exp(epsilon) * b", "a.sum(axis=1) - math.exp(epsilon) * b.sum(axis=1)")]}),
    "the crowd that is half and half": (
        "the others mean 1 and 0 in equal parts", {"pile-delta": [("for yes in range(users):", "for yes in [(users - 1) // 2]:")]}),
    "sampling by the book": ("if Noor's message is lost nothing is seen, so delta is multiplied by the share that arrives",
        {"pile-delta": [("    q = 1", "    arrive, lost = 1 - lost, 0.0\n    q = 1"), ("return worst", "return arrive * worst")]}),
    "not only what sticks out": ("all differences are added up, positive and negative",
        {"pile-delta": [("np.maximum(a - math.exp(epsilon) * b, 0)", "(abs(a - math.exp(epsilon) * b) / 2)")]}),
    "delta for every pile": ("delta is divided among the piles", {"batches": [("> delta for", "> delta / (T // m) for")]}),
    "clones for yes and no": ("the package's bound, which holds for every message, is the smallest epsilon for this one",
        {"batches": [("any(delta_of(m, yes) > delta for yes in range(m))",
                      "bdp.accounting.shuffle_epsilon(eps0, m, delta) > epsilon")]}),
    "the crowd that agrees": ("the worst crowd is the one in which all others mean the same (nearly)",
        {"batches": [("for yes in range(m))", "for yes in [0])")]}),
    "two counters, subtracted": (
        "the difference of two square-root counters is the best that one can do", {"window-factors": _SPLIT + '''
    f = np.cumprod(np.append(1.0, 1 - 0.5 / np.arange(1, T)))
    C = np.where(back >= 0, f[np.maximum(back, 0)], 0)
    return A @ np.linalg.inv(C), C
'''}),
    "noise on every answer": (
        "one noise for every answer costs least privacy, so it is best", {"window-factors": _SPLIT + "    return A, np.eye(T)\n"}),
    "the root of each entry": ("the square root of a matrix is that of its entries",
        {"window-factors": _SPLIT + "    return np.sqrt(A / W), np.sqrt(A / W)\n"}),
    "a square root with a future": (
        "any factors with the right product will do, as from the singular values", {"window-factors": _SPLIT + '''
    U, s, V = np.linalg.svd(A)
    return U * np.sqrt(s), np.sqrt(s)[:, None] * V
'''}),
}
