import type { Running } from './processes.ts';

export const SIGNUP = '/sdk/v1/waitlist/signup';
const BATCH = 100;

interface Person {
  email: string;
  metadata?: Record<string, string>;
}

interface Crowd {
  key: string;
  waitlistId?: string;
  people: number;
  /** 1 unless given. */
  connections?: number;
  person(n: number): Person;
}

/** Signs people up, a hundred in each request. */
export async function signUpInBatches({ url }: Pick<Running, 'url'>, crowd: Crowd): Promise<void> {
  const { key, waitlistId = 'wl_bench', people, connections = 1, person } = crowd;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  let next = 0;
  const post = async () => {
    while (next < people) {
      const first = next;
      next += BATCH;
      const entries = Array.from({ length: Math.min(BATCH, people - first) }, (_, i) => person(first + i));
      const body = JSON.stringify({ waitlistId, entries });
      const answer = await fetch(`${url}${SIGNUP}`, { method: 'POST', headers, body });
      const text = await answer.text();
      if (answer.status !== 201) throw new Error(`signup answered ${answer.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, post));
}
