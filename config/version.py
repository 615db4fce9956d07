"""The version of the service."""

VERSION = "0.1.0"
