"""Live mode: a server to which autonomous agents come by themselves."""
