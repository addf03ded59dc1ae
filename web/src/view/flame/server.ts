// Flame graphs of the server, window by window.

import { computed } from '@preact/signals';
import { ApiError, ping, report, reportPath } from '../../api/client';
import type { FlameSearch } from '../../api/types';
import { connection } from '../../state/connection';
import { load } from '../../worker/client';
import type { FlameSource } from './source';

export const server: FlameSource = {
  async window(query, part, signal) {
    const q = new URLSearchParams(query);
    for (const [name, value] of Object.entries(part)) q.set(name, String(value));
    try {
      return await load(reportPath('flame', q), signal);
    } catch (err) {
      // The worker asked, so the page has to learn by itself that the server is gone.
      if (err instanceof ApiError && err.status === 0) void ping();
      throw err;
    }
  },

  async search(query, pattern, signal) {
    const q = new URLSearchParams(query);
    q.set('query', pattern);
    return (await report<FlameSearch>('flame/search', q, signal)).report;
  },

  reachable: computed(() => connection.value === 'up'),
};
