/**
 * What starts Swagger UI in the page. It is a file of its own for the browser, since the page may run no script that stands in it.
 *
 * @module
 */

/**
 * The script. Nothing is asked of another host (`validatorUrl` would be), nothing is read from the page's own query, and a key that is
 * typed in is kept by the tab alone.
 */
export const START_SCRIPT = `"use strict";
window.ui = SwaggerUIBundle({
  dom_id: "#reference",
  url: "/api/openapi.json",
  validatorUrl: null,
  queryConfigEnabled: false,
  persistAuthorization: false,
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  filter: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  supportedSubmitMethods: ["get", "put", "post", "patch", "delete"],
  syntaxHighlight: { activated: true, theme: "agate" },
});
`;
