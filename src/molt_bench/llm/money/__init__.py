"""Money: prices, the budget, and what was spent."""
