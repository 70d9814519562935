"""Adapters: molt-bench where its users already work. They translate; the rest of the house decides."""
