"""Stand-ins: cheap players fitted to what agents did earlier in the run, to look ahead where they cannot be asked."""
