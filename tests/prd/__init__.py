"""What the requirements ask for, line by line. Frozen: these tests know the command and the face, and no room inside.

Where the product knowingly does otherwise than the requirements say, a test sets the setting that gives their way, and
a comment says so.
"""
