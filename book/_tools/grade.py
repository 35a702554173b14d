"""Grade a folder of submissions of one set: `make grade SUBMISSIONS=folder`; book/teaching/grading.md says how.

    python book/_tools/grade.py submissions/set1
    python book/_tools/grade.py submissions --set 1 --out graded --workers 4 --total 300
"""

import sys

if __name__ == "__main__":  # the processes that run submissions import this file, and need nothing of it
    from course.batch import main

    sys.exit(main())
