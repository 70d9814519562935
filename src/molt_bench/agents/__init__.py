"""Agents: what plays."""
