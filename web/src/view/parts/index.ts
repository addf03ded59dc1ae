// What views are built of.

export { Button, IconButton, tip, type ButtonProps, type IconButtonProps } from './Button';
export { CommandText } from './CommandText';
export { Dialog } from './Dialog';
export { FunctionMenuHost, functionItems, openFunctionMenu } from './FunctionMenu';
export { Icon, Mark, type IconName } from './Icon';
export { Kbd } from './Kbd';
export { Menu, MenuList, type MenuAction, type MenuItem } from './Menu';
export { Floating, Popover, type Anchor } from './Popover';
export { pointBox } from './place';
export { Empty, Failure, Progress, ReportState, Skeleton, Warnings } from './ReportState';
export { copyText, toast, ToastHost } from './Toast';
export { TooltipHost } from './Tooltip';
export { ValueList } from './ValueList';
export { useElementSize } from './useElementSize';
export { useKeys } from './useKeys';
export { useMedia } from './useMedia';
