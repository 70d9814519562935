"""What the servers share: the viewer's and that of live mode."""
