// Without validatorUrl: null, Swagger UI would ask a server on the internet about the description. The list of all
// schemas is left out, because drawing it blocks the browser; each is shown where it is used.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: -1,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
});
