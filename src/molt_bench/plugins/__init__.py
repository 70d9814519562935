"""What is not the benchmark itself, each registered by an entry point as a stranger's would be."""
