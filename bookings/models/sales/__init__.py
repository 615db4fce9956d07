"""What is sold, and its money: prices, purchases, payments, the ledger, transfers, links."""
