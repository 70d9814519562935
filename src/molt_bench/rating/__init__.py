"""Rating: results in, ratings out; it knows no poker."""
