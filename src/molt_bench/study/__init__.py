"""Study: what a run will take, and how two runs differ."""
