"""What every view of ``/api`` shares: errors, JSON parsing, the OpenAPI document."""
