"""Play: specs in, records out."""
