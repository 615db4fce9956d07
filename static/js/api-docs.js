// Shows the API's description in Swagger UI.
const place = document.getElementById("docs");

SwaggerUIBundle({ url: place.dataset.document, domNode: place, deepLinking: true });
