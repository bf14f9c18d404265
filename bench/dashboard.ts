import type { Page } from 'playwright-core';
import { clientFor, type Service } from '../test/support/harness.ts';
import { launchChromium } from '../test/support/launch-chromium.ts';
import { setUp } from '../test/support/operators.ts';
import { median } from './report.ts';
import { openSite, printGrowth, type Site, withSites } from './site.ts';

/** A smaller one for a quick try: BENCH_LARGEST=100000. */
const LARGEST = Number(process.env.BENCH_LARGEST ?? 10_000_000);
const SMALLEST = 10_000;
const ROUNDS = 9;
/** What people accept as prompt. */
const SHOWN_WITHIN_MS = 1_000;

/** How long the dashboard takes to show rows in the middle of a long queue, after a jump of the scroll bar. */
export async function benchDashboard(): Promise<boolean> {
  return withSites([SMALLEST, LARGEST], openSite, async (sites) => {
    process.stdout.write(
      '\nDashboard: time to show rows in the middle, as a multiple of that in a short queue\n',
    );
    const costs: number[] = [];
    for (const site of sites) costs.push(await measureJumps(site));
    const isPrompt = costs.every((cost) => cost <= SHOWN_WITHIN_MS);
    process.stdout.write(`  rows within one second          ${isPrompt ? 'ok' : 'OVER'}\n`);
    printGrowth('jump of the scroll bar', sites, { times: costs }, false);
    return isPrompt;
  });
}

async function measureJumps({ server, context, size }: Site): Promise<number> {
  const operator = await setUp({ ...clientFor(server.url), context } as Service);
  const browser = await launchChromium();
  try {
    const browsing = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    await browsing.addCookies(
      [...operator.cookies].map(([name, value]) => ({ name, value, url: server.url })),
    );
    const page = await browsing.newPage();
    await page.goto(`${server.url}/waitlists/wl_bench/queue`);
    await page.getByRole('gridcell', { name: '@example.com' }).first().waitFor();
    const samples: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) samples.push(await jump(page, size, round));
    return median(samples);
  } finally {
    await browser.close();
  }
}

/** Runs in the page: moves the scroll bar, and waits until the row in the middle of the box shows a person. */
const JUMP = `(share) => new Promise((resolve) => {
  const box = document.querySelector('[role=grid]');
  const startedAt = performance.now();
  box.scrollTop = box.scrollHeight * share;
  const look = () => {
    const { left, top, width, height } = box.getBoundingClientRect();
    const row = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('[role=row]');
    if (row?.textContent.includes('@')) resolve({ ms: performance.now() - startedAt, index: Number(row.dataset.index) });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

async function jump(page: Page, size: number, round: number): Promise<number> {
  const share = 0.5 + round / 100; // Never twice to the same place: it would be in memory.
  const { ms, index } = await page.evaluate<{ ms: number; index: number }>(`(${JUMP})(${share})`);
  if (Math.abs(index / size - share) > 0.02) throw new Error(`row ${index} of ${size} is not at ${share}`);
  return ms;
}
