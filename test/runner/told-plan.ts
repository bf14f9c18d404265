import type { Planned } from './packs.ts';
import type { Plan } from './plan-run.ts';

/** Each file with where it runs, by process. */
export function listOf(plan: Plan, seed: number): string {
  const all = [...plan.packs, ...plan.alone];
  const lines = all.flatMap(({ name, files }, at) => [
    `Process ${at + 1}, ${name}:`,
    ...files.map((one) => `  ${one.file}${whereItRuns(one)}`),
  ]);
  return [...lines, summaryOf(plan, seed)].join('\n');
}

function whereItRuns({ engine }: Planned): string {
  return engine === undefined ? '' : `, only on ${engine}`;
}

/** What the choice of engines covers and leaves out. */
export function summaryOf({ files, selection }: Plan, seed: number): string {
  const repeat = `Seed ${seed}: --seed ${seed} repeats this run.`;
  if (selection === undefined) return repeat;
  const onlySqlite = files.filter(({ engine }) => engine !== undefined).length;
  const { drawn, covered } = selection;
  const onBoth = files.filter(({ file }) => selection.onBoth.has(file)).length;
  return [
    `On both engines: ${onBoth} files. With ${drawn} of them drawn, a whole run sends ${Math.floor(covered * 100)}% of the known statements to PostgreSQL.`,
    `Only on SQLite: ${onlySqlite} files. To run all on both: npm test -- --everything. ${repeat}`,
  ].join('\n');
}
