import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { run } from 'node:test';
import { bitsOf, type FileRecord, RECORD_FILE } from './recorded.ts';

/** Follows a run of everything, to write down how long each file took and what it sent to PostgreSQL. */
export function recordRun(directory: string) {
  const files: Record<string, FileRecord> = {};
  let postgres: number | undefined;
  return {
    follow(stream: ReturnType<typeof run>): void {
      // A process's events come together, and those of a suite's members before its own.
      const ended = ({ name, nesting, details: { type, duration_ms: ms } }: Ended) => {
        if (type !== 'suite') return;
        if (nesting === 1 && name === 'on postgres') postgres = (postgres ?? 0) + ms;
        if (nesting !== 0) return;
        const onPostgres = postgres === undefined ? {} : { postgres: inSeconds(postgres) };
        files[name] = { sqlite: inSeconds(ms - (postgres ?? 0)), ...onPostgres };
        postgres = undefined;
      };
      stream.on('test:pass', ended);
      stream.on('test:fail', ended);
    },

    write(): void {
      const sent = readSent(directory);
      const all = [...new Set([...sent.values()].flat())].toSorted();
      const numbers = new Map(all.map((statement, number) => [statement, number]));
      for (const [file, statements] of sent) {
        const record = files[file];
        const own = statements.map((statement) => numbers.get(statement) ?? 0);
        if (record && own.length > 0) record.statements = bitsOf(own, all.length);
      }
      const sorted = Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)));
      writeFileSync(RECORD_FILE, `${JSON.stringify({ statements: all.length, files: sorted }, null, 2)}\n`);
    },
  };
}

interface Ended {
  name: string;
  nesting: number;
  details: { type?: string | undefined; duration_ms: number };
}

function inSeconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function readSent(directory: string): Map<string, string[]> {
  const written = readdirSync(directory).map((name) => readFileSync(path.join(directory, name), 'utf8'));
  return new Map(
    written.map((text) => {
      const { file, sent } = JSON.parse(text) as { file: string; sent: string[] };
      return [file, sent];
    }),
  );
}
