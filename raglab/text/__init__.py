"""Words, sentences, Markdown and disguised letters: what every room above reads text with."""
