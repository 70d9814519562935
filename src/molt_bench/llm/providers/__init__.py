"""The providers of models: what each wants to be sent, and how its answers are read."""
