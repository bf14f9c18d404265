import createClient from 'openapi-fetch';
import { BASE_PATH, BASE_URL } from '../base-path.ts';
import type { components, paths } from './schema.d.ts';

export type Schemas = components['schemas'];

/** The admin API. Every call is typed by its OpenAPI document. */
export const api = createClient<paths>({ baseUrl: BASE_URL });

/** What the API says went wrong. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** The message as a sentence, without the name of a field. */
  get sentence(): string {
    const { text } = this.parts;
    return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
  }

  /** The field the message is about, as in "email: is required". */
  get field(): string | undefined {
    return this.parts.field;
  }

  private get parts(): { field?: string; text: string } {
    const [, field, rest] = /^([a-zA-Z][\w.[\]]*): (.+)$/s.exec(this.message) ?? [];
    if (field === undefined || rest === undefined) return { text: this.message };
    const name = field.replace(/([A-Z])/g, ' $1').toLowerCase();
    return { field, text: /^(is|must|can|has|does|was|should)\b/.test(rest) ? `${name} ${rest}` : rest };
  }

  static from(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof TypeError)
      return new ApiError(0, 'offline', 'the server cannot be reached: check your connection');
    return new ApiError(0, 'unknown', error instanceof Error ? error.message : 'something went wrong');
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Pick<Response, 'ok' | 'status' | 'url'>;
}

/** The body of a successful answer, or an ApiError. A 401 ends the session here too. */
export async function call<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request;
  if (response.ok) return data as T;
  const { code, message } = problemOf(error);
  if (
    response.status === 401 &&
    code === 'unauthorized' &&
    !new URL(response.url).pathname.endsWith('/session')
  )
    sessionEnded();
  throw new ApiError(response.status, code, message);
}

function problemOf(error: unknown): { code: string; message: string } {
  const { code, message } = (error ?? {}) as Partial<{ code: string; message: string }>;
  return { code: code ?? 'unknown', message: message ?? 'the server sent an answer that makes no sense' };
}

let ended = false;

/** Leaves for the sign-in page, which brings the operator back here. A fresh page keeps nothing in memory. */
function sessionEnded(): void {
  if (ended || location.pathname === `${BASE_PATH}/sign-in`) return;
  ended = true;
  const here = `${location.pathname}${location.search}`;
  location.assign(`${BASE_PATH}/sign-in?ended=1&next=${encodeURIComponent(here)}`);
}
