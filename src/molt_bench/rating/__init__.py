"""Rating: results in, ratings out; nothing here is about poker."""
