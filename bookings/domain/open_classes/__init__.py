"""Groups that the teacher publishes."""
