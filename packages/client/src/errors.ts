import type { components } from './api.ts';

/** The codes of the API, and those for responses that never came or are not from Doorlist. */
export type ErrorCode =
  | components['schemas']['ErrorCode']
  | 'timeout'
  | 'network_error'
  | 'unexpected_response';

export class DoorlistError extends Error {
  override readonly name = 'DoorlistError';
  readonly code: ErrorCode;
  /** HTTP status. null if there was no response. */
  readonly status: number | null;
  /** Identifies the request in the server's log. */
  readonly requestId: string | null;

  constructor(
    code: ErrorCode,
    message: string,
    {
      status = null,
      requestId = null,
      cause,
    }: { status?: number | null; requestId?: string | null; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}
