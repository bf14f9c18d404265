import type { Agent, Dispatcher } from 'undici';

export interface LazyDispatcher {
  open(): Promise<Dispatcher>;
  destroy(): Promise<void>;
}

/** Loads undici with the first request: it takes 12 MB, and an installation may never send one. */
export function lazyDispatcher({
  proxyUrl,
  connect,
  ...common
}: Pick<
  Agent.Options,
  'connect' | 'connections' | 'headersTimeout' | 'bodyTimeout' | 'pipelining' | 'allowH2'
> & {
  proxyUrl?: string | undefined;
}): LazyDispatcher {
  const create = async () => {
    const { Agent, ProxyAgent } = await import('undici');
    if (proxyUrl !== undefined) return new ProxyAgent({ ...common, uri: proxyUrl });
    return new Agent({ ...common, ...(connect && { connect }) });
  };
  let created: Promise<Dispatcher> | undefined;
  return {
    open: () => {
      created ??= create();
      return created;
    },
    destroy: async () => {
      await (await created)?.destroy();
    },
  };
}
