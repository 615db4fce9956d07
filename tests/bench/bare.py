"""The floor as a server of its own: gunicorn loads it as it loads the service."""

from django.conf import settings
from django.core.wsgi import get_wsgi_application

settings.configure(
    SECRET_KEY="bench", ALLOWED_HOSTS=["*"], ROOT_URLCONF="tests.bench.floor", MIDDLEWARE=[]
)
application = get_wsgi_application()
