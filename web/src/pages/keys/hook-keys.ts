import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';

/** A key that is part of a URL which another service calls. */
export type HookKey = Schemas['GateKey'] | Schemas['MailEventKey'];

export interface HookScope {
  waitlistId: string;
  environment: string;
}

interface Caller {
  /** `?shape=`, or `plain` for none. */
  value: string;
  label: string;
  /** Whether it signs its requests with a secret that belongs here. */
  signs: boolean;
}

/** One kind of hook keys: what it is called, and how to reach it. */
export interface HookKind {
  /** What keys start with. */
  start: string;
  called: string;
  title: string;
  about: string;
  icon: ReactNode;
  worksWith: string;
  createAbout: (scope: HookScope) => string;
  namePlaceholder: string;
  urlTitle: string;
  /** Asks who calls the URL. */
  who: string;
  callers: readonly Caller[];
  /** Of a key that is made for one caller. `null` if it does not know yet. Others answer whoever the URL names. */
  callerOf?: (key: HookKey) => string | null;
  urlOf: (key: string, caller: string) => string;
  /** The guide, below /docs. */
  guide: string;
  secretAbout: string;
  secretPlaceholder: string;
  deleteAbout: (scope: HookScope) => string;
  queryKey: string;
  list: (scope: HookScope) => Promise<HookKey[]>;
  create: (scope: HookScope, name: string, caller: string) => Promise<{ key: string }>;
  /** `null` removes it. */
  setSecret: (scope: HookScope, keyId: string, secret: string | null) => Promise<unknown>;
  /** Of keys that take the messages of one topic. `null` takes that of the next subscription. */
  topic?: {
    /** `undefined` for a key that has nothing to do with topics. */
    of: (key: HookKey) => string | null | undefined;
    set: (scope: HookScope, keyId: string, topic: string | null) => Promise<unknown>;
  };
  remove: (scope: HookScope, keyId: string) => Promise<unknown>;
}

export function labelOf({ callers }: HookKind, caller: string | null): string | undefined {
  return callers.find(({ value }) => value === caller)?.label;
}

export function canSign({ callers }: HookKind, caller: string | null): boolean {
  return callers.some(({ value, signs }) => value === caller && signs);
}

/** As it begins and ends: the rest is not stored. */
export function maskedKey({ start }: HookKind, { hint }: Pick<HookKey, 'hint'>): string {
  return `${start}…${hint}`;
}
