"""Answers to assignment 1 that are partly right, hard-coded, or wrong in a usual way, with what each of them must be given."""

PARTLY = {
    "sensitivity": "    return 2 * cap, math.sqrt(2) * cap",
    "shares": [("return (seen - lie) / (lie * math.exp(epsilon) - lie)",
                "return np.clip((seen - lie) / (lie * math.exp(epsilon) - lie), 0, 1)")],
    "nights-allowed": "    raise NotImplementedError()",
    "bulletin": '''
    noisy = answers.sum(axis=0) + rng.laplace(0, 5 / epsilon, (runs, 5))
    return noisy.argmax(axis=1), noisy.max(axis=1)''',
}
PARTLY_POINTS = 10  # 3 for the noise, 1 for the reports, 3 for who wins, 1 and 2 for the first good night

HARD_CODED = {
    "sensitivity": "    return (3, 3) if exercises == 1 else (2, math.sqrt(2))",
    "noisy-total": '''
    total = np.minimum(weeks.sum(axis=1), 2).sum()
    return total + rng.geometric(1 - math.exp(-0.25), runs) - rng.geometric(1 - math.exp(-0.25), runs)''',
    "respond": '''
    return np.where(rng.random(answers.shape) < 0.5761, answers, (answers + rng.integers(1, 3, answers.shape)) % 3)''',
    "shares": "    return np.array([1.0, 0.0, 0.0])",
    "winning-chances": '''
    chance = np.exp(np.array(votes) / 2.2 - 0.01 * np.arange(len(votes)))
    return chance / chance.sum()''',
    "nights-allowed": "    return 16, 9, 18",
    "accuse": '''
    week, other = np.zeros((20, 7), int), np.zeros((20, 7), int)
    week[:9], other[:10] = 1, 1
    return week, other''',
    "mended": "    return np.full(runs, 4)",
    "bulletin": "    return np.full(runs, 1), 120 + rng.laplace(0, 1, runs)",
}
HARD_CODED_POINTS = 1  # a pair that refutes the draft is right, wherever it comes from

_NOISE = "rng.geometric(stop, runs) - rng.geometric(stop, runs)"
_SHARE = "(seen - lie) / (lie * math.exp(epsilon) - lie)"

MISTAKES = {
    "somebody joins": ("the other world is the one without Noor, so only what she adds moves",
        {"sensitivity": "    return cap, cap"}),
    "lengths add up": ("two counts that move by cap each are a step of length 2 cap",
        {"sensitivity": "    return min(exercises, 2) * cap, min(exercises, 2) * cap"}),
    "one answer, not one user": ("each night is one answer, so the total moves by 1",
        {"noisy-total": [("epsilon / cap", "epsilon")]}),
    "no cap": ("the noise is made for the cap, so the cap is kept",
        {"noisy-total": [("    stop", "    total = weeks.sum()\n    stop")]}),
    "scale turned around": ("the noise falls off by the factor of its scale, and not of one over it",
        {"noisy-total": [("epsilon / cap", "cap / epsilon")]}),
    "a random sign": ("a geometric number with a random sign is two-sided geometric (it is 0 too often, or never)",
        {"noisy-total": [(_NOISE, "(rng.geometric(stop, runs) - 1) * rng.choice([-1, 1], runs)")]}),
    "Laplace, rounded": ("rounded Laplace noise is the discrete one (it is private, and another distribution)",
        {"noisy-total": [(_NOISE, "np.rint(rng.laplace(0, cap / epsilon, runs)).astype(int)")]}),
    "two answers' coin": ("the truth has probability e^eps / (e^eps + 1), however many answers there are",
        {"respond": [("+ k - 1", "+ 1")]}),
    "a lie may be true": ("who does not tell the truth draws one of all k answers", {"respond": '''
    p = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    return np.where(rng.random(answers.shape) < p, answers, rng.integers(0, k, answers.shape))'''}),
    "two answers' estimate": ("the formula for a coin serves k answers, too",
        {"shares": [(_SHARE, "(seen - 1 + lie * math.exp(epsilon)) / (2 * lie * math.exp(epsilon) - 1)")]}),
    "cut at 0 and 1": ("a share below 0 is impossible, so cutting it off only helps", {"shares": PARTLY["shares"]}),
    "a vote moves one count": (
        "a changed vote moves the threshold by 1", {"winning-chances": [("s = 2 / epsilon", "s = 1 / epsilon")]}),
    "ties for everybody": ("whoever is at least as high as the others wins", {"winning-chances": [("below[:i]", "at_most[:i]")]}),
    "noise ends at 20": ("noise beyond 20 is too rare to matter", {"winning-chances": [("math.ceil(30 * s)", "20")]}),
    "logarithm of base 2": ("the logarithm in advanced composition is that of information theory",
        {"nights-allowed": [("math.log(1 / delta)", "math.log2(1 / delta)")]}),
    "delta for every night": (
        "each night gets a k-th of delta as its slack", {"nights-allowed": [("math.log(1 / delta)", "math.log(k / delta)")]}),
    "the second term": ("k eps (e^eps - 1) is too small to count", {"nights-allowed": [(" + k * each * math.expm1(each)", "")]}),
    "only the worst output": ("delta is the largest excess of one output, not the sum over all",
        {"nights-allowed": [("np.maximum(excess, 0).sum()", "np.maximum(excess, 0).max()")]}),
    "the root of the nights": ("seven nights cost the root of seven times one night",
        {"mended": [("scale = nights / epsilon", "scale = math.sqrt(nights) / epsilon")]}),
    "twice is enough": (
        "with twice the noise everything is covered", {"mended": [("scale = nights / epsilon", "scale = 2 / epsilon")]}),
    "one noise for the week": ("one noise, drawn once and kept for all nights, cannot be averaged out and costs once",
        {"mended": [("scale = nights", "scale = 1"), ("(runs, nights)", "(runs, 1)")]}),
    "epsilon spent twice": (
        "name and number may cost epsilon each", {"bulletin": [("0.5 * epsilon, 0.5 * epsilon", "epsilon, epsilon")]}),
    "noisy max with scale 1": (
        "each count moves by 1, so the name needs the scale of one count", {"bulletin": [("2 / choose", "1 / choose")]}),
    "the winner's noise kept": ("the noisy count that won may be published for free", {"bulletin": '''
    noisy = answers.sum(axis=0) + rng.laplace(0, 2 / epsilon, (runs, 5))
    return noisy.argmax(axis=1), noisy.max(axis=1)'''}),
    "the name for free": ("only numbers need noise, a name is no number", {"bulletin": '''
    counts = answers.sum(axis=0)
    exercise = np.full(runs, counts.argmax())
    return exercise, counts[exercise] + rng.laplace(0, 1 / epsilon, runs)'''}),
    "five noisy counts": (
        "add noise to all five counts and read off the largest (private, but too noisy)", {"bulletin": PARTLY["bulletin"]}),
}
