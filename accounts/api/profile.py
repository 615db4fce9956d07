"""Views of ``/api/user-data``."""

from typing import cast

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.serializers import ProfileSerializer, SavedProfileSerializer, UserSerializer
from accounts.models import User
from accounts.services import save_profile
from config.lib.api import NO_JSON, PROFILE_FAILED, PROFILE_RECEIVED, operation


class UserDataView(APIView):
    """Spec: GET /api/user-data; POST /api/user-data."""

    server_error = PROFILE_FAILED

    @operation("getUserData", responses=ProfileSerializer)
    def get(self, request: Request) -> Response:
        return Response(ProfileSerializer(cast(User, request.user)).data)

    @operation(
        "saveUserData",
        request=ProfileSerializer,
        responses=SavedProfileSerializer,
        texts={400: ['level: "experto" no es una elección válida.', NO_JSON]},
    )
    def post(self, request: Request) -> Response:
        settings = ProfileSerializer().run_validation(request.data)
        user = save_profile(user=cast(User, request.user), **settings)
        return Response({"message": PROFILE_RECEIVED, "user": UserSerializer(user).data})
