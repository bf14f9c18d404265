import type { Command } from './command.ts';

interface CommandGroup {
  /** The first words of its commands. */
  words: readonly string[];
  load(): Promise<Command[]>;
}

/** In the order of the help. Loaded on demand, because loading takes most of the time of a short command. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    words: ['serve', 'migrate', 'doctor', 'status', 'master-key'],
    load: async () => (await import('./operations.ts')).operations,
  },
  { words: ['distribute'], load: async () => (await import('./distribute.ts')).distribute },
  { words: ['demo'], load: async () => (await import('./demo.ts')).demo },
  { words: ['backup', 'restore'], load: async () => (await import('./backup.ts')).backups },
  { words: ['waitlist', 'environment'], load: async () => (await import('./waitlists.ts')).waitlists },
  { words: ['key'], load: async () => (await import('./keys.ts')).keys },
  { words: ['gate-key'], load: async () => (await import('./hook-keys.ts')).gateKeyCommands },
  { words: ['operator', 'admin-token'], load: async () => (await import('./operators.ts')).operators },
  { words: ['operator'], load: async () => (await import('./access.ts')).access },
  { words: ['operator'], load: async () => (await import('./operator-mails.ts')).operatorMails },
  { words: ['roles'], load: async () => (await import('./roles.ts')).roles },
  { words: ['entry', 'leaderboard'], load: async () => (await import('./entries.ts')).entries },
  { words: ['entry'], load: async () => (await import('./decisions.ts')).decisions },
  { words: ['rule'], load: async () => (await import('./rules.ts')).rules },
  {
    words: ['erasure'],
    load: async () => (await import('./erasure-requests.ts')).erasureRequests,
  },
  { words: ['entry'], load: async () => (await import('./entry-search.ts')).entrySearch },
  { words: ['segment'], load: async () => (await import('./segments.ts')).segments },
  { words: ['invite'], load: async () => (await import('./invites.ts')).invites },
  { words: ['code'], load: async () => (await import('./codes.ts')).codes },
  { words: ['wave'], load: async () => (await import('./waves.ts')).waves },
  { words: ['import', 'export'], load: async () => (await import('./transfer.ts')).transfer },
  { words: ['copy'], load: async () => (await import('./copy.ts')).copy },
  { words: ['webhook'], load: async () => (await import('./webhooks.ts')).webhooks },
  { words: ['webhook'], load: async () => (await import('./webhook-deliveries.ts')).webhookDeliveries },
  { words: ['mail'], load: async () => (await import('./mails.ts')).mails },
  { words: ['mail'], load: async () => (await import('./mail-resending.ts')).mailResending },
  { words: ['mail'], load: async () => (await import('./mail-templates.ts')).mailTemplates },
  { words: ['mail'], load: async () => (await import('./mail-bounce.ts')).mailBounce },
  { words: ['dkim-key'], load: async () => (await import('./dkim-key.ts')).dkimKeys },
  { words: ['mail'], load: async () => (await import('./mail-sending.ts')).mailSending },
  { words: ['mail-event-key'], load: async () => (await import('./hook-keys.ts')).mailEventKeyCommands },
  { words: ['completion'], load: async () => (await import('./completion.ts')).completionOf(loadCommands) },
  { words: ['operations', 'call'], load: async () => (await import('./call.ts')).calls(loadCommands) },
];

/** All commands, or those whose name starts with this word. */
export async function loadCommands(word?: string): Promise<Command[]> {
  const groups = COMMAND_GROUPS.filter(({ words }) => word === undefined || words.includes(word));
  return (await Promise.all(groups.map(({ load }) => load()))).flat();
}
