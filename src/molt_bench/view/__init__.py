"""View: the pages of a run, down to each hand; served on this machine or written as one file."""
