"""Agents in any language: programs that speak JSON lines, and web servers."""
