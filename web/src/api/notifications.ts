// Where hone serve tells of regressions. For admins: see "What is in the store" in doc/reference/api.md.

import { request } from './client';

export interface NotificationTarget {
  name: string;
  format: string;
  /** Events that it was told, that were given up, and that it is not told yet. */
  sent: number;
  dropped: number;
  waiting: number;
  /** Requests that failed, and why the last one did; '' if it succeeded. */
  failed: number;
  error: string;
}

export interface NotificationTest {
  name: string;
  format: string;
  /** Of the target's answer; 0 if none came. */
  status: number;
  answer: string;
  /** ms */
  took: number;
  error: string;
}

export const notifications = async (signal?: AbortSignal): Promise<NotificationTarget[]> => {
  const answer = await request('notifications', signal ? { signal } : {});
  return ((await answer.json()) as { targets: NotificationTarget[] }).targets;
};

/** Sends a test to one target and returns what came of it. */
export async function testNotification(target: string): Promise<NotificationTest> {
  const answer = await request(`notifications/test?${new URLSearchParams({ target })}`, { method: 'POST' });
  return ((await answer.json()) as { tests: NotificationTest[] }).tests[0]!;
}
