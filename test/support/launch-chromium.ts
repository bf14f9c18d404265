import { type Browser, chromium } from 'playwright-core';
import { ensureBrowser } from './browser.ts';

/** The popups of its address bar cost a new window more than any page of ours does. */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** Processes for the next site, which never comes, and one for each frame with an email. */
const PROCESSES = ['SpareRendererForSitePerProcess', 'IsolateSandboxedIframes'];

/** What Playwright turns off. Chromium only takes the last list, which is ours. */
const PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  `--disable-features=${[...ADDRESS_BAR, ...PROCESSES, ...PLAYWRIGHT].join()}`,
];

/** One for a test file, without what only a person in front of it would need. */
export function launchChromium(...flags: string[]): Promise<Browser> {
  const executablePath = process.env.DOORLIST_TEST_BROWSER || ensureBrowser();
  return chromium.launch({ executablePath, args: [...FLAGS, ...flags] });
}
