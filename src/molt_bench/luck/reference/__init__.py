"""The values of a reference bot: AIVAT, ranges, and grades of decisions."""
