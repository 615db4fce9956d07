"""The OpenAPI 3.1 document: made from the views' descriptions, served, and shown as a page."""
