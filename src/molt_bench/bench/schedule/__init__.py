"""Schedule: which pairings play next. First comes the opening; then a matchmaker ranks the open pairings."""
