"""Playing games: specs in, records out."""
