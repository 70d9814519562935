"""Language models as agents. Prompt and reply are pure, only the client does I/O, and every exchange is recorded."""
