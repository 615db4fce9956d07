"""``make check``: the length of sentences, the teacher's handbook, and Spanish spelling."""
