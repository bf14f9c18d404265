import type { PresentedEntry } from '../src/wire/entry.ts';

type Status = 'waiting' | 'invited' | 'joined' | 'removed';

/** What a person must at least have reached, because a server has said so. */
export interface Person {
  readonly email: string;
  status: Status;
  /** In the metadata. It only grows. */
  version: number;
  code?: string;
  entryId?: string;
  /** Neither events nor emails tell of the signup. */
  silent?: boolean;
}

const ORDER: readonly Status[] = ['waiting', 'invited', 'joined', 'removed'];

export interface Findings {
  acknowledged: number;
  lost: string[];
  doubled: string[];
  reverted: string[];
  /** Whom nobody has signed up. */
  invented: string[];
  /** Positions that are missing or taken twice. */
  misplaced: string[];
}

/** Everything that clients were told is done, and when. */
export class Ledger {
  readonly people = new Map<string, Person>();
  /** Also those whose signup was never acknowledged. */
  readonly asked = new Set<string>();
  acknowledged = 0;
  readonly problems: string[] = [];
  #faultAt: number | undefined;
  #longestMs = 0;

  joined(email: string): Person {
    const person: Person = { email, status: 'waiting', version: 0 };
    this.people.set(email, person);
    return person;
  }

  /** A write was acknowledged. */
  acknowledge(): void {
    this.acknowledged += 1;
    if (this.#faultAt === undefined) return;
    this.#longestMs = Math.max(this.#longestMs, performance.now() - this.#faultAt);
    this.#faultAt = undefined;
  }

  /** From now until the next acknowledged write, the service counts as down. */
  fault(): void {
    this.#faultAt = performance.now();
  }

  get recoveredInMs(): number {
    return Math.round(this.#longestMs);
  }

  /** Compares with all entries that the service has, in the order of their positions. */
  check(entries: readonly PresentedEntry[]): Findings {
    const found = Map.groupBy(entries, ({ email }) => email ?? '');
    const positions = entries.flatMap(({ position }) => position ?? []).sort((a, b) => a - b);
    const present = [...this.people.values()].filter(({ status }) => status !== 'removed');
    return {
      acknowledged: this.acknowledged,
      lost: present.filter(({ email }) => !found.has(email)).map(({ email }) => email),
      doubled: [...found].filter(([, same]) => same.length > 1).map(([email]) => email),
      reverted: [...this.people.values()].flatMap((person) =>
        revertedIn(person, found.get(person.email)?.[0]),
      ),
      invented: [...found.keys()].filter((email) => !this.asked.has(email)),
      misplaced: positions.flatMap((position, index) => (position === index + 1 ? [] : [`${position}`])),
    };
  }
}

/** What it says is behind what was acknowledged. */
export function revertedIn(
  { email, status, version }: Person,
  entry: Pick<PresentedEntry, 'status' | 'metadata'> | undefined,
): string[] {
  if (!entry) return [];
  const stored = Number((entry.metadata as { version?: number } | null)?.version ?? 0);
  const behind = ORDER.indexOf(entry.status as Status) < ORDER.indexOf(status);
  return [
    ...(behind ? [`${email} was ${status} and is ${entry.status}`] : []),
    ...(stored < version && status !== 'removed'
      ? [`${email} had version ${version} and has ${stored}`]
      : []),
  ];
}
