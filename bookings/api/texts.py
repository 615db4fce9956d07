"""What the API says of classes and payments in fixed words. Beside these are the domain's own.

Those of the calendar are the specification's or follow it. Spec: Errors.
"""

BOOKING_FAILED = "No pudimos guardar la reserva."

NO_CODE = "El cuerpo tiene que ser un texto JSON con el código de acceso."
JOINING_FAILED = "No pudimos procesar el código de acceso."

EVENT_CREATED = "Event created successfully"
FETCH_FAILED = "Failed to fetch calendar events"
CREATE_FAILED = "Failed to create calendar event"
SAVE_FAILED = "Failed to save google event in database"
MISSING_PREFERENCE = "Missing preferenceId"
CLASS_NOT_FOUND = "Virtual class not found"
CALLER_REFUSED = "Scheduling is not allowed for this caller"
NOT_PAID = "Payment not confirmed"
TOO_MANY_LOOK_UPS = "Too many requests about payments, try again later"
CLASS_CANCELLED = "Virtual class was cancelled"
CLASS_OVER = "Virtual class is already over"
TIME_TAKEN = "Time slot is no longer available"
PRICE_NOT_AGREED = "The teacher has not agreed to the price yet"

PREFERENCE_FAILED = "No pudimos preparar el pago."
PROVIDER_DOWN = "El medio de pago no responde. Volvé a intentarlo."
FORGED_NOTICE = "La firma no es válida."
TOO_MANY_NOTIFICATIONS = "Demasiados avisos sin una firma válida."
