"""The luck of the cards."""
