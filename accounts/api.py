"""Views of ``/api/user-data``."""

from typing import cast

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.serializers import ProfileSerializer, UserSerializer
from accounts.services import save_profile

RECEIVED = "Recibimos tus datos."


class UserDataView(APIView):
    """The signed-in person's profile settings. Spec: Endpoints, GET and POST /api/user-data."""

    server_error = "No pudimos procesar tus datos."

    def get(self, request: Request) -> Response:
        """Give the four settings; ``level`` is empty until it is chosen."""
        return Response(ProfileSerializer(cast(User, request.user)).data)

    def post(self, request: Request) -> Response:
        """Replace the four settings and give back the whole person."""
        serializer = ProfileSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        user = save_profile(user=cast(User, request.user), **serializer.validated_data)
        return Response({"message": RECEIVED, "user": UserSerializer(user).data})
