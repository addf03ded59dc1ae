import './kbd.css';

const shown: Record<string, string> = {
  ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', Enter: '↵', PageUp: 'PgUp', PageDown: 'PgDn', '-': '−',
};

/** A key as useKeys names it: "g t" is two in a row, "n|ArrowRight" are two ways. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span class="kbd">
      {keys.split('|').map((way, i) => (
        <>
          {i > 0 && <span class="kbd-or"> or </span>}
          {way.split(' ').map((key) => <kbd key={key}>{shown[key] ?? key}</kbd>)}
        </>
      ))}
    </span>
  );
}
