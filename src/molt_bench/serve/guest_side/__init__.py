"""The side of the guests: what runs on their machines to play at a live server. No server needs it."""
