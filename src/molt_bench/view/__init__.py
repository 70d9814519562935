"""View: a run as pages to look at, hand by hand; served on this machine, or as one file."""
