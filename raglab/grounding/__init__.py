"""Reply → citations, statements, problems: whether an answer stands on its passages."""
