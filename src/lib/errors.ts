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
  | 'changed_meanwhile'
  | 'damaged'
  | 'waitlist_closed'
  | 'accepted'
  | 'email_mismatch'
  | 'expired'
  | 'revoked'
  | 'refused'
  | 'invalid_fields'
  | 'rate_limited'
  | 'unavailable';

/** What is wrong with one field of a request, such as `fields[0].name`. */
export interface FieldProblem {
  readonly name: string;
  readonly message: string;
}

/** A message about a field starts with its name: `email: is required`. */
const ABOUT_FIELD = /^([a-zA-Z][\w.[\]]*): (.+)$/s;

const NO_WORDS = 'the request is not valid';

export class DoorlistError extends Error {
  override name = 'DoorlistError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;
  readonly #fields: readonly FieldProblem[] | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    retryAfterSeconds?: number,
    fields?: readonly FieldProblem[],
  ) {
    super(message || NO_WORDS);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.#fields = fields;
  }

  /** The fields that it is about, if any. */
  get fields(): readonly FieldProblem[] {
    const [, name, message] = ABOUT_FIELD.exec(this.message) ?? [];
    return this.#fields ?? (name === undefined || message === undefined ? [] : [{ name, message }]);
  }
}

export const invalid = (message: string) => new DoorlistError('invalid_request', message);
export const notFound = (message: string) => new DoorlistError('not_found', message);
export const conflict = (message: string) => new DoorlistError('conflict', message);
/** What is stored cannot be decrypted. Says what can be done without it. */
export const damaged = (message: string) => new DoorlistError('damaged', message);
export const unavailable = (message: string, retryAfterSeconds = 1) =>
  new DoorlistError('unavailable', message, retryAfterSeconds);

const NAMED_IN_MESSAGE_MAX = 10;
const FIELDS_MAX = 100;

/** Collects problems, so that one response lists every invalid field. */
export class Problems {
  readonly #fields: FieldProblem[] = [];
  #count = 0;

  /** Whoever goes over what a caller sent stops here: nobody reads more, and there may be millions. */
  get isFull(): boolean {
    return this.#count >= NAMED_IN_MESSAGE_MAX;
  }

  add(name: string, message: string): void {
    this.#count += 1;
    if (this.#fields.length < FIELDS_MAX) this.#fields.push({ name, message });
  }

  get any(): boolean {
    return this.#count > 0;
  }

  throwIfAny(): void {
    if (this.any) throw this.toError();
  }

  toError(): DoorlistError {
    const named = this.#fields.slice(0, NAMED_IN_MESSAGE_MAX);
    const message = named
      .map(({ name, message }) => (name === '' ? message : `${name}: ${message}`))
      .join('; ');
    const unnamed = this.#count - named.length;
    return new DoorlistError(
      'invalid_request',
      unnamed > 0 ? `${message}; and ${unnamed} more` : message,
      undefined,
      this.#fields.filter(({ name }) => name !== ''),
    );
  }
}
