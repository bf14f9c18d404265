export type RequestName = 'signup' | 'find' | 'list' | 'check';

export interface TestRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

interface Definition {
  label: string;
  inputLabel: string;
  multiline: boolean;
  needsKey: boolean;
  example: (waitlistId: string) => string;
  build: (waitlistId: string, input: string) => TestRequest;
}

const BASE = '/sdk/v1/waitlist';

/** What the dashboard can try out. */
export const REQUESTS: Record<RequestName, Definition> = {
  signup: {
    label: 'Add people',
    inputLabel: 'Body',
    multiline: true,
    needsKey: true,
    example: (waitlistId) => JSON.stringify({ waitlistId, entries: [{ email: 'ada@example.com' }] }, null, 2),
    build: (_, body) => ({ method: 'POST', path: `${BASE}/signup`, body }),
  },
  find: {
    label: 'Look up a person',
    inputLabel: 'Email or phone number',
    multiline: false,
    needsKey: true,
    example: () => 'ada@example.com',
    build: (waitlistId, who) => ({
      method: 'GET',
      path: `${BASE}/${waitlistId}/entries/${encodeURIComponent(who.trim())}`,
    }),
  },
  list: {
    label: 'List the queue',
    inputLabel: 'Query',
    multiline: false,
    needsKey: true,
    example: () => 'sort=position&limit=10',
    build: (waitlistId, query) => ({
      method: 'GET',
      path: `${BASE}/${waitlistId}/entries${query.trim() === '' ? '' : `?${query.trim()}`}`,
    }),
  },
  check: {
    label: 'Check an invite code',
    inputLabel: 'Invite code',
    multiline: false,
    needsKey: false,
    example: () => '',
    build: (_, code) => ({ method: 'GET', path: `${BASE}/invites/${encodeURIComponent(code.trim())}` }),
  },
};
