"""Sending: HTTP, retries, failures and limits."""
