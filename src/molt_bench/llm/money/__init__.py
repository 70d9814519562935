"""Money: prices, estimates, the purse, and what was spent."""
