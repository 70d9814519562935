"""What is not the benchmark itself, each registered by an entry point as anybody's would be."""
