// Swagger UI on this server's own document. Without a validator: that one is elsewhere.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "list",
  validatorUrl: null,
});
