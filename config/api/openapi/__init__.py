"""The description of ``/api`` in OpenAPI 3.1: read off the code, served, and shown as a page.

What is said about an operation stands in the ``openapi`` modules of its app, ``described.py`` says
which is whose, and what is the same everywhere is added here. All of it is loaded when somebody
asks for the document, not with the views.
"""
