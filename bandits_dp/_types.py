"""One word for the arrays that most functions take and return."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
