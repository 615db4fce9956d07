"""Views of ``/api/user-data``."""

from typing import cast

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.serializers import ProfileSerializer, UserSerializer
from accounts.models import User
from accounts.services import save_profile
from config.lib.api_texts import PROFILE_FAILED, PROFILE_RECEIVED

# One of each for all: making a serializer copies each of its fields.
_profile, _person = ProfileSerializer(), UserSerializer()


class UserDataView(APIView):
    """The signed-in person's profile settings. Spec: Endpoints, GET and POST /api/user-data."""

    server_error = PROFILE_FAILED

    def get(self, request: Request) -> Response:
        """Give the four settings; ``level`` is empty until it is chosen."""
        return Response(_profile.to_representation(cast(User, request.user)))

    def post(self, request: Request) -> Response:
        """Replace the four settings and give back the whole person."""
        settings = _profile.run_validation(request.data)
        user = save_profile(user=cast(User, request.user), **settings)
        return Response({"message": PROFILE_RECEIVED, "user": _person.to_representation(user)})
