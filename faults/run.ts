import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ensureDashboard } from '../test/support/ensure-dashboard.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { buildScripts } from '../test/support/program.ts';
import { type Outcome, runScenario, wrongIn } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const WIDTHS = [44, 7, 13, 6, 8, 9, 11, 9, 10, 4];
const HEAD = [
  ...['scenario', 'rounds', 'acknowledged', 'lost', 'doubled', 'reverted', 'undelivered', 'unmailed'],
  ...['recovered', ''],
];

const HELP = `npm run faults [-- --seed N] [--short] [WORDS OF A NAME]

Breaks servers and PostgreSQL under load, and prints what was left: what was acknowledged must be there.

  --seed N   Repeat a run.
  --short    Fewer rounds of each scenario.

Scenarios:
${SCENARIOS.map(({ name, engine }) => `  ${name}, ${engine}`).join('\n')}
`;

const { values, positionals } = readWords();
const wanted = positionals.join(' ').toLowerCase();
const chosen = SCENARIOS.filter(({ name, engine }) => `${name}, ${engine}`.toLowerCase().includes(wanted));
if (chosen.length === 0) refuse(`There is no scenario with "${wanted}" in its name.`);

const seed = Number(values.seed ?? randomInt(2 ** 31));
process.stdout.write(`seed ${seed}, to repeat: npm run faults -- --seed ${seed} ${positionals.join(' ')}\n`);
// The dashboard before servers start, or each of them would build it.
await Promise.all([buildScripts(), ensureDashboard()]);
const [broken, whole] = [await startPostgres(), await startPostgres()];
process.env.DOORLIST_TEST_POSTGRES_URL = whole.url; // Where installations are moved to.
process.stdout.write(`${line(HEAD)}\n`);
try {
  // Servers mostly wait to be killed, so that two scenarios have room side by side.
  const lanes = Object.values(Object.groupBy(chosen, ({ engine }) => engine));
  await Promise.all(lanes.map(runInTurn));
} finally {
  await Promise.all([broken.stop(), whole.stop()]);
}

function readWords() {
  const options = {
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    const words = parseArgs({ allowPositionals: true, options });
    if (words.values.help !== true) return words;
  } catch (error) {
    return refuse((error as Error).message);
  }
  process.stdout.write(HELP);
  process.exit();
}

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n\n${HELP}`);
  process.exit(2);
}

async function runInTurn(scenarios: readonly Scenario[]): Promise<void> {
  for (const scenario of scenarios) {
    const outcome = await runScenario(scenario, { seed, short: values.short, postgres: broken });
    if (typeof outcome === 'string') {
      process.stdout.write(`${scenario.name}, ${scenario.engine}: skipped, ${outcome}\n`);
      continue;
    }
    const wrong = wrongIn(outcome);
    process.stdout.write(
      `${line(cellsOf(outcome, wrong))}\n${wrong.map((text) => `    ${text}\n`).join('')}`,
    );
    if (wrong.length > 0) process.exitCode = 1;
  }
}

function cellsOf(outcome: Outcome, wrong: string[]): string[] {
  const { scenario, rounds, acknowledged, lost, doubled, reverted, undelivered, unmailed } = outcome;
  const counts = [lost, doubled, reverted, undelivered, unmailed].map(({ length }) => String(length));
  const recovered = `${(outcome.recoveredInMs / 1_000).toFixed(1)} s`;
  return [
    scenario,
    String(rounds),
    String(acknowledged),
    ...counts,
    recovered,
    wrong.length === 0 ? 'ok' : 'WRONG',
  ];
}

function line(cells: string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0))
    .join(' ')
    .trimEnd();
}
