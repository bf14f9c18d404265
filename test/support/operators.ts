import assert from 'node:assert/strict';
import { openOperators } from '../../src/operators/context.ts';
import type { Passwords } from '../../src/operators/password.ts';
import { COMMAND_LINE, type Role } from '../../src/operators/roles.ts';
import { setupToken } from '../../src/operators/setup.ts';
import { createToken } from '../../src/operators/tokens.ts';
import { type Answer, cheapPasswords, type RequestOptions, type Service } from './harness.ts';

export const PASSWORD = 'compilers translate words';
export const OWNER = { email: 'grace@example.com', name: 'Grace Hopper', password: PASSWORD };

/** Acts as a browser: keeps cookies and sends same-origin headers. */
export function browserOf(service: Pick<Service, 'request'>) {
  const cookies = new Map<string, string>();
  const request = async <T = Record<string, unknown>>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer<T>> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await service.request<T>(method, path, {
      ...options,
      headers: { 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}), ...options.headers },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return {
    cookies,
    request,
    get: <T>(path: string) => request<T>('GET', `/admin/v1${path}`),
    post: <T>(path: string, body?: unknown) => request<T>('POST', `/admin/v1${path}`, { body }),
    patch: <T>(path: string, body: unknown) => request<T>('PATCH', `/admin/v1${path}`, { body }),
    delete: <T>(path: string) => request<T>('DELETE', `/admin/v1${path}`),
    signIn: (email: string, password: string, code?: string) =>
      request('POST', '/admin/v1/session', { body: { email, password, ...(code ? { code } : {}) } }),
  };
}

export type Browser = ReturnType<typeof browserOf>;

export async function tokenForSetup({ context }: Service): Promise<string> {
  return setupToken(await openOperators(context));
}

/** Sets up the installation and returns a browser that is signed in as its owner. */
export async function setUp(service: Service, owner = OWNER): Promise<Browser> {
  const browser = browserOf(service);
  const answer = await browser.post('/setup', { token: await tokenForSetup(service), ...owner });
  assert.equal(answer.status, 201, answer.text);
  return browser;
}

/** Invites an operator, follows the link and signs in. */
export async function join(service: Service, owner: Browser, role: string, email: string): Promise<Browser> {
  const invited = await owner.post<{ link: { url: string } }>('/operators', { email, role });
  assert.equal(invited.status, 201, invited.text);
  const browser = browserOf(service);
  const set = await browser.post('/password', {
    token: tokenOf(invited.body.link.url),
    name: role,
    password: PASSWORD,
  });
  assert.equal(set.status, 200, set.text);
  const signedIn = await browser.signIn(email, PASSWORD);
  assert.equal(signedIn.status, 200, signedIn.text);
  return browser;
}

export function tokenOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1) ?? '';
}

/** Passwords that are compared for as long as something else takes. */
export function slowPasswords() {
  const passwords = cheapPasswords();
  let work: (() => Promise<unknown>) | undefined;
  const verify: Passwords['verify'] = async (...compared) => {
    const fits = await passwords.verify(...compared);
    const doNow = work;
    work = undefined;
    await doNow?.();
    return fits;
  };
  return {
    passwords: { ...passwords, verify },
    /** Does this during the next comparison. */
    meanwhile: (next: () => Promise<unknown>) => {
      work = next;
    },
  };
}

/** A token without a sign-in, which takes long. */
export async function adminToken(service: Service, role: Role = 'owner', name = 'test'): Promise<string> {
  const input = { name, role, expiresAt: null };
  return (await createToken(await openOperators(service.context), COMMAND_LINE, input)).token;
}
