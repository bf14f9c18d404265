import createClient from 'openapi-fetch';
import { BASE_URL } from '../base-path.ts';
import { idempotencyKeys } from './idempotency-keys.ts';
import type { components, paths } from './schema.d.ts';
import { sessionEnded } from './session.ts';

export type Schemas = components['schemas'];

/** The admin API. Every call is typed by its OpenAPI document. */
export const api = createClient<paths>({ baseUrl: BASE_URL });
api.use(idempotencyKeys);

type FieldProblem = NonNullable<Schemas['Problem']['fields']>[number];

/** What the API says went wrong. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** The fields that it is about. */
  readonly fields: readonly FieldProblem[];

  constructor(status: number, code: string, message: string, fields: readonly FieldProblem[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }

  /** The message as a sentence. */
  get sentence(): string {
    return this.fields.length === 0 ? asSentence(this.message) : this.fields.map(nameAndSay).join(' ');
  }

  /** Whether it is about this field. */
  isAbout(field: string): boolean {
    return this.fields.some(({ name }) => name === field);
  }

  /** What it says about this field, beside its label. */
  about(field: string): string | undefined {
    const own = this.fields.filter(({ name }) => name === field);
    return own.length === 0
      ? undefined
      : own.map(({ name, message }) => say(isPlain(name) ? name : '', message)).join(' ');
  }

  /** What it says that is not shown at one of these fields. */
  besides(shown: Iterable<string>): string | undefined {
    const names = new Set(shown);
    const others = this.fields.filter(({ name }) => !names.has(name));
    if (this.fields.length === 0) return this.sentence;
    return others.length === 0 ? undefined : others.map(nameAndSay).join(' ');
  }

  static from(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof TypeError)
      return new ApiError(0, 'offline', 'the server cannot be reached: check your connection');
    if (error instanceof SyntaxError) return new ApiError(0, 'unknown', notDoorlist());
    return new ApiError(0, 'unknown', error instanceof Error ? error.message : 'something went wrong');
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Pick<Response, 'ok' | 'status' | 'url'> & { headers?: Headers };
}

/** What can be changed, with its ETag: sent as `If-Match`, nothing that others changed meanwhile is replaced. */
export type Tagged<T> = T & { etag: string };

export async function callTagged<T extends object>(request: Promise<Answer<T>>): Promise<Tagged<T>> {
  const { response } = await request;
  return { ...(await call(request)), etag: response.headers?.get('etag') ?? '*' };
}

/** The header that refuses a change of what others changed since it had this ETag. Without one, the change is made anyway. */
export function ifMatch(etag: string | undefined): { header?: { 'If-Match': string } } {
  return etag === undefined ? {} : { header: { 'If-Match': etag } };
}

/** The body of a successful answer, or an ApiError. A 401 ends the session here too. */
export async function call<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request;
  if (response.ok) return data as T;
  const { code, message, fields } = problemOf(error, response.status);
  if (
    response.status === 401 &&
    code === 'unauthorized' &&
    !/\/session(\/passkey)?$/.test(new URL(response.url).pathname)
  ) {
    sessionEnded();
    throw new ApiError(response.status, code, 'your session has ended: sign in, then try again');
  }
  throw new ApiError(response.status, code, message, fields);
}

function problemOf(error: unknown, status: number): Omit<Schemas['Problem'], 'code'> & { code: string } {
  const { code, message, fields } = (error ?? {}) as Partial<Schemas['Problem']>;
  return {
    code: code ?? 'unknown',
    message: message ?? notDoorlist(status),
    ...(fields ? { fields } : {}),
  };
}

/** About an answer that is not in the words of Doorlist. */
function notDoorlist(status?: number): string {
  if (status === 413) return 'this is larger than a proxy in front of Doorlist allows (413)';
  if (status === 502 || status === 503 || status === 504)
    return `a proxy cannot reach Doorlist (${status}): try again in a moment`;
  const words = 'something in front of Doorlist answered instead, such as a proxy or a sign-in page';
  return status === undefined ? words : `${words} (${status})`;
}

function nameAndSay({ name, message }: FieldProblem): string {
  // A path such as `metadata.plan` has no label that would say what it is about.
  if (/[.[]/.test(name)) return asSentence(isSaidOf(message) ? `${name} ${message}` : `${name}: ${message}`);
  return say(name.replace(/([A-Z])/g, ' $1').toLowerCase(), message);
}

/** Others are labelled in other words, or have only a path. */
function isPlain(name: string): boolean {
  return /^[a-z]+$/.test(name);
}

/** A sentence. "must be …" is said of something. */
export function say(what: string, message: string): string {
  return asSentence(isSaidOf(message) && what !== '' ? `${what} ${message}` : message);
}

function isSaidOf(message: string): boolean {
  return /^(is|must|can|has|does|was|should)\b/.test(message);
}

function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
