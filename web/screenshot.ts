import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../test/support/launch-chromium.ts';

// Builds the demo and takes the pictures of the README and of docs/dashboard.md. Needs Chromium. With a
// directory as its argument, it uses the demo in there.

const ROOT = path.join(import.meta.dirname, '..');
const OUT = path.join(ROOT, 'docs', 'images');
const PORT = process.env.PORT ?? '3999';
const SIZE = { width: 1280, height: 832 };
/** WebP of this quality is a fifth of a PNG, and looks the same. */
const QUALITY = 88;
const BYTES_MAX = 400_000;

const PICTURES = [
  { name: 'overview', at: '/waitlists/wl_orbit?period=90d' },
  { name: 'queue', at: '/waitlists/wl_orbit/queue' },
  { name: 'invites', at: '/waitlists/wl_orbit/invites' },
  { name: 'emails', at: '/waitlists/wl_orbit/emails/welcome' },
];
const THEMES = ['light', 'dark'] as const;

const given = process.argv[2];
const dir = given ?? mkdtempSync(path.join(tmpdir(), 'doorlist-screenshot-'));
const demo = await startDemo(dir);
try {
  const browser = await launchChromium();
  mkdirSync(OUT, { recursive: true });
  for (const theme of THEMES) await takeAll(browser, theme);
  await browser.close();
} finally {
  await demo.stop();
  if (given === undefined) rmSync(dir, { recursive: true });
}

async function takeAll(browser: Browser, theme: (typeof THEMES)[number]): Promise<void> {
  const context = await browser.newContext({
    baseURL: demo.url,
    viewport: SIZE,
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(demo.email);
  await page.getByLabel('Password').fill(demo.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/waitlists');
  for (const { name, at } of PICTURES) {
    await page.goto(at);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(1_500); // Charts are drawn after their data has come.
    await take(page, path.join(OUT, `${name}-${theme}.webp`));
  }
  await context.close();
}

async function take(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    clip: { x: 0, y: 0, ...SIZE, scale: 2 },
  });
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > BYTES_MAX) throw new Error(`${file} has ${bytes.length} bytes: more than ${BYTES_MAX}`);
  writeFileSync(file, bytes);
  process.stdout.write(`${path.relative(ROOT, file)} ${bytes.length}\n`);
}

/** Resolves once the demo has printed how to sign in. */
async function startDemo(dataDir: string) {
  const child = spawn(path.join(ROOT, 'bin', 'doorlist'), ['demo', '--dir', dataDir], {
    env: { ...process.env, PORT, DOORLIST_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const found: Record<string, string> = {};
  for await (const line of createInterface({ input: child.stderr })) {
    const [, name, value] = /^ {2}(Email|Password) +(\S+)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found[name] = value;
    if (found.Password !== undefined) break;
  }
  child.stderr.resume();
  const { Email: email, Password: password } = found;
  if (email === undefined || password === undefined) throw new Error('the demo did not start');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url: `http://127.0.0.1:${PORT}`, email, password, stop };
}
