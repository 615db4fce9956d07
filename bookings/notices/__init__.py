"""Mails about classes: what is due to whom, how it reads, and that it arrives."""
