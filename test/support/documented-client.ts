import assert from 'node:assert/strict';
import type { Role } from '../../src/operators/roles.ts';
import { adminDocumentOf, assertMatches, operationOf } from './documented.ts';
import type { Answer, RequestOptions, Service } from './harness.ts';
import { adminToken } from './operators.ts';

type Fields = Record<string, unknown>;

/** Calls the admin API with a token, and compares every answer with the document. */
export async function documentedClient(service: Service, role: Role = 'owner') {
  const key = await adminToken(service, role, role);
  const document = await adminDocumentOf(service);
  const call = async <T = Fields>(
    operationId: string,
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer<T>> => {
    const answer = await service.request<T>(method, `/admin/v1${path}`, { key, ...options });
    const content = operationOf(document, operationId).responses[answer.status]?.content;
    assert.ok(content, `${operationId} does not document ${answer.status}: ${answer.text}`);
    const type = (answer.headers.get('content-type') ?? '').replace(/;.*/, '');
    const media = content[type];
    assert.ok(media, `${operationId} does not document ${answer.status} as ${type}`);
    if (type === 'application/json')
      assertMatches(document, media.schema, answer.body, `${operationId} ${answer.status}`);
    return answer;
  };
  /** The newest audit record of an action. */
  const audited = async (action: string) => {
    const { body } = await service.request<{ records: Fields[] }>('GET', `/admin/v1/audit?action=${action}`, {
      key,
    });
    return body.records[0] as { object: Fields; actor: Fields; before: Fields | null; after: Fields | null };
  };
  return { key, call, audited };
}

export type DocumentedClient = Awaited<ReturnType<typeof documentedClient>>;
