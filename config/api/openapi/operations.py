"""The description of an operation."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated

from config.api.openapi.common_responses import RETRY_AFTER, refer

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


class ApiSchema(AutoSchema):
    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        operation: dict[str, Any] = super().get_operation(*args, **kwargs) or {}
        body = operation.get("requestBody", {"content": {}})
        is_json = JSON in body["content"]
        if is_json and isinstance(self.get_request_serializer(), dict):
            body["required"] = True  # of serializers the library knows it
        answers = self._common_answers(reads_json=is_json) | operation["responses"]
        if FORM in body["content"]:
            answers["413"] = refer("BodyTooLarge")
        if self.path.startswith("/api/"):
            self._add_lack_of_connections(answers)
        operation["responses"] = dict(sorted(answers.items()))
        return operation

    def _add_lack_of_connections(self, answers: dict[str, Any]) -> None:
        """As ``config.api.exceptions``: a documented 500 stays a 500."""
        if answers["500"] == refer("ServerError"):
            answers.setdefault("503", refer("Overloaded"))
        else:
            answers["500"].setdefault("headers", {})["Retry-After"] = RETRY_AFTER

    def map_parsers(self) -> list[str]:
        return [JSON]  # the parser reads it under any content type

    def _common_answers(self, *, reads_json: bool) -> dict[str, dict[str, str]]:
        if not self.path.startswith("/api/"):
            return {"405": refer("OnlyGet")} | dict.fromkeys(("400", "431", "500"), refer("Page"))
        answers = {"400": "BadRequest", "405": "MethodNotAllowed"}
        answers |= {"431": "HeadersTooLarge", "500": "ServerError"}
        if IsAuthenticated in self.view.permission_classes:
            answers["401"] = "Unauthenticated"
            if self.method not in SAFE_METHODS:
                answers["403"] = "ForeignOrigin"
        if reads_json:
            answers |= {"413": "BodyTooLarge", "415": "WrongType"}
        return {status: refer(name) for status, name in answers.items()}
