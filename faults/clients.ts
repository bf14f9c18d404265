import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, clientFor, type RequestOptions } from '../test/support/harness.ts';
import { type Ledger, type Person, revertedIn } from './ledger.ts';

/** As a careful client does it: the same request again until the answer is known. */
const RETRY_AFTER_MS = 50;
const GIVE_UP_AFTER_MS = 150_000;
const ANSWER_WITHIN_MS = 15_000;

export interface Service {
  readonly waitlistId: string;
  readonly key: string;
  readonly adminToken: string;
  /** Of the servers that may be up, in any order. */
  urls(): readonly string[];
}

interface Traffic {
  /** Lets every client finish what it has begun. */
  stop(): Promise<void>;
}

/** Clients that do everything with people of their own, one thing at a time. */
export function startTraffic(
  service: Service,
  ledger: Ledger,
  { clients, random }: { clients: number; random: () => number },
): Traffic {
  let stopping = false;
  const running = Array.from({ length: clients }, (_, name) =>
    live(new Client(service, ledger, random, `c${name}`), () => stopping),
  );
  return {
    stop: async () => {
      stopping = true;
      await Promise.all(running);
    },
  };
}

async function live(client: Client, enough: () => boolean): Promise<void> {
  while (!enough()) {
    await client.step();
    await sleep(2); // Others want the processor, too.
  }
}

class Client {
  readonly #own: Person[] = [];
  #count = 0;
  readonly #service: Service;
  readonly #ledger: Ledger;
  readonly #random: () => number;
  readonly #name: string;

  constructor(service: Service, ledger: Ledger, random: () => number, name: string) {
    this.#service = service;
    this.#ledger = ledger;
    this.#random = random;
    this.#name = name;
  }

  async step(): Promise<void> {
    const chance = this.#random();
    const person = this.#own[Math.floor(this.#random() * this.#own.length)];
    if (!person || chance < 0.5) return this.#signUp();
    if (chance < 0.65) return this.#look(person);
    if (chance < 0.8) return this.#change(person);
    if (person.status === 'waiting') return this.#invite(person);
    if (person.status === 'invited' && person.code) return this.#accept(person, person.code);
    if (chance > 0.97 && person.status === 'joined') return this.#remove(person);
    return this.#look(person);
  }

  async #signUp(): Promise<void> {
    const size = 1 + Math.floor(this.#random() * 3);
    const emails = Array.from({ length: size }, () => `${this.#name}-${this.#count++}@example.com`);
    for (const email of emails) this.#ledger.asked.add(email);
    const entries = emails.map((email) => ({ email, metadata: { version: 0 }, ...this.#referrer() }));
    const body = { waitlistId: this.#service.waitlistId, entries };
    const answer = await this.#write('POST', '/sdk/v1/waitlist/signup', { key: this.#service.key, body });
    // 200: an attempt without an answer was the one.
    if (answer && answer.status < 300) this.#own.push(...emails.map((email) => this.#ledger.joined(email)));
    else this.#complain('signup', answer);
  }

  #referrer(): { referredBy?: string } {
    const referrer = this.#own[0];
    return referrer && this.#random() < 0.2 ? { referredBy: referrer.email } : {};
  }

  /** What was acknowledged must be seen at once, by every server. */
  async #look(person: Person): Promise<void> {
    const { waitlistId, key } = this.#service;
    const path = `/sdk/v1/waitlist/${waitlistId}/entries/${encodeURIComponent(person.email)}`;
    const answer = await this.#ask('GET', path, { key });
    if (!answer || answer.status >= 500) return;
    const entry = answer.body as { id: string; status: string; metadata: Record<string, unknown> | null };
    if (answer.status === 200) {
      person.entryId = entry.id;
      this.#ledger.problems.push(...revertedIn(person, entry as never));
    } else if (person.status !== 'removed') this.#complain(`lookup of ${person.email}`, answer);
  }

  async #change(person: Person): Promise<void> {
    if (person.status === 'removed') return;
    if (person.entryId === undefined) return this.#look(person);
    const version = person.version + 1;
    const body = { metadata: { version } };
    const answer = await this.#administer('PATCH', `/entries/${person.entryId}`, body);
    if (answer?.status === 200) person.version = version;
    else this.#complain('change', answer);
  }

  async #invite(person: Person): Promise<void> {
    const answer = await this.#administer('POST', '/invites', { email: person.email });
    const { code } = (answer?.body ?? {}) as { code?: string };
    // A conflict means that an attempt without an answer was the one: its code is unknown.
    if (answer?.status === 201 || answer?.status === 409) person.status = 'invited';
    else this.#complain('invite', answer);
    if (code !== undefined) person.code = code;
  }

  async #accept(person: Person, code: string): Promise<void> {
    const headers = { 'idempotency-key': `accept-${person.email}` };
    const path = `/sdk/v1/waitlist/invites/${encodeURIComponent(code)}/accept`;
    const answer = await this.#write('POST', path, { headers });
    if (answer?.status === 200) person.status = 'joined';
    else this.#complain('accept', answer);
  }

  async #remove(person: Person): Promise<void> {
    if (person.entryId === undefined) return this.#look(person);
    const answer = await this.#administer('DELETE', `/entries/${person.entryId}`, {});
    if (answer && [200, 404, 409].includes(answer.status)) person.status = 'removed';
    else this.#complain('removal', answer);
  }

  #administer(method: string, path: string, body: unknown): Promise<Answer | undefined> {
    const { waitlistId, adminToken } = this.#service;
    return this.#write(method, `/admin/v1/waitlists/${waitlistId}${path}`, { key: adminToken, body });
  }

  /** Until it is known what became of it. */
  async #write(method: string, path: string, options: RequestOptions): Promise<Answer | undefined> {
    const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
    for (;;) {
      const answer = await this.#ask(method, path, options);
      const known = answer && answer.status < 500 && answer.status !== 429;
      if (known && answer.status < 300) this.#ledger.acknowledge();
      if (known || performance.now() > giveUpAt) return answer;
      await sleep(RETRY_AFTER_MS);
    }
  }

  async #ask(method: string, path: string, options: RequestOptions): Promise<Answer | undefined> {
    const urls = this.#service.urls();
    const url = urls[Math.floor(this.#random() * urls.length)];
    if (url === undefined) return undefined;
    const late = sleep(ANSWER_WITHIN_MS, undefined, { ref: false });
    return Promise.race([clientFor(url).request(method, path, options), late]).catch(() => undefined);
  }

  #complain(what: string, answer: Answer | undefined): void {
    this.#ledger.problems.push(
      `${what}: ${answer ? `${answer.status} ${answer.text}` : 'no answer in time'}`,
    );
  }
}
