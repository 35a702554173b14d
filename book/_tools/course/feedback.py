"""What a student gets back: one small page that needs nothing else, with the score and what each test said."""

import html

from course.score import Result

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem }}
h1 {{ font-size: 1.4rem }} h2 {{ font-size: 1.1rem; margin: 1.5rem 0 0 }}
p {{ margin: .3rem 0; overflow-wrap: anywhere }}
pre {{ overflow-x: auto; padding: .6rem; border: 1px solid #8888; border-radius: .3rem; font-size: .85rem }}
</style>
<h1>{title}</h1>
<p><strong>{total:g} of {most:g} points</strong> ({status})</p>
{remarks}
{tasks}
</html>
"""
TASK = """\
<h2>{task}: {score:g} of {points:g}</h2>
<p>{said}</p>
{source}"""


def page(result: Result, name: str) -> str:
    """Return the page of a result."""
    remarks = "".join(f"<li>{html.escape(remark)}</li>\n" for remark in result.remarks)
    return PAGE.format(
        title=html.escape(f"{result.student}, {name}"),
        total=result.total,
        most=sum(task["points"] for task in result.tasks),
        status=html.escape(result.status),
        remarks=f"<ul>\n{remarks}</ul>" if remarks else "",
        tasks="\n".join(map(part, result.tasks)),
    )


def part(task: dict[str, object]) -> str:
    """Return the part of a task."""
    source = str(task["source"])
    shown = f"<details><summary>Your answer</summary><pre>{html.escape(source)}</pre></details>" if source else ""
    said = html.escape(str(task["said"] or "Passed."))
    return TASK.format(task=html.escape(str(task["task"])), score=task["score"], points=task["points"], said=said, source=shown)
