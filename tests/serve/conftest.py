"""What pytest does not look into: programs that need the package `mcp` of an environment of their own."""

collect_ignore = ["mcp_client.py", "mcp_host.py"]
