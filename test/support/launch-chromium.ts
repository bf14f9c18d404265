import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './programs.ts';

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

/** Leads to this machine, but is no secure context for the browser. */
export const PLAIN_HTTP_HOST = 'plain-http.test';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  `--disable-features=${[...ADDRESS_BAR, ...PROCESSES, ...PLAYWRIGHT].join()}`,
  `--host-resolver-rules=MAP ${PLAIN_HTTP_HOST} 127.0.0.1`,
];

/** Without what only a person in front of it would need. */
export function launchChromium(): Promise<Browser> {
  const executablePath = findProgram('Chromium');
  if (executablePath === undefined) throw new Error('there is no Chromium on the PATH');
  return chromium.launch({ executablePath, args: FLAGS });
}
