/**
 * The one way in which a backend's failure travels: whoever asked may try elsewhere, or tell the caller to come back.
 *
 * @module
 */

/** A backend could not be asked, or did not answer in time or in its own language. `cause` says how; it is for the log alone. */
export class BackendDown extends Error {
  override readonly name = "BackendDown";
  readonly backend: string;
  /** When asking again may help, in whole seconds; undefined when the backend did not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(backend: string, cause: unknown, retryAfterSeconds?: number) {
    super(`${backend} did not answer`, { cause });
    this.backend = backend;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
