"""Tools that know no app. Apps import these and nothing else of ``config``."""
