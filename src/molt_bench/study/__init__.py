"""Study: questions about runs: what one will take, and how two differ."""
