"""Language models as agents: prompt and reply are pure, the client alone does I/O, every exchange is recorded."""
