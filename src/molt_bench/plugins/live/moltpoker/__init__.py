"""moltpoker's words over the door: its platform's clients register, join a table and play over a WebSocket."""
