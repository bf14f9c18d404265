import assert from 'node:assert/strict';
import { openOperators } from '../../src/operators/context.ts';
import { type AuditRecord, listAudit } from '../../src/operators/read-audit.ts';
import type { Role } from '../../src/operators/roles.ts';
import type { Answer, RequestOptions, Service } from './harness.ts';
import { adminToken } from './operators.ts';

/** Calls the admin API with a token. */
export async function adminClient(service: Service, role: Role = 'owner') {
  const key = await adminToken(service, role, role);
  const request = <T>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<T>> =>
    service.request<T>(method, `/admin/v1${path}`, { key, ...options });
  return {
    request,
    get: <T>(path: string) => request<T>('GET', path),
    post: <T>(path: string, body: unknown = {}) => request<T>('POST', path, { body }),
    patch: <T>(path: string, body: unknown) => request<T>('PATCH', path, { body }),
    put: <T>(path: string, body: unknown) => request<T>('PUT', path, { body }),
    delete: <T>(path: string, body?: unknown) => request<T>('DELETE', path, { body }),
  };
}

export type AdminClient = Awaited<ReturnType<typeof adminClient>>;

/** The newest records about an object, such as `waitlist:wl_acme`, oldest first. */
export async function auditOf({ context }: Service, object: string): Promise<AuditRecord[]> {
  const { records } = await listAudit(await openOperators(context), { limit: 200, object });
  return records.toReversed();
}

export function succeeded<T>(answer: Answer<T>, status = 200): T {
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}

/** Calls the admin API with a token of any role, the usual one unless told otherwise. */
export async function askInRoles(service: Service, usual: Role) {
  const keys = new Map<string, string>();
  for (const role of ['viewer', 'support', 'admin'] as const)
    keys.set(role, await adminToken(service, role, role));
  return <T = Record<string, unknown>>(
    method: string,
    path: string,
    { role = usual, body }: { role?: string; body?: unknown } = {},
  ): Promise<Answer<T>> =>
    service.request<T>(method, `/admin/v1${path}`, {
      key: keys.get(role),
      ...(body === undefined ? {} : { body }),
    });
}

export type AskInRoles = Awaited<ReturnType<typeof askInRoles>>;
