import { setTimeout as sleep } from 'node:timers/promises';
import type { PresentedEntry } from '../src/wire/entry.ts';
import { freePort } from '../test/support/free-port.ts';
import { clientFor, listOver } from '../test/support/harness.ts';
import { type MailServer, startMailServer } from '../test/support/mail-server.ts';
import { commandJson, type RunningProcess, runCommand, startProcess } from '../test/support/process.ts';
import { type Receiver, startReceiver } from '../test/support/receiver.ts';
import type { Storage } from '../test/support/storage.ts';
import type { Service } from './clients.ts';
import { type Findings, Ledger } from './ledger.ts';

const LIST = 'wl_faults';
/** What a killed server was about to send is sent by another after a minute. Longer, because machines can be busy. */
const ARRIVE_WITHIN_MS = 200_000;

export interface Checked extends Findings {
  /** Of acknowledged signups: whose event or email did not arrive. */
  undelivered: string[];
  unmailed: string[];
  doctor: string;
}

/** An installation whose servers come and go, with a receiver of webhooks and a mail server. */
export class Site implements Service {
  readonly waitlistId: string = LIST;
  readonly ledger: Ledger = new Ledger();
  storage: Storage;
  readonly #left: Storage[] = [];
  readonly servers: (RunningProcess | undefined)[] = [];
  key = '';
  adminToken = '';
  readonly #ports: number[];
  readonly #receiver: Receiver;
  readonly #mails: MailServer;
  /** For servers that reach the database in a way of their own. */
  readonly environments: Record<number, Record<string, string>> = {};

  static async open(storage: Storage, instances: number): Promise<Site> {
    const ports = await Promise.all(Array.from({ length: instances }, freePort));
    const site = new Site(storage, ports, await startReceiver(), await startMailServer());
    await site.#setUp();
    return site;
  }

  constructor(storage: Storage, ports: number[], receiver: Receiver, mails: MailServer) {
    this.storage = storage;
    this.#ports = ports;
    this.#receiver = receiver;
    this.#mails = mails;
  }

  async #setUp(): Promise<void> {
    const { environment } = this.storage;
    await commandJson(environment, 'migrate');
    await commandJson(environment, 'waitlist', 'create', LIST, '--name', 'Faults');
    const scope = ['--waitlist', LIST, '--env', 'production', '--read'];
    this.key = (await commandJson<{ key: string }>(environment, 'key', 'create', ...scope)).key;
    const wanted = ['--name', 'faults', '--role', 'admin'];
    const made = await commandJson<{ token: string }>(environment, 'admin-token', 'create', ...wanted);
    this.adminToken = made.token;
    await this.start(0);
    const { request } = clientFor(this.urlOf(0));
    const path = `/admin/v1/waitlists/${LIST}`;
    const key = this.adminToken;
    await request('POST', `${path}/webhooks`, {
      key,
      body: { url: this.#receiver.url, events: ['signup.created'] },
    });
    await request('PATCH', `${path}/mail/settings`, { key, body: { kinds: ['welcome'] } });
    for (let which = 1; which < this.#ports.length; which += 1) await this.start(which);
  }

  urlOf(which: number): string {
    return `http://127.0.0.1:${this.#ports[which]}`;
  }

  urls(): readonly string[] {
    return this.#ports.map((_, which) => this.urlOf(which));
  }

  get ports(): readonly number[] {
    return this.#ports;
  }

  async start(which: number): Promise<void> {
    this.servers[which] = await startProcess({
      ...this.storage.environment,
      PORT: String(this.#ports[which]),
      DOORLIST_WEBHOOK_ALLOW: '127.0.0.1',
      DOORLIST_SMTP_URL: this.#mails.url,
      DOORLIST_MAIL_FROM: 'hello@acme.example',
      DOORLIST_RATE_LIMIT_INVITE_ACCEPT: '0',
      DOORLIST_RATE_LIMIT_KEY: '0',
      ...this.environments[which],
    });
  }

  /** Servers that start from now on use it. */
  moveTo(storage: Storage): void {
    this.#left.push(this.storage);
    this.storage = storage;
  }

  async end(which: number, signal: NodeJS.Signals): Promise<void> {
    await this.servers[which]?.stop(signal);
    this.servers[which] = undefined;
  }

  /** Once no client is at work any more. */
  async check(): Promise<Checked> {
    const list = listOver(clientFor(this.urlOf(0)), LIST, this.key);
    const entries = (await list.walk({ limit: 100 })) as PresentedEntry[];
    // Nobody writes to those who were imported, or removed meanwhile.
    const stayed = [...this.ledger.people.values()].filter(
      ({ status, silent }) => status !== 'removed' && !silent,
    );
    const people = stayed.map(({ email }) => email);
    const arrived = () => new Set(this.#receiver.received.flatMap(({ body }) => emailIn(body)));
    const mailed = () => new Set(this.#mails.received.flatMap(({ to }) => to));
    const [undelivered, unmailed] = await Promise.all([missing(people, arrived), missing(people, mailed)]);
    return {
      ...this.ledger.check(entries),
      ...{ undelivered, unmailed },
      doctor: await this.#examine(),
    };
  }

  /** What `doctor` finds wrong with counters, positions and keys. */
  async #examine(): Promise<string> {
    const { stdout } = await runCommand(this.storage.environment, 'doctor');
    return stdout
      .split('\n')
      .filter((line) => line.startsWith('WRONG') && line.includes(LIST))
      .join('; ');
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server?.stop('SIGKILL')));
    await Promise.all([this.#receiver.close(), this.#mails.close()]);
    for (const storage of [...this.#left, this.storage]) await storage.remove();
  }
}

function emailIn(body: string): string[] {
  return /"email":"([^"]+)"/.exec(body)?.slice(1) ?? [];
}

/** Those of the wanted who have not arrived in time. */
async function missing(wanted: readonly string[], arrived: () => Set<string>): Promise<string[]> {
  const giveUpAt = performance.now() + ARRIVE_WITHIN_MS;
  for (;;) {
    const there = arrived();
    const left = wanted.filter((email) => !there.has(email));
    if (left.length === 0 || performance.now() > giveUpAt) return left;
    await sleep(200);
  }
}
