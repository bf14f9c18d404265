import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '../../src/db/database.ts';
import type { TestFile } from './test-file.ts';

/** Written by `npm test -- --everything --record`. */
export const RECORD_FILE = path.join(import.meta.dirname, 'recorded.json');

/** What a run has measured, by file. */
export interface Recorded {
  /** Different ones that all tests together send to PostgreSQL. */
  statements: number;
  files: Readonly<Record<string, FileRecord>>;
}

export interface FileRecord {
  /** Seconds on each engine. What needs no engine counts as on SQLite. */
  sqlite: number;
  postgres?: number;
  /** A bit for each statement, as base64. */
  statements?: string;
}

/** Of files that are not recorded yet. */
const BYTES_PER_SECOND = 4_000;
/** Also of those that were skipped. */
const SECONDS_MIN = 0.1;

export function readRecorded(): Recorded {
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8'));
}

export function secondsOf(
  { file, bytes, variesEngine }: TestFile,
  { files }: Recorded,
  engine?: Engine,
): number {
  const guess = bytes / BYTES_PER_SECOND;
  const { sqlite = guess, postgres = variesEngine ? guess : 0 } = files[file] ?? {};
  const seconds = { sqlite, postgres, both: sqlite + postgres };
  return Math.max(seconds[engine ?? 'both'], SECONDS_MIN);
}

export function statementsOf(file: string, { files }: Recorded): Set<number> {
  const bits = Buffer.from(files[file]?.statements ?? '', 'base64');
  const numbers = Array.from({ length: bits.length * 8 }, (_, number) => number);
  return new Set(numbers.filter((number) => (bits[number >> 3] ?? 0) & (1 << (number & 7))));
}

export function bitsOf(numbers: Iterable<number>, count: number): string {
  const bits = Buffer.alloc(Math.ceil(count / 8));
  for (const number of numbers) bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7));
  return bits.toString('base64');
}
