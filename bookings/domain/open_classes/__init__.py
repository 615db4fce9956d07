"""Groups that the teacher publishes: their list, seats and deadline."""
