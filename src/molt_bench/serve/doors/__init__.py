"""The doors of the server: one protocol each, all to the same mailboxes."""
