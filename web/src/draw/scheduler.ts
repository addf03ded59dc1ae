// The only user of animation frames: whoever wants to draw asks here, and is
// called once in the next frame, however often it asks.

type Task = (now: number) => void;

let waiting = new Set<Task>();
let running = new Set<Task>();
let asked = false;

function run(now: number): void {
  asked = false;
  [waiting, running] = [running, waiting];
  for (const task of running) task(now);
  running.clear();
}

export function nextFrame(task: Task): void {
  waiting.add(task);
  if (asked) return;
  asked = true;
  requestAnimationFrame(run);
}

export function forget(task: Task): void {
  waiting.delete(task);
}
