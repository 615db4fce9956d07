"""Fixed texts of ``/api``."""

SIGN_IN_FIRST = "Ingresá para continuar."
FOREIGN_ORIGIN = "El pedido viene de otro sitio."
NOT_FOUND = "No encontrado."
BODY_TOO_LARGE = "El cuerpo es demasiado grande."
WRONG_TYPE = "Enviá el cuerpo como JSON en UTF-8."
COMPRESSED = "Enviá el cuerpo sin comprimir."
NO_JSON = "El cuerpo no es JSON válido."
# DRF's text for one of the methods, as an example.
WRONG_METHOD = 'Método "PUT" no permitido.'

PROFILE_RECEIVED = "Recibimos tus datos."
PROFILE_FAILED = "No pudimos procesar tus datos."
TOO_MANY_STARTS = "Demasiados intentos. Probá de nuevo en un minuto."
