"""End to end: real processes, real files, real signals."""
