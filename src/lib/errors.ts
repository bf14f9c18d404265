/** The error codes of the API, independent of HTTP. */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'code_required'
  | 'forbidden'
  | 'cross_site'
  | 'not_found'
  | 'conflict'
  | 'changed'
  | 'waitlist_closed'
  | 'accepted'
  | 'email_mismatch'
  | 'expired'
  | 'revoked'
  | 'refused'
  | 'invalid_fields'
  | 'rate_limited'
  | 'unavailable';

export class DoorlistError extends Error {
  override name = 'DoorlistError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const invalid = (message: string) => new DoorlistError('invalid_request', message);
export const notFound = (message: string) => new DoorlistError('not_found', message);
export const conflict = (message: string) => new DoorlistError('conflict', message);
export const unavailable = (message: string, retryAfterSeconds = 1) =>
  new DoorlistError('unavailable', message, retryAfterSeconds);

const MOST_PROBLEMS_TOLD = 10;

/** Collects problems, so that one response lists every invalid field. */
export class Problems {
  readonly #told: string[] = [];
  #count = 0;

  add(field: string, reason: string): void {
    this.#count += 1;
    if (this.#told.length < MOST_PROBLEMS_TOLD)
      this.#told.push(field === '' ? reason : `${field}: ${reason}`);
  }

  throwIfAny(): void {
    if (this.#count > 0) throw this.toError();
  }

  toError(): DoorlistError {
    const untold = this.#count - this.#told.length;
    return invalid(this.#told.join('; ') + (untold > 0 ? `; and ${untold} more` : ''));
  }
}
