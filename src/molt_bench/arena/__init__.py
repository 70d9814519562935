"""Arena: plays the games that a run decides on, in this process, on all cores or on a cluster."""
