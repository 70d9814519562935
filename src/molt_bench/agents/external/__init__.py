"""Agents in any language: programs that speak JSON lines in a box or without, and web servers."""
