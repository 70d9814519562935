"""The door for moltpoker's clients: REST and WebSocket."""
