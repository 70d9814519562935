"""What pytest does not look into: a program that needs the package `mcp` of an environment of their own."""

collect_ignore = ["mcp_client.py"]
