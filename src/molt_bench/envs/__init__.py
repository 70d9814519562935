"""Environments for reinforcement learning; they need the extra molt-bench[envs]."""
