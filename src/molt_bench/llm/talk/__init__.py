"""What is said to a model and read from it. Pure: no network, no disk, no clock."""
