import assert from 'node:assert/strict';
import { createChallenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { newTimeToken, TOKEN_MS_MIN } from '../../src/waitlist/forms/challenge.ts';
import { findForm, type LiveForm } from '../../src/waitlist/forms/form.ts';
import { type FormChanges, updateForm } from '../../src/waitlist/forms/update-form.ts';
import { eventually, type List, type RequestOptions, type Service } from './harness.ts';

export const SITE = 'https://acme.example';

interface JoinAnswer {
  state: 'joined' | 'confirm';
  statusUrl?: string;
  code?: string;
  message?: string;
  codeResult?: { used: boolean; places?: number; reason?: string; text: string | null };
  fields?: Record<string, string>;
  status?: { position: number; shareUrl: string; links: { url: string }[] };
}

/** A waitlist with its form switched on. */
export async function openForm(service: Service, settings: FormChanges = {}, list?: List) {
  const on = list ?? (await service.waitlist());
  const { context, clock } = service;
  const queue = await on.queue();
  const changes = { enabled: true, allowedOrigins: [SITE], ...settings };
  const { key } = await updateForm(context, queue, changes);
  assert.ok(key);
  const form = (await eventually(() => findForm(context, key), Boolean)) as LiveForm;
  const path = `/form/v1/${key}`;
  const post = (body: Record<string, unknown>, options: RequestOptions = {}) =>
    service.request<JoinAnswer>('POST', path, { body, ...options });
  const token = () => {
    const made = newTimeToken(form, clock.now);
    clock.advance(TOKEN_MS_MIN);
    return made;
  };
  const proof = async (of = token()) => easyProof(form, of);
  return {
    list: on,
    key,
    path,
    form,
    queue,
    token,
    proof,
    post,
    get: (options: RequestOptions = {}) => service.request('GET', path, options),
    /** As the component does: with a solved challenge. */
    join: async (values: Record<string, unknown>, options?: RequestOptions) =>
      post({ ...values, proof: await proof() }, options),
    /** As a browser without scripts does. */
    send: (values: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { accept: 'text/html', ...headers },
        body: new URLSearchParams(values),
        redirect: 'manual',
      }),
    /** Until the change is seen: forms are cached for a moment. */
    change: async (next: FormChanges) => {
      const { enabled, settings: changed } = await updateForm(context, queue, next);
      const wanted = enabled ? JSON.stringify(changed) : undefined;
      const seen = async () => JSON.stringify((await findForm(context, key))?.settings);
      await eventually(seen, (found) => found === wanted);
    },
  };
}

export type OpenForm = Awaited<ReturnType<typeof openForm>>;

/** Signed like a served challenge, but with almost no work: solving a real one takes long. */
export async function easyProof({ queue }: LiveForm, token: string): Promise<string> {
  const challenge = await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: 1,
    keyPrefix: '0',
    deriveKey,
    hmacSignatureSecret: queue.vault.hash('form', 'challenge').toString('hex'),
    data: { token },
  });
  return solved(challenge);
}

export async function solved(challenge: Awaited<ReturnType<typeof createChallenge>>): Promise<string> {
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}
