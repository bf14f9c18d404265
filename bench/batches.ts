import type { Running, RunningDoorlist } from './processes.ts';

export const SIGNUP = '/sdk/v1/waitlist/signup';
const BATCH = 100;
const AT_ONCE = 4;

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

/** So many people with metadata, to a waitlist that it creates. */
export async function signUpToNew(
  doorlist: RunningDoorlist,
  waitlistId: string,
  people: number,
): Promise<void> {
  doorlist.command('waitlist', 'create', waitlistId, '--name', 'New');
  const { key = '' } = doorlist.command('key', 'create', '--waitlist', waitlistId, '--env', 'production');
  const person = (n: number) => ({
    email: `person${n}@example.com`,
    metadata: { plan: 'pro', source: `campaign ${n % 50}` },
  });
  await signUpInBatches(doorlist, { key, waitlistId, people, connections: AT_ONCE, person });
}
