"""The description of ``/api`` in OpenAPI 3.1: read off the code, served, and shown as a page.

What is said about an operation stands beside its view, in the ``openapi`` module of the app. What
is the same everywhere is added here.
"""
