import type { Engine } from '../../src/db/database.ts';
import type { Storage } from './storage.ts';

export const OTHER: Record<Engine, Engine> = { sqlite: 'postgres', postgres: 'sqlite' };

/** Where a copy goes to, as it is typed, and the variables that make a process use it. */
export function targetFor(
  source: Storage,
  target: Storage,
): { to: string; environment: Record<string, string> } {
  const { DATABASE_URL } = target.environment;
  return DATABASE_URL === undefined
    ? { to: `sqlite:${target.dataDir}`, environment: target.environment }
    : { to: DATABASE_URL, environment: { ...source.environment, DATABASE_URL } };
}
