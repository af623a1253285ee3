"""Money and tokens: prices, what calls have cost, what they may cost, and budgets."""
