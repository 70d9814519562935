"""Environments for reinforcement learning; they need the extra envs."""
