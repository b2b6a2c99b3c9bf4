"""Run notebooks anew, each in a fresh kernel, and write them as they are committed: with outputs, without widgets,
times and the metadata of a machine.

    python tests/notebooks/refresh.py notebooks/07_saying_i_dont_know.ipynb …

A notebook that fails stays as it was.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def refresh(path: Path) -> None:
    """Execute the notebook from its own folder and write it in its place."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=300,
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # else each kernel warns that it is not encrypted
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # of an earlier run
        for output in cell.get("outputs", []):
            # Its number is another one in every kernel, and a page that is opened shows an error in its place.
            output.get("data", {}).pop(WIDGET_VIEW, None)
    nbformat.validate(notebook)
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def main(names: list[str]) -> int:
    """Refresh each, and say how it went."""
    if not names:
        print(__doc__, file=sys.stderr)
    failed = 0
    for name in names:
        try:
            refresh(Path(name).resolve())
            print(f"{name}: run anew")
        except (
            OSError,
            CellExecutionError,
            DeadKernelError,
            nbformat.reader.NotJSONError,
            nbformat.ValidationError,
        ) as error:
            failed += 1
            print(f"{name}: left as it was: {error}", file=sys.stderr)
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
