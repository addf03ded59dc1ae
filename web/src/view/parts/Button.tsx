import './button.css';
import type { ComponentChildren, JSX, Ref } from 'preact';
import { Icon, type IconName } from './Icon';

type Native = Omit<JSX.IntrinsicElements['button'], 'ref' | 'icon' | 'type'>;

export interface ButtonProps extends Native {
  type?: 'button' | 'submit';
  icon?: IconName | undefined;
  /** primary: the one thing to do here; plain: no ground until it is pointed at. */
  kind?: 'primary' | 'quiet' | 'plain' | undefined;
  children?: ComponentChildren;
  buttonRef?: Ref<HTMLButtonElement> | undefined;
}

export function Button({ icon, kind = 'quiet', children, buttonRef, class: more, ...rest }: ButtonProps) {
  return (
    <button {...(buttonRef ? { ref: buttonRef } : {})} type="button" class={`btn btn-${kind}${more ? ` ${String(more)}` : ''}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Native {
  icon: IconName;
  /** What it does, for its tooltip and for screen readers. */
  label: string;
  /** The key that does the same, as in useKeys. */
  keys?: string | undefined;
  buttonRef?: Ref<HTMLButtonElement> | undefined;
}

export function IconButton({ icon, label, keys, buttonRef, class: more, ...rest }: IconButtonProps) {
  return (
    <button
      {...(buttonRef ? { ref: buttonRef } : {})}
      type="button"
      class={`btn btn-plain btn-icon${more ? ` ${String(more)}` : ''}`}
      aria-label={label}
      {...tip(label, keys)}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Attributes that give an element a tooltip: <td {...tip('Share of the total')}>. See TooltipHost. */
export function tip(text: string, keys?: string): { 'data-tip': string; 'data-keys'?: string } {
  return keys === undefined ? { 'data-tip': text } : { 'data-tip': text, 'data-keys': keys };
}
