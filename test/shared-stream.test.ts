import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from './support/harness.ts';

/** What one stream takes. */
const MOST_WATCHED = 20;

it('tabs of more waitlists than a stream takes are all watched', async (test) => {
  const open = new Set<string>();
  class EventSource {
    readonly #url: string;
    constructor(url: string) {
      this.#url = url;
      open.add(url);
    }
    addEventListener(): void {}
    close(): void {
      open.delete(this.#url);
    }
  }
  const document = { visibilityState: 'visible', querySelector: () => null, addEventListener() {} };
  const page = { document: { ...document, removeEventListener() {} }, location: { origin: 'http://test' } };
  const browser = { ...page, EventSource, addEventListener() {}, removeEventListener() {} };
  const own = Object.fromEntries(
    Object.keys(browser).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]),
  );
  Object.assign(globalThis, browser);
  const module = '../web/src/api/shared-stream.ts'; // Its types need those of a browser.
  const { shareStream } = await import(module);

  const watched = Array.from({ length: 2 * MOST_WATCHED + 1 }, (_, index) => `wl_${index}:production`);
  const stops: (() => void)[] = watched.map((each) => shareStream(each, () => {}));
  const stop = () => {
    for (const each of stops) each();
  };
  test.after(() => {
    stop();
    // Other files of this process must not take it for a browser.
    for (const [name, descriptor] of Object.entries(own)) {
      Reflect.deleteProperty(globalThis, name);
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    }
  });
  const streams = () => [...open].map((url) => url.split('=')[1]?.split(',') ?? []);
  const found = await eventually(
    async () => streams(),
    (each) => each.flat().length === watched.length,
  );
  assert.deepEqual(found.flat().toSorted(), watched.toSorted());
  assert.deepEqual(
    found.map(({ length }) => length),
    [MOST_WATCHED, MOST_WATCHED, 1],
  );
  stop();
  assert.deepEqual(streams(), []);
});
