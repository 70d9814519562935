"""Arena: plays the games of a run, in this process, on all cores or on a cluster."""
