"""What pytest does not look into: a client that needs the package `mcp` of an environment of its own."""

collect_ignore = ["mcp_client.py"]
