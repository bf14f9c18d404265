import type { Browser } from 'playwright-core';
import { afterAllTests } from './cleanup.ts';
import { launchChromium } from './launch-chromium.ts';
import { closeWindows } from './windows.ts';

let launched: Promise<Browser> | undefined;

/** One for all test files of a process: `close` only closes what a file has opened. */
export function sharedChromium(): Promise<Browser> {
  launched ??= launch();
  return launched;
}

async function launch(): Promise<Browser> {
  const browser = await launchChromium();
  afterAllTests(browser.close.bind(browser));
  return Object.assign(browser, { close: () => closeWindows(browser) });
}
