/**
 * What the API's handlers find in their context, put there by the door.
 *
 * @module
 */
import type { RequestScope } from "./context.ts";

/** The type parameter of every Hono app behind the API's door. */
export interface ApiEnv {
  Bindings: {
    /** The request's stamp. */
    scope: RequestScope;
  };
}
